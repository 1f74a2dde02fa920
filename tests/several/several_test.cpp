// One sweep on several host devices: the results are those of one, and whatever happens to one worker, the others go on
// and nobody is charged who is not at fault.
#include "several/sweeps.h"

namespace tuner {
namespace {

TEST_F(SeveralWorkers, TheResultsAreThoseOfOne) {
  const proc::Output one = tool_.run(sweep("one.db", {"--device", "host"}));
  ASSERT_EQ(one.status.code, 0) << one.err;
  const proc::Output three = tool_.run(sweep("three.db", {"--device", "host", "--device", "host", "--device", "host"}));
  ASSERT_EQ(three.status.code, 0) << three.err;
  EXPECT_EQ(verdicts("three.db"), verdicts("one.db"));
  EXPECT_EQ(count("three.db", "results"), "9");
  EXPECT_EQ(count("three.db", "runs WHERE outcome = 'done'"), "3");
  EXPECT_NE(three.err.find("  [1/9] "), std::string::npos) << three.err;
  EXPECT_NE(three.err.find("device   host#3  "), std::string::npos) << three.err;
  EXPECT_EQ(one.err.find("host#"), std::string::npos);
  const proc::Output again = tool_.run(sweep("three.db", {"--device", "host", "--device", "host"}));
  EXPECT_NE(again.err.find("0 problems (9 finished before"), std::string::npos) << again.err;
}

TEST_F(SeveralWorkers, WhatCannotBeStartedIsLeftOut) {
  const proc::Output output =
      tool_.run(sweep("a.db", {"--device", "host", "--launcher", "env", "--launcher", "false", "--json"}));
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_NE(output.err.find("warning: host#2: left out: the worker ended at its start (exit 1)"), std::string::npos)
      << output.err;
  EXPECT_NE(output.out.find("\"device\": \"host#1\""), std::string::npos);
  EXPECT_EQ(count("a.db", "results"), "9");
  const proc::Output none =
      tool_.run(sweep("b.db", {"--device", "host", "--launcher", "false", "--launcher", "false"}));
  EXPECT_EQ(none.status.code, 1) << none.err;
  EXPECT_NE(none.err.find("error: the worker ended at its start"), std::string::npos) << none.err;
  EXPECT_NE(none.err.find("hint: run that command by hand"), std::string::npos) << none.err;
}

TEST_F(SeveralWorkers, ALauncherThatNeverAnswersIsEndedAfterItsDeadline) {
  const auto begun = proc::Clock::now();
  const proc::Output output = tool_.run(
      sweep("a.db", {"--device", "host", "--launcher", "sh -c 'echo queued; sleep 600' {}", "--wait", "1s"}), {mark()});
  EXPECT_LT(proc::Clock::now() - begun, std::chrono::seconds(20));
  EXPECT_EQ(output.status.code, 1) << output.err;
  EXPECT_NE(output.err.find("error: the worker did not start within 1 s; its output: \"queued\""), std::string::npos)
      << output.err;
  EXPECT_NE(output.err.find("\n  at sh -c echo queued; sleep 600 "), std::string::npos) << output.err;
  EXPECT_NE(
      output.err.find("\n  hint: run that command by hand; where it queues for a node, --wait 30min waits longer"),
      std::string::npos)
      << output.err;
  EXPECT_TRUE(still_running(mark()).empty());
}

// The program may lie elsewhere on the other machine.
TEST_F(SeveralWorkers, AWorkerMayBeAnotherFile) {
  std::filesystem::create_symlink(TUNER_PROGRAM, tool_.path("elsewhere"));
  const Words words = sweep("a.db", {"--device", "host", "--worker", tool_.path("elsewhere"), "--launcher",
                                     "sh -c 'echo \"$1\" >>asked; exec \"$@\"' sh"});
  EXPECT_EQ(tool_.run(words).status.code, 0);
  EXPECT_EQ(contents(tool_.path("asked")).find(tool_.path("elsewhere") + "\n"), 0u);
}

// A node that goes down in the middle: its worker ends, and none starts there any more.
TEST_F(SeveralWorkers, WhatALostNodeWasAtGoesToAnother) {
  std::ofstream(tool_.path("node.sh")) << "[ -e \"$1.gone\" ] && exit 1\nshift\nsleep 0.3\nexec \"$@\"\n";
  const std::string node = "NODE=" + tool_.path("n2");
  const Words words = sweep(
      "a.db", {"--device", "host", "--launcher", "env", "--launcher", "env " + node + " sh node.sh n2", "--jobs", "1"});
  proc::Child child = begin(words);
  wait_for("a.db", "trials WHERE run = 2", 3);
  std::ofstream(tool_.path("n2.gone")) << "\n";
  for (const int each : marked(node)) ::kill(each, SIGKILL);
  const Ended ended = end(child);
  EXPECT_EQ(ended.status.code, 0) << ended.err;
  EXPECT_NE(ended.err.find("host#2: left out: "), std::string::npos) << ended.err;
  EXPECT_EQ(count("a.db", "results"), "9");
  EXPECT_EQ(count("a.db", "runs WHERE outcome = 'failed'"), "1");
  EXPECT_EQ(count("a.db", "results r JOIN trials t ON t.problem = r.problem AND t.run > r.run"), "0")
      << "what the lost one left is an older run's";
  tool_.run(sweep("one.db", {"--device", "host"}));
  EXPECT_EQ(verdicts("a.db"), verdicts("one.db")) << ended.err;
  EXPECT_TRUE(still_running(mark()).empty());
}

TEST_F(SeveralWorkers, WhereNobodyIsLeftTheSweepSaysWhatIsUndone) {
  std::ofstream(tool_.path("node.sh")) << "[ -e all.gone ] && exit 1\nexec \"$@\"\n";
  const std::string node = "NODE=" + tool_.path("all");
  const Words words =
      sweep("a.db", {"--device", "host", "--device", "host", "--launcher", "env " + node + " sh node.sh"});
  proc::Child child = begin(words);
  wait_for_results("a.db", 1);
  std::ofstream(tool_.path("all.gone")) << "\n";
  for (const int each : marked(node)) ::kill(each, SIGKILL);
  const Ended ended = end(child);
  EXPECT_EQ(ended.status.code, 1) << ended.err;
  EXPECT_NE(ended.err.find("not tuned, since no GPU is left for"), std::string::npos) << ended.err;
  std::filesystem::remove(tool_.path("all.gone"));
  const proc::Output rest = tool_.run(words);
  EXPECT_EQ(rest.status.code, 0) << rest.err;
  tool_.run(sweep("one.db", {"--device", "host"}));
  EXPECT_EQ(verdicts("a.db"), verdicts("one.db"));
}

TEST_F(SeveralWorkers, AnInterruptEndsAllOfThem) {
  proc::Child child = begin(sweep("a.db", {"--device", "host", "--device", "host"}));
  wait_for_results("a.db", 1);
  ::kill(child.pid(), SIGINT);
  const auto begun = proc::Clock::now();
  const Ended ended = end(child);
  EXPECT_EQ(ended.status.code, 130) << ended.err;
  EXPECT_LT(proc::Clock::now() - begun, std::chrono::seconds(5));
  EXPECT_EQ(count("a.db", "runs WHERE outcome = 'interrupted'"), "2") << ended.err;
  EXPECT_EQ(count("a.db", "trials WHERE status = 'started'"), "0");
  EXPECT_TRUE(still_running(mark()).empty());
  ASSERT_EQ(tool_.run(sweep("a.db", {"--device", "host", "--device", "host"})).status.code, 0);
  tool_.run(sweep("one.db", {"--device", "host"}));
  EXPECT_EQ(verdicts("a.db"), verdicts("one.db"));
}

TEST_F(SeveralWorkers, TheTimeIsThatOfTheSweep) {
  const proc::Output output = tool_.run(sweep("a.db", {"--device", "host", "--device", "host", "--max-time", "1s"}));
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_EQ(count("a.db", "runs WHERE outcome = 'done'"), "2");
}

// One of them is busy and left out, two are of another model each: both have the whole plan. Times are the fake's.
TEST_F(SeveralWorkers, EveryModelHasTheWholePlan) {
  if (tool_.run({"doctor"}).out.find("  taken") == std::string::npos) GTEST_SKIP() << "needs NVRTC";
  std::ofstream(tool_.path("two.cu")) << "template <int N> __global__ void two(const float* a, float* y, int n) {\n"
                                         "  if (threadIdx.x < n) y[threadIdx.x] = a[threadIdx.x] + N;\n}\n";
  std::ofstream(tool_.path("two.yaml"))
      << "tuner: 1\nkernel: two\nfamily: two\ndtype: f32\nsource: two.cu\nentry: two\ndims: [N]\n"
         "params: {block_size: [64, 128]}\ndefault: [{block_size: 64}]\nargs:\n"
         "  - {name: a, type: f32, size: N, role: weight, fill: \"uniform(-1, 1)\"}\n"
         "  - {name: y, type: f32, size: N, role: output}\n  - {name: n, type: i32, value: N}\n"
         "steps: [{launch: two, template: [block_size], grid: [1], block: [block_size]}]\n"
         "traffic: {read: 4 * N, write: 4 * N}\nreference: none\n";
  const auto gpu = [](const std::string& words) {
    return "env 'TUNER_FAKE_GPU=" + words + " limits=h200 sms=100 memory=268435456 free=268435456 slow=128:1.03'";
  };
  const std::string fakes = std::string("TUNER_LIBNVML=") + TUNER_FAKE_CUDA;
  const proc::Output output = tool_.run({"sweep",        "--kernel",
                                         "two",          "--shape",
                                         "64",           "--shape",
                                         "32",           "--kernels",
                                         tool_.path(""), "--db",
                                         "a.db",         "--device",
                                         "cuda:0",       "--device",
                                         "cuda:1",       "--device",
                                         "cuda:2",                                                                    //
                                         "--launcher",   gpu("name=H200 arch=90 computes=4242:python3:12884901888"),  //
                                         "--launcher",   gpu("gpus=2 name=H200 arch=90"),
                                         "--launcher",   gpu("gpus=3 name=H100 arch=90")},
                                        {"TUNER_LIBCUDA=" TUNER_FAKE_CUDA, fakes, "TUNER_LOCK_DIR=" + tool_.path("")});
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_NE(output.err.find("cuda:0: left out: the GPU is busy (python3, pid 4242, 12.0 GiB)"), std::string::npos)
      << output.err;
  const std::vector<Words> winners =
      query(tool_.path("a.db"),
            "SELECT g.name, p.shape, t.params FROM results r JOIN trials t ON t.id = r.winner JOIN problems p ON"
            " p.id = r.problem JOIN runs u ON u.id = r.run JOIN gpus g ON g.id = u.gpu ORDER BY 1, 2");
  ASSERT_EQ(winners.size(), 4u) << output.err;
  for (std::size_t i = 0; i < winners.size(); ++i)
    EXPECT_EQ(winners[i], (Words{i < 2 ? "H100" : "H200", i % 2 == 0 ? "32" : "64", winners[0][2]}));
  EXPECT_NE(winners[0][2].find("64"), std::string::npos) << "it is the faster one: " << winners[0][2];
}

// Every GPU that the driver shows, each found by its UUID: the processes on the first are none of the second's.
TEST_F(SeveralWorkers, AllMeansEveryGpuThatTheDriverShows) {
  const proc::Output output =
      tool_.run(sweep("a.db", {"--device", "all"}),
                {"TUNER_LIBCUDA=" TUNER_FAKE_CUDA, std::string("TUNER_LIBNVML=") + TUNER_FAKE_CUDA,
                 "TUNER_NVRTC=/nonexistent", "TUNER_LOCK_DIR=" + tool_.path(""),
                 "TUNER_FAKE_GPU=gpus=2 name=H200 arch=90 computes=4242:python3:12884901888"});
  EXPECT_EQ(output.status.code, 1) << output.err;
  EXPECT_NE(output.err.find("cuda:0: left out: the GPU is busy"), std::string::npos) << output.err;
  EXPECT_EQ(output.err.find("cuda:1: left out: the GPU is busy"), std::string::npos) << output.err;
  EXPECT_NE(output.err.find("cuda:1: left out: "), std::string::npos) << "it has no NVRTC\n" << output.err;
}

}  // namespace
}  // namespace tuner
