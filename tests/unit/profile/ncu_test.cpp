// Running ncu: scripts stand for it.
#include "profile/ncu.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace tuner::profile {
namespace {

namespace fs = std::filesystem;

class NcuTest : public testing::Test {
 protected:
  NcuTest() {
    std::string pattern = (fs::temp_directory_path() / "tuner-profile-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    setenv("TMPDIR", folder_.c_str(), 1);
  }
  ~NcuTest() override {
    unsetenv("TMPDIR");
    unsetenv("TUNER_NCU");
    fs::remove_all(folder_);
  }

  // A program with this text, in which $log is what --log-file says.
  std::string program(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name)
        << "#!/bin/bash\nfor ((i = 1; i < $#; i++)); do [[ ${!i} == --log-file ]] && n=$((i + 1)) && "
           "log=${!n}; done\n"
        << text;
    fs::permissions(folder_ / name, fs::perms::owner_all);
    return (folder_ / name).string();
  }
  static Request request() {
    Request request;
    request.command = {"/bin/true"};
    request.range = "range";
    request.launches = {"k<1>", "b"};
    request.metrics = {"m1", "m2"};
    return request;
  }
  // What lies in the folder beside the programs.
  std::size_t left_behind() const {
    std::size_t n = 0;
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().filename().string().rfind("tuner-ncu-", 0) == 0) ++n;
    return n;
  }
  fs::path folder_;
};

constexpr const char* two_rows =
    R"txt(printf '"ID","Kernel Name","m1"\n"","","%%"\n"0","k","5"\n"1","b","6"\n' >> "$log")txt";

TEST_F(NcuTest, CountsEachLaunchInOrder) {
  const Counted counted = count({program("ncu", two_rows), "1", ""}, request());
  ASSERT_EQ(counted.launches.size(), 2U);
  EXPECT_EQ(counted.launches[0].entry, "k<1>");
  EXPECT_EQ(counted.launches[0].find("m1"), 5.0);
  EXPECT_EQ(counted.launches[1].find("m1"), 6.0);
  EXPECT_EQ(counted.launches[1].absent.at(0).first, "m2");
  EXPECT_EQ(left_behind(), 0U);
}

TEST_F(NcuTest, IsAskedAsTheDocumentationSays) {
  const std::string args = (folder_ / "args").string();
  count({program("ncu", "printf '%s\\n' \"$@\" > " + args + "\n" + two_rows), "1", ""}, request());
  std::ifstream in(args);
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  for (const char* words : {"--clock-control\nnone\n", "--cache-control\nall\n", "--nvtx-include\nrange/\n",
                            "--target-processes\nall\n", "--metrics\nm1,m2\n", "--print-units\nbase\n"})
    EXPECT_NE(all.find(words), std::string::npos) << words;
  EXPECT_EQ(all.substr(all.size() - 10), "/bin/true\n");
}

TEST_F(NcuTest, OtherLaunchesThanAskedAreAnError) {
  Request wrong = request();
  wrong.launches = {"k", "c"};
  EXPECT_THROW(count({program("ncu", two_rows), "1", ""}, wrong), MachineError);
  wrong.launches = {"k"};
  EXPECT_THROW(count({program("ncu", two_rows), "1", ""}, wrong), MachineError);
}

TEST_F(NcuTest, MetricsItDoesNotKnowAreLeftOut) {
  const std::string text =
      "if [[ \"$*\" == *m2* ]]; then echo '==ERROR== Failed to find metric m2' >> \"$log\"; exit 1; fi\n";
  const Counted counted = count({program("ncu", text + two_rows), "1", ""}, request());
  ASSERT_EQ(counted.launches.size(), 2U);
  EXPECT_EQ(counted.launches[0].absent.at(0), std::pair(std::string("m2"), std::string("this ncu has no such metric")));
}

TEST_F(NcuTest, TheCommandsOwnFailureIsTheCommands) {
  const Counted counted = count({program("ncu", "echo gone >&2; exit 3"), "1", ""}, request());
  EXPECT_TRUE(counted.launches.empty());
  EXPECT_EQ(counted.exit_code, 3);
  EXPECT_EQ(counted.err, "gone\n");
}

TEST_F(NcuTest, WithoutALaunchThereIsNothingToCount) {
  Request none = request();
  none.launches.clear();
  EXPECT_TRUE(count({program("ncu", "echo '==WARNING== No kernels were profiled.' >> \"$log\""), "1", ""}, none)
                  .launches.empty());
  EXPECT_THROW(count({program("ncu", "exit 0"), "1", ""}, request()), MachineError);
}

TEST_F(NcuTest, AStopEndsIt) {
  Request stopped = request();
  const auto start = std::chrono::steady_clock::now();
  stopped.stop = [start] { return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(200); };
  EXPECT_THROW(count({program("ncu", "sleep 60"), "1", ""}, stopped), Interrupted);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(left_behind(), 0U);
}

TEST_F(NcuTest, IsFoundByItsVersion) {
  setenv("TUNER_NCU", program("a/ncu", "echo 'Version 2025.3.1.0 (build 1)'").c_str(), 1);
  EXPECT_EQ(choose_ncu().version, "2025.3.1.0");
  setenv("TUNER_NCU", program("b/ncu", "echo hello").c_str(), 1);
  EXPECT_EQ(find_ncu().problem, "it does not say its version");
  setenv("TUNER_NCU", (folder_ / "none").c_str(), 1);
  EXPECT_EQ(find_ncu().problem, "no such program");
  EXPECT_THROW(choose_ncu(), MachineError);
  setenv("TUNER_NCU", folder_.c_str(), 1);
  EXPECT_EQ(find_ncu().problem, "no such program");
}

}  // namespace
}  // namespace tuner::profile
