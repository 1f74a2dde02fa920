// Processes that stay and answer one job after another.
#include "proc/crew.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace tuner::proc {
namespace {

using std::chrono::milliseconds;

// Answers "pid:job"; "die" ends it by a signal, "leave" with exit 3 and a word, "hang" never answers.
constexpr const char* answering_script = R"(
import os, struct, sys, time
def read(n):
    data = b""
    while len(data) < n:
        more = os.read(0, n - len(data))
        if not more: os._exit(0)
        data += more
    return data
while True:
    head, body = struct.unpack("<4xIQ", read(16))
    job = read(head + body)[head:].decode()
    if job == "die": os.kill(os.getpid(), 11)
    if job == "leave":
        sys.stderr.write("its last word"); sys.stderr.flush(); os._exit(3)
    if job == "hang": time.sleep(60)
    answer = ("%d:%s" % (os.getpid(), job)).encode()
    os.write(1, b"TNR1" + struct.pack("<IQ", 0, len(answer)) + answer)
)";

class CrewTest : public testing::Test {
 protected:
  std::map<std::size_t, Output> run(Crew& crew, const std::vector<std::string>& inputs, int width,
                                    const std::function<bool()>& stop = {}) {
    std::vector<Crew::Job> jobs;
    for (const std::string& input : inputs) jobs.push_back({input, milliseconds(input == "hang" ? 300 : 20000)});
    std::map<std::size_t, Output> outputs;
    crew.run(
        jobs, width, [&](std::size_t i, Output output) { EXPECT_TRUE(outputs.emplace(i, output).second); }, stop);
    return outputs;
  }
  static std::string pid(const Output& output) { return output.out.substr(0, output.out.find(':')); }
  static std::string job(const Output& output) { return output.out.substr(output.out.find(':') + 1); }

  const std::vector<std::string> argv_{"python3", "-c", answering_script};
};

TEST_F(CrewTest, AFewProcessesAnswerManyJobs) {
  Crew crew(argv_, 100);
  const auto first = run(crew, {"a", "b", "c", "d", "e", "f"}, 2), second = run(crew, {"g"}, 2);
  ASSERT_EQ(first.size(), 6U);
  std::set<std::string> pids;
  for (const auto& [i, output] : first) {
    EXPECT_EQ(job(output), std::string(1, static_cast<char>('a' + i)));
    EXPECT_TRUE(output.status.exited && output.status.code == 0);
    pids.insert(pid(output));
  }
  EXPECT_LE(pids.size(), 2U);
  EXPECT_TRUE(pids.count(pid(second.at(0)))) << "it has stayed";
}

TEST_F(CrewTest, AProcessEndsAfterItsJobs) {
  Crew crew(argv_, 2);
  std::set<std::string> pids;
  for (const auto& [i, output] : run(crew, {"a", "b", "c", "d", "e"}, 1)) pids.insert(pid(output));
  EXPECT_EQ(pids.size(), 3U);
}

TEST_F(CrewTest, WhatEndsAProcessCostsThatJobAlone) {
  Crew crew(argv_, 100);
  const auto outputs = run(crew, {"a", "die", "b", "leave", "c", "hang", "d"}, 2);
  ASSERT_EQ(outputs.size(), 7U);
  EXPECT_EQ(outputs.at(1).status.signal, 11);
  EXPECT_FALSE(outputs.at(1).timed_out);
  EXPECT_TRUE(outputs.at(3).status.exited);
  EXPECT_EQ(outputs.at(3).status.code, 3);
  EXPECT_EQ(outputs.at(3).err, "its last word");
  EXPECT_TRUE(outputs.at(5).timed_out);
  for (const std::size_t right : {0U, 2U, 4U, 6U}) EXPECT_EQ(outputs.at(right).status.code, 0) << right;
  EXPECT_EQ(job(outputs.at(6)), "d");
}

TEST_F(CrewTest, AStopEndsWhatWorks) {
  Crew crew(argv_, 100);
  const auto begin = Clock::now();
  std::vector<Crew::Job> jobs(3, {"hang", std::chrono::seconds(50)});
  crew.run(
      jobs, 2, [](std::size_t, const Output&) { FAIL(); },
      [begin] { return Clock::now() - begin > milliseconds(200); });
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(job(run(crew, {"a"}, 1).at(0)), "a");
}

TEST_F(CrewTest, WhatIsNoProgramIsAnError) {
  Crew crew({"/nowhere/program"}, 1);
  EXPECT_THROW(run(crew, {"a"}, 1), std::exception);
}

}  // namespace
}  // namespace tuner::proc
