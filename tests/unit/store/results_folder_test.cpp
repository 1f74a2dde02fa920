#include "store/results_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/error.h"
#include "store/database.h"
#include "store/layer_rows.h"
#include "store/overrules_file.h"
#include "unit/store/fixtures.h"

namespace tuner::store::test {
namespace {

// Nothing can be opened meanwhile, whoever runs the test.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

TEST(ResultsFolder, AFolderThatCannotBeListedIsRefusedAndNoneThatIsAbsent) {
  const ScratchFolder folder;
  write_file(folder.file("o.json"), R"({"tuner": 1, "forbids": []})");
  std::filesystem::create_symlink("loop", folder.file("loop"));
  EXPECT_THROW(check_overrules(folder.file("loop")), MachineError);
  LayerRows rows;
  std::vector<std::string> warnings;
  {
    const NoMoreFiles none;
    EXPECT_THROW(check_overrules(folder.file("")), MachineError);
    read_folder(folder.file(""), "project", rows, warnings);
  }
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0], "the results folder '" + folder.file("") +
                             "' cannot be listed: Too many open files; what it pins or forbids is not heeded");
  read_folder(folder.file("absent"), "project", rows, warnings);
  EXPECT_EQ(warnings.size(), 1U);
}

TEST(ResultsFolder, AWarningSaysWhereForbidsMayBeMissing) {
  const ScratchFolder folder;
  write_file(folder.file("a.json"), "{\"tuner\": 1, \"results\": [");
  write_file(folder.file("b.json"), "{\"tuner\": 1, \"forbids\": [");
  std::filesystem::create_directory(folder.file("c.json"));
  ASSERT_EQ(::mkfifo(folder.file("d.json").c_str(), 0600), 0);
  write_file(folder.file("overrules.json"), "");
  LayerRows rows;
  std::vector<std::string> warnings;
  read_folder(folder.file(""), "project", rows, warnings);
  ASSERT_EQ(warnings.size(), 5U);
  const auto says = [&warnings](std::size_t i, const char* part) {
    return warnings[i].find(part) != std::string::npos;
  };
  EXPECT_FALSE(says(0, "is not heeded"));
  EXPECT_TRUE(says(1, "what it pins or forbids is not heeded"));
  EXPECT_TRUE(says(2, "c.json' is a folder")) << warnings[2];
  EXPECT_FALSE(says(2, "is not heeded"));
  EXPECT_TRUE(says(3, "d.json' is no regular file")) << warnings[3];
  EXPECT_TRUE(says(3, "is not heeded"));
  EXPECT_TRUE(says(4, "is not heeded"));
}

TEST(ResultsFolder, APipeIsRefusedAndNotWaitedFor) {
  const ScratchFolder folder;
  const std::string pipe = folder.file("p.json");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(check_overrules(folder.file("")), UserError);
  EXPECT_THROW(read_overrules(pipe), UserError);
  EXPECT_THROW(read_header(pipe), UserError);
  EXPECT_THROW(Store::open(pipe, Store::Mode::read_only), UserError);
}

}  // namespace
}  // namespace tuner::store::test
