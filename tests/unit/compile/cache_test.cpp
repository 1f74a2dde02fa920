#include "compile/cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>

#include "compile_fixture.h"

namespace tuner::compile {
namespace {

namespace fs = std::filesystem;

std::string key(int i) { return content_hash(std::to_string(i)); }

Artifact artifact_of(const std::string& image) {
  Artifact artifact;
  artifact.image = image;
  artifact.log = "a log";
  artifact.cubin_hash = "hash";
  artifact.source_hash = "source";
  artifact.spill_bytes = 8;
  artifact.compile_ms = 12.5;
  KernelAttributes kernel;
  kernel.entry = "k";
  kernel.registers = 40;
  kernel.static_shared_bytes = 512;
  kernel.local_bytes = 16;
  kernel.max_threads = 256;
  kernel.parameter_bytes = {8, 4};
  artifact.kernels.push_back(kernel);
  return artifact;
}

fs::path file_of(const fs::path& folder, int i) { return folder / key(i).substr(0, 2) / (key(i) + ".cubin"); }

void age(const fs::path& file, int seconds) {
  fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds(seconds));
}

TEST(Cache, GivesBackAllOfIt) {
  Cache cache(fresh_folder());
  EXPECT_FALSE(cache.find(key(1)));
  cache.put(key(1), artifact_of("image"));
  const auto back = cache.find(key(1));
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->from_cache);
  EXPECT_EQ(back->image, "image");
  EXPECT_EQ(back->log, "a log");
  EXPECT_EQ(back->cubin_hash, "hash");
  EXPECT_EQ(back->source_hash, "source");
  EXPECT_EQ(back->spill_bytes, 8);
  EXPECT_EQ(back->compile_ms, 12.5);
  ASSERT_EQ(back->kernels.size(), 1u);
  EXPECT_EQ(back->kernels[0].entry, "k");
  EXPECT_EQ(back->kernels[0].registers, 40);
  EXPECT_EQ(back->kernels[0].static_shared_bytes, 512);
  EXPECT_EQ(back->kernels[0].local_bytes, 16);
  EXPECT_EQ(back->kernels[0].max_threads, 256);
  EXPECT_EQ(back->kernels[0].parameter_bytes, (std::vector<int>{8, 4}));
  EXPECT_EQ(cache.entries(), 1);
  EXPECT_GT(cache.bytes(), 5);
}

TEST(Cache, LogNeedNotBeText) {
  Cache cache(fresh_folder());
  Artifact artifact = artifact_of("\xff\x00\xfe");
  artifact.log = "bad \xff byte";
  cache.put(key(1), artifact);
  ASSERT_TRUE(cache.find(key(1)));
  EXPECT_EQ(cache.find(key(1))->image, artifact.image);
}

TEST(Cache, KeepsCompileErrorsButNoTimeOutsOrCrashes) {
  Cache cache(fresh_folder());
  int i = 0;
  for (const auto reason : {Reason::compile_error, Reason::compile_timeout, Reason::compile_crash}) {
    Artifact artifact;
    artifact.reason = reason;
    cache.put(key(++i), artifact);
  }
  ASSERT_TRUE(cache.find(key(1)));
  EXPECT_EQ(cache.find(key(1))->reason, Reason::compile_error);
  EXPECT_EQ(cache.entries(), 1);
}

TEST(Cache, EveryDamagedByteIsAMiss) {
  const auto folder = fresh_folder();
  Cache cache(folder);
  cache.put(key(1), artifact_of("image"));
  std::ifstream file(file_of(folder, 1), std::ios::binary);
  std::ostringstream stream;
  stream << file.rdbuf();
  const std::string good = stream.str();
  ASSERT_GT(good.size(), 100u);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x20);
    put_file(file_of(folder, 1), bad);
    EXPECT_FALSE(cache.find(key(1))) << "byte " << i;
    if (i % 7 != 0) continue;
    put_file(file_of(folder, 1), good.substr(0, i));
    EXPECT_FALSE(cache.find(key(1))) << "cut at " << i;
  }
  put_file(file_of(folder, 1), good);
  EXPECT_TRUE(cache.find(key(1)));
}

TEST(Cache, LeastRecentlyUsedGoes) {
  const auto folder = fresh_folder();
  Cache cache(folder, 60000);
  for (int i = 0; i < 5; ++i) {
    cache.put(key(i), artifact_of(std::string(10000, 'x')));
    age(file_of(folder, i), 1000 - i);
  }
  EXPECT_TRUE(cache.find(key(0)));  // used now: 1 is the oldest
  cache.put(key(5), artifact_of(std::string(10000, 'x')));
  cache.put(key(6), artifact_of(std::string(10000, 'x')));
  EXPECT_LE(cache.bytes(), 60000);
  EXPECT_TRUE(cache.find(key(0)));
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_TRUE(cache.find(key(6)));
}

TEST(Cache, OldTemporaryFilesGoYoungOnesStay) {
  const auto folder = fresh_folder();
  const auto old = put_file(folder / "ab" / ".tmp-1-1", "left behind");
  const auto young = put_file(folder / "ab" / ".tmp-1-2", "being written");
  age(old, 5 * 3600);
  Cache cache(folder, 1000);
  cache.put(key(1), artifact_of("image"));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

TEST(Cache, ClearLeavesForeignFiles) {
  const auto folder = fresh_folder();
  const auto foreign = put_file(folder / "ab" / "notes.cubin", "mine");
  const auto other = put_file(folder / "readme", "mine");
  Cache cache(folder);
  cache.put(key(1), artifact_of("image"));
  EXPECT_EQ(cache.entries(), 1);
  cache.clear();
  EXPECT_EQ(cache.entries(), 0);
  EXPECT_TRUE(fs::exists(foreign));
  EXPECT_TRUE(fs::exists(other));
}

TEST(Cache, FolderThatCannotBeMadeIsReadOnly) {
  const auto file = put_file(fresh_folder() / "file", "");
  testing::internal::CaptureStderr();
  Cache cache(file + "/cache");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cannot be written"), std::string::npos);
  EXPECT_FALSE(cache.writable());
  cache.put(key(1), artifact_of("image"));
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_EQ(cache.bytes(), 0);
}

TEST(Cache, ManyProcessesShareOne) {
  const auto folder = fresh_folder();
  std::vector<int> children;
  for (int child = 0; child < 4; ++child) {
    const int pid = ::fork();
    if (pid == 0) {
      Cache cache(folder, 200000);
      bool good = true;
      for (int i = 0; i < 200; ++i) {
        const std::string image(static_cast<std::size_t>(3000 + i % 20), static_cast<char>('a' + i % 20));
        const auto found = cache.find(key(i % 20));
        good = good && (!found || found->image == image);
        cache.put(key(i % 20), artifact_of(image));
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const int pid : children) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Cache(folder).entries(), 20);
}

}  // namespace
}  // namespace tuner::compile
