// What one of several devices tells: with its name, one device at a time.
#pragma once

#include <mutex>
#include <string>

#include "tune/events.h"

namespace tuner::tune {

class NamedObserver : public Observer {
 public:
  // `mutex` is shared by all who tell `observer`.
  NamedObserver(std::mutex& mutex, Observer& observer, std::string name)
      : mutex_(mutex), observer_(observer), name_(std::move(name)) {}

  void on_device(const DeviceEvent& event) override {
    gpu_ = event.emulated ? std::string("the host device") : event.gpu.name;
    tell(event, &Observer::on_device);
  }
  void on_wait(const WaitEvent& event) override { tell(event, &Observer::on_wait); }
  void on_plan(const PlanEvent& event) override {
    PlanEvent named = event;
    named.gpu = gpu_;
    const std::lock_guard lock(mutex_);
    observer_.on_plan(named);
  }
  void on_problem(const ProblemEvent& event) override { tell(event, &Observer::on_problem); }
  void on_progress(const ProgressEvent& event) override { tell(event, &Observer::on_progress); }
  void on_problem_done(const ProblemDone& event) override { tell(event, &Observer::on_problem_done); }
  void on_warning(const std::string& warning) override {
    const std::lock_guard lock(mutex_);
    observer_.on_warning(name_ + ": " + warning);
  }

 private:
  template <class Event>
  void tell(const Event& event, void (Observer::*method)(const Event&)) {
    Event named = event;
    named.device = name_;
    const std::lock_guard lock(mutex_);
    (observer_.*method)(named);
  }

  std::mutex& mutex_;
  Observer& observer_;
  std::string name_;
  std::string gpu_;
};

}  // namespace tuner::tune
