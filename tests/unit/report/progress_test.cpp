#include "report/progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace tuner::report {
namespace {

using namespace std::chrono_literals;

class ProgressTest : public testing::Test {
 protected:
  Progress make(bool terminal, bool quiet = false) {
    Style style;
    style.terminal = terminal;
    style.width = 80;
    Progress progress(out_, style, quiet, [this] { return now_; });
    tune::ProblemEvent problem;
    problem.problem.kernel = "gemv_f16";
    problem.problem.dims = {4096, 14336};
    problem.index = 1;
    problem.of = 2;
    progress.begin(problem);
    return progress;
  }
  tune::ProgressEvent at(std::int64_t done, double best_us) {
    tune::ProgressEvent event;
    event.phase = tune::Phase::race;
    event.done = done;
    event.of = 20;
    event.best_us = best_us;
    return event;
  }

  std::ostringstream out_;
  Progress::Clock::time_point now_{};
};

TEST_F(ProgressTest, ATerminalsLineIsRewrittenFiveTimesASecondAtMost) {
  Progress progress = make(true);
  for (int i = 0; i < 1000; ++i) {
    progress.update(at(i % 20, 30));
    now_ += 1ms;
  }
  const std::string text = out_.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 5);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  progress.clear();
  EXPECT_EQ(out_.str().substr(out_.str().size() - 5), "\r\033[2K");
}

// Of several devices each has its head, and on a terminal one is shown for a second at least.
TEST_F(ProgressTest, SeveralDevicesTakeTurns) {
  Progress progress = make(true);
  for (const char* device : {"cuda:0", "cuda:1"}) {
    tune::ProblemEvent problem;
    problem.problem.kernel = "gemv_f16";
    problem.problem.dims = {64, 64};
    problem.index = device[5] - '0' + 1;
    problem.of = 2;
    problem.device = device;
    progress.begin(problem);
  }
  for (int i = 0; i < 40; ++i) {
    tune::ProgressEvent event = at(i % 20, 30);
    event.device = i % 2 == 0 ? "cuda:0" : "cuda:1";
    progress.update(event);
    now_ += 100ms;
  }
  const std::string text = out_.str();
  EXPECT_NE(text.find("cuda:0 [1/2] gemv_f16 64x64  timing"), std::string::npos) << text;
  EXPECT_NE(text.find("cuda:1 [2/2] gemv_f16 64x64  timing"), std::string::npos) << text;
  int changes = 0;
  for (std::size_t a = text.find("cuda:"), b; (b = text.find("cuda:", a + 1)) != std::string::npos; a = b)
    changes += text[a + 5] != text[b + 5] ? 1 : 0;
  EXPECT_GE(changes, 1);
  EXPECT_LE(changes, 4) << text;
}

TEST_F(ProgressTest, CompilesAloneHaveALineEveryHalfMinute) {
  Progress progress = make(false);
  progress.begin("sm_75");
  tune::ProgressEvent event;
  event.phase = tune::Phase::compile;
  event.of = 20;
  for (event.done = 1; event.done <= 10; ++event.done) {
    now_ += 6s;
    progress.update(event);
  }
  EXPECT_EQ(out_.str(), "sm_75  compiling 5/20  1 min 30 s left\nsm_75  compiling 10/20  1 min 0 s left\n");
}

TEST_F(ProgressTest, ElsewhereALineAtANewBestAndEveryHalfMinute) {
  Progress progress = make(false);
  progress.update(at(1, 0));  // neither
  EXPECT_EQ(out_.str(), "");
  progress.update(at(1, 30));
  EXPECT_EQ(out_.str(), "[1/2] gemv_f16 4096x14336  timing 1/20  best 30.00 µs\n");
  progress.update(at(2, 29.9));  // not clearly better
  progress.update(at(3, 28));
  now_ += 29s;
  progress.update(at(4, 28));
  now_ += 1s;
  progress.update(at(5, 28));
  const std::string text = out_.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST_F(ProgressTest, QuietIsQuiet) {
  Progress progress = make(true, true);
  progress.update(at(1, 30));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(ProgressTest, ALongLineIsClippedToTheTerminal) {
  Style style;
  style.terminal = true;
  style.width = 20;
  Progress progress(out_, style, false, [this] { return now_; });
  progress.update(at(1, 30));
  EXPECT_EQ(display_width(out_.str().substr(5)), 19U) << out_.str();
}

}  // namespace
}  // namespace tuner::report
