#include "tune/compile_queue.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace tuner::tune {
namespace {

// What is in the cache needs no compiler: each architecture has its own binary of one source, whoever asks and when.
TEST(CompileQueue, EveryArchitectureHasItsOwnBinaries) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tuner-queue-test-" + std::to_string(::getpid()));
  {
    compile::Cache cache(folder.string());
    CompileQueue queue;
    std::vector<compile::Source> sources(20);
    for (std::size_t i = 0; i < sources.size(); ++i) sources[i].hash = "source " + std::to_string(i);
    std::vector<CompileQueue::Target> targets;
    for (const char* arch : {"sm_80", "sm_90"}) {
      compile::CompileOptions options;
      options.arch = arch;
      options.jobs = 2;
      options.cache = &cache;
      for (const compile::Source& source : sources) {
        Artifact artifact;
        artifact.image = arch + source.hash;
        cache.put(compile::cache_key(source, options), artifact);
      }
      targets.push_back(queue.target(options));
      EXPECT_EQ(queue.target(options), targets.back());
    }
    EXPECT_NE(targets[0], targets[1]);
    EXPECT_FALSE(queue.has(targets[0], sources[0].hash));
    std::vector<std::thread> devices;
    for (const CompileQueue::Target target : {targets[0], targets[1], targets[0], targets[1]})
      devices.emplace_back([&, target] {
        queue.start(target, {sources.begin(), sources.begin() + 10});
        std::size_t told = 0;
        queue.wait(target, sources, [&](std::size_t done, std::size_t of) {
          EXPECT_GT(done, told);
          EXPECT_EQ(of, sources.size());
          told = done;
        });
        EXPECT_EQ(told, sources.size());
      });
    for (std::thread& device : devices) device.join();
    for (const compile::Source& source : sources) {
      EXPECT_EQ(queue.at(targets[0], source.hash).image, "sm_80" + source.hash);
      EXPECT_EQ(queue.at(targets[1], source.hash).image, "sm_90" + source.hash);
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tuner::tune
