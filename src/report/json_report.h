// A sweep as one JSON document, written when it ends.
#pragma once

#include <memory>
#include <ostream>

#include "tune/events.h"

namespace tuner::report {

class JsonReport : public tune::Observer {
 public:
  explicit JsonReport(std::ostream& out);
  ~JsonReport() override;

  void on_device(const tune::DeviceEvent& event) override;
  void on_plan(const tune::PlanEvent& event) override;
  void on_problem_done(const tune::ProblemDone& done) override;
  void on_warning(const std::string& warning) override;
  void on_done(const tune::SweepDone& done) override;

 private:
  struct Document;
  std::ostream& out_;
  std::unique_ptr<Document> document_;
};

// Tells several observers, in order.
class Fan : public tune::Observer {
 public:
  explicit Fan(std::vector<tune::Observer*> observers) : observers_(std::move(observers)) {}
  void on_device(const tune::DeviceEvent& event) override;
  void on_wait(const tune::WaitEvent& event) override;
  void on_plan(const tune::PlanEvent& event) override;
  void on_problem(const tune::ProblemEvent& event) override;
  void on_progress(const tune::ProgressEvent& event) override;
  void on_problem_done(const tune::ProblemDone& done) override;
  void on_warning(const std::string& warning) override;
  void on_done(const tune::SweepDone& done) override;

 private:
  std::vector<tune::Observer*> observers_;
};

}  // namespace tuner::report
