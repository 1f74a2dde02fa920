#include "tune/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <random>
#include <thread>

namespace tuner::tune {
namespace {

using Tasks = std::vector<Schedule::Task>;

Tasks lasting(const std::vector<double>& seconds) {
  Tasks tasks;
  for (const double each : seconds) tasks.push_back({each, {}});
  return tasks;
}

double sum(const Tasks& tasks) {
  return std::accumulate(tasks.begin(), tasks.end(), 0.0,
                         [](double seconds, const Schedule::Task& task) { return seconds + task.seconds; });
}

// When `devices` simulated ones are through. Estimates are off by up to `error`, and nothing begins before its anchors
// are done.
double simulated(const Tasks& tasks, int devices, double error = 0) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> factor(1 - error, 1 + error);
  std::vector<double> really, ended(tasks.size(), -1);
  for (const Schedule::Task& task : tasks) really.push_back(task.seconds * factor(random));
  Schedule schedule(tasks);
  using Busy = std::pair<double, std::size_t>;  // until when, and at what
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  double now = 0;
  int idle = devices;
  for (;;) {
    while (idle > 0) {
      const auto task = schedule.take_now();
      if (!task) break;
      for (const std::size_t before : tasks[*task].after)
        EXPECT_TRUE(ended[before] >= 0 && ended[before] <= now) << *task << " before " << before;
      busy.push({now + really[*task], *task});
      --idle;
    }
    if (busy.empty()) break;
    now = busy.top().first;
    ended[busy.top().second] = now;
    schedule.done(busy.top().second);
    busy.pop();
    ++idle;
  }
  EXPECT_EQ(schedule.undone(), 0u);
  return now;
}

// Of 24 problems between 12 s and 3 min, as a sweep of large and small shapes has them.
Tasks plan_of_24() {
  std::mt19937 random(1);
  std::lognormal_distribution<double> seconds(3.7, 0.6);
  std::vector<double> lengths;
  while (lengths.size() < 24) lengths.push_back(std::clamp(seconds(random), 12.0, 180.0));
  return lasting(lengths);
}

// Six kernels, each with an anchor that is searched in full and four shapes behind it.
Tasks plan_with_anchors() {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> full(60, 120), part(10, 50);
  Tasks tasks;
  for (int kernel = 0; kernel < 6; ++kernel) {
    const std::size_t anchor = tasks.size();
    tasks.push_back({full(random), {}});
    for (int shape = 0; shape < 4; ++shape) tasks.push_back({part(random), {anchor}});
  }
  return tasks;
}

TEST(Schedule, FourDevicesAreThreeAndAHalfTimesAsFastAsOne) {
  for (const double error : {0.0, 0.3}) {
    const Tasks plan = plan_of_24();
    EXPECT_GE(simulated(plan, 1, error) / simulated(plan, 4, error), 3.5) << "estimates off by " << error;
    const Tasks anchored = plan_with_anchors();
    EXPECT_GE(simulated(anchored, 1, error) / simulated(anchored, 4, error), 3.5) << "estimates off by " << error;
  }
  EXPECT_DOUBLE_EQ(simulated(plan_of_24(), 1), sum(plan_of_24()));
}

TEST(Schedule, TheLongestComesFirst) {
  Schedule schedule(lasting({1, 5, 3, 5}));
  for (const std::size_t expected : {1, 3, 2, 0}) EXPECT_EQ(schedule.take_now(), expected);
  EXPECT_EQ(schedule.taken(), 4u);
}

// A short anchor of much goes before a long problem that nobody waits for.
TEST(Schedule, WhatMostHangsOnComesFirst) {
  Schedule schedule({{10, {}}, {2, {}}, {9, {1}}, {9, {1}}});
  EXPECT_EQ(schedule.ahead(), 1u);
  EXPECT_EQ(schedule.take_now(), 1u);
  EXPECT_EQ(schedule.take_now(), 0u);
  EXPECT_FALSE(schedule.take_now()) << "both others wait for their anchor";
  schedule.done(1);
  EXPECT_EQ(schedule.take_now(), 2u);
  EXPECT_EQ(schedule.take_now(), 3u);
}

TEST(Schedule, WhatALostDeviceWasAtGoesToAnother) {
  Schedule schedule(lasting({5, 3}));
  EXPECT_EQ(schedule.take_now(), 0u);
  EXPECT_EQ(schedule.take_now(), 1u);
  schedule.done(1);
  schedule.give_back(0);
  EXPECT_EQ(schedule.take({}), 0u);
  EXPECT_TRUE(schedule.was_tried(0));
  EXPECT_FALSE(schedule.was_tried(1));
  schedule.done(0);
  EXPECT_FALSE(schedule.take({}));
  EXPECT_EQ(schedule.undone(), 0u);
}

TEST(Schedule, WhatTwoDevicesWereLostOverIsLeftWithAllThatWaitsForIt) {
  Schedule schedule({{5, {}}, {3, {0}}, {1, {1}}, {1, {}}});
  EXPECT_EQ(schedule.take_now(), 0u);
  schedule.give_back(0);
  EXPECT_EQ(schedule.take_now(), 0u);
  schedule.give_back(0);
  EXPECT_EQ(schedule.take({}), 3u);
  schedule.done(3);
  EXPECT_FALSE(schedule.take({}));
  EXPECT_EQ(schedule.undone(), 3u);
}

TEST(Schedule, AStopEndsTheWait) {
  Schedule schedule(lasting({5}));
  EXPECT_EQ(schedule.take({}), 0u);
  int asked = 0;
  EXPECT_FALSE(schedule.take([&] { return ++asked > 2; }));
  EXPECT_EQ(asked, 3);
}

// Real threads: each task once, none before its anchor, and an idle device waits for what another may give back.
TEST(Schedule, DevicesShareItByThreads) {
  const Tasks plan = plan_with_anchors();
  Schedule schedule(plan);
  std::mutex mutex;
  std::vector<int> times(plan.size());
  std::vector<bool> done(plan.size());
  bool lost = false;
  const auto device = [&](bool fails) {
    while (const auto task = schedule.take({})) {
      std::this_thread::sleep_for(std::chrono::microseconds(static_cast<int>(plan[*task].seconds * 50)));
      if (fails) {
        {
          const std::lock_guard lock(mutex);
          lost = true;
        }
        return schedule.give_back(*task);
      }
      {
        const std::lock_guard lock(mutex);
        ++times[*task];
        for (const std::size_t before : plan[*task].after) EXPECT_TRUE(done[before]);
        done[*task] = true;
      }
      schedule.done(*task);
    }
  };
  std::vector<std::thread> devices;
  for (const bool fails : {false, false, true, false}) devices.emplace_back(device, fails);
  for (std::thread& each : devices) each.join();
  EXPECT_TRUE(lost);
  EXPECT_EQ(times, std::vector<int>(plan.size(), 1));
  EXPECT_EQ(schedule.undone(), 0u);
}

}  // namespace
}  // namespace tuner::tune
