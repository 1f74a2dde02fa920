#include "tune/several.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "core/error.h"
#include "spec/resolve.h"
#include "tune/anchors.h"
#include "tune/builder.h"
#include "tune/device_seconds.h"
#include "tune/named_observer.h"
#include "tune/schedule.h"
#include "tune/turns.h"
#include "worker/client.h"

namespace tuner::tune {
namespace {

// What the devices of one model have in common.
struct Model {
  Agenda agenda;
  std::unique_ptr<Schedule> schedule;
  int devices = 0;    // that are at it
  bool told = false;  // its plan
};

std::unique_ptr<Schedule> schedule_of(const Agenda& agenda, const GpuFacts& gpu, bool emulated) {
  std::vector<Schedule::Task> tasks;
  for (const Todo& todo : agenda.todo) {
    const spec::PlannedProblem& planned = todo.planned;
    Schedule::Task task;
    const std::int64_t candidates = todo.searching ? todo.searching->trials : most_asked_for(planned, gpu);
    task.seconds = device_seconds(spec::workload_of(*planned.kernel, planned.problem, gpu), candidates, gpu, emulated);
    for (std::size_t i = 0; i < tasks.size(); ++i)
      if (std::find(planned.anchors.begin(), planned.anchors.end(), agenda.todo[i].planned.problem) !=
          planned.anchors.end())
        task.after.push_back(i);
    tasks.push_back(std::move(task));
  }
  return std::make_unique<Schedule>(std::move(tasks));
}

// All models of a sweep.
class Models {
 public:
  explicit Models(bool emulated) : emulated_(emulated) {}

  // With one device more.
  Model* join(const GpuFacts& gpu, const std::function<Agenda()>& find) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Model>& model = models_[store::gpu_key(gpu)];
    if (!model) {
      auto fresh = std::make_unique<Model>();
      fresh->agenda = find();
      fresh->schedule = schedule_of(fresh->agenda, gpu, emulated_);
      model = std::move(fresh);
    }
    ++model->devices;
    return model.get();
  }
  bool tell(Model& model) {
    const std::lock_guard lock(mutex_);
    return !std::exchange(model.told, true);
  }
  // Whether nobody is left at it.
  bool leave(Model& model) {
    const std::lock_guard lock(mutex_);
    return --model.devices == 0;
  }
  int devices(const Model& model) const {
    const std::lock_guard lock(mutex_);
    return model.devices;
  }
  std::size_t undone() const {
    const std::lock_guard lock(mutex_);
    std::size_t undone = 0;
    for (const auto& [key, model] : models_) undone += model ? model->schedule->undone() : 0;
    return undone;
  }

 private:
  bool emulated_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Model>> models_;  // by gpu_key
};

// One device among those of its model.
class Seat : public Turns {
 public:
  explicit Seat(Models& models) : models_(models) {}

  // Whether its device is one that the plan is for.
  bool is_asked() const { return asked_; }
  bool is_open() const { return model_ != nullptr; }

  Agenda& open(const GpuFacts& gpu, const std::function<Agenda()>& find) override {
    asked_ = true;
    model_ = models_.join(gpu, find);
    return model_->agenda;
  }
  bool speaks() override { return models_.tell(*model_); }
  std::optional<Turn> next(const std::function<bool()>& stop) override {
    Schedule& schedule = *model_->schedule;
    const double left = static_cast<double>(schedule.undone());
    at_ = schedule.take(stop);
    if (!at_) return {};
    const double of_time = std::min(1.0, models_.devices(*model_) / std::max(left, 1.0));
    return Turn{*at_, static_cast<int>(schedule.taken()), schedule.was_tried(*at_), of_time};
  }
  void done(const Turn& turn) override {
    model_->schedule->done(turn.problem);
    at_.reset();
  }
  std::optional<std::size_t> ahead() const override { return model_->schedule->ahead(); }
  bool leave() override {
    left_ = true;
    return models_.leave(*model_);
  }
  // The device is lost.
  void give_up() {
    if (!is_open()) return;
    if (at_) model_->schedule->give_back(*at_);
    if (!left_) leave();
  }

 private:
  Models& models_;
  Model* model_ = nullptr;
  bool asked_ = false, left_ = false;
  std::optional<std::size_t> at_;
};

std::string text_of(const Error& failure) {
  return failure.where().empty() ? failure.what() : failure.what() + std::string(" (") + failure.where() + ")";
}

class Several {
 public:
  Several(const std::vector<Place>& places, const spec::SweepPlan& plan, const SweepOptions& options,
          compile::Cache& cache, store::Store& store, Observer& observer);
  SweepDone run();

 private:
  void work(const Place& place);
  void sweep_at(const Place& place, NamedObserver& observer, Seat& seat);
  void leave_out(NamedObserver& told, Seat& seat, const std::string& why);
  void fail();  // of the present exception: the sweep ends
  void add(const SweepDone& part);
  void throw_failure(const SweepDone& done) const;
  bool is_to_stop() const { return ends_ || (options_.stop && options_.stop()); }

  const std::vector<Place>& places_;
  const spec::SweepPlan& plan_;
  SweepOptions options_;
  compile::Cache& cache_;
  store::Store& store_;
  Observer& observer_;
  Models models_;
  std::atomic<bool> ends_{false};
  std::mutex telling_, asking_;  // of observers; of what is known to be good elsewhere
  std::mutex mutex_;             // of what follows
  SweepDone done_;
  int opened_ = 0;
  std::exception_ptr failure_;  // that ends the sweep
  std::exception_ptr first_lost_;
  std::string first_lost_text_;
};

Several::Several(const std::vector<Place>& places, const spec::SweepPlan& plan, const SweepOptions& options,
                 compile::Cache& cache, store::Store& store, Observer& observer)
    : places_(places),
      plan_(plan),
      options_(options),
      cache_(cache),
      store_(store),
      observer_(observer),
      models_(places.front().device == "host") {
  options_.builds = std::make_shared<Builds>();
  options_.stop = [this, stop = options.stop] { return ends_ || (stop && stop()); };
  if (options.known_of)
    options_.known_of = [this, known_of = options.known_of](auto&&... question) {
      const std::lock_guard lock(asking_);
      return known_of(question...);
    };
}

// A device's worker is started and ended by its thread alone, and goes with it (proc/spawn.h).
void Several::sweep_at(const Place& place, NamedObserver& observer, Seat& seat) {
  SweepOptions options = options_;
  options.device = place.device;
  options.launcher = place.launcher;
  store::Store store = store::Store::open(store_.path(), store::Store::Mode::read_write);
  SweepDone part;
  try {
    sweep_on_device(plan_, options, cache_, store, observer, seat, part);
  } catch (...) {
    add(part);
    throw;
  }
  add(part);
}

void Several::work(const Place& place) {
  NamedObserver observer(telling_, observer_, place.name);
  Seat seat(models_);
  try {
    sweep_at(place, observer, seat);
  } catch (const Interrupted&) {
    seat.give_up();
  } catch (const MachineError& lost) {
    leave_out(observer, seat, text_of(lost));
  } catch (const worker::WorkerLost& lost) {
    leave_out(observer, seat, lost.what());
  } catch (const UserError& refused) {
    if (seat.is_asked())
      fail();
    else
      leave_out(observer, seat, text_of(refused));
  } catch (...) {
    fail();
  }
  const std::lock_guard lock(mutex_);
  opened_ += seat.is_open() ? 1 : 0;
}

void Several::leave_out(NamedObserver& told, Seat& seat, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!first_lost_) {
      first_lost_ = std::current_exception();
      first_lost_text_ = why;
    }
  }
  told.on_warning("left out: " + why);
  seat.give_up();
}

void Several::fail() {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::current_exception();
  ends_ = true;
}

void Several::add(const SweepDone& part) {
  const std::lock_guard lock(mutex_);
  done_.problems += part.problems;
  done_.without_winner += part.without_winner;
  done_.trials += part.trials;
  done_.runs.insert(done_.runs.end(), part.runs.begin(), part.runs.end());
  for (const auto& [work, seconds] : part.spent) {
    const auto known = std::find_if(done_.spent.begin(), done_.spent.end(),
                                    [&, &name = work](const auto& each) { return each.first == name; });
    if (known == done_.spent.end())
      done_.spent.emplace_back(work, seconds);
    else
      known->second += seconds;
  }
}

void Several::throw_failure(const SweepDone& done) const {
  const std::size_t undone = models_.undone();
  const bool late = plan_.time_budget_s > 0 && done.seconds > plan_.time_budget_s;
  if (undone == 0 || !first_lost_ || done.interrupted || late) return;
  throw MachineError(fmt::format("{} not tuned, since no GPU is left for {}: {}",
                                 undone == 1 ? "1 problem was" : fmt::format("{} problems were", undone),
                                 undone == 1 ? "it" : "them", first_lost_text_),
                     store_.path(), "the same command goes on with what is left");
}

SweepDone Several::run() {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (const Place& place : places_) threads.emplace_back([this, &place] { work(place); });
  for (std::thread& thread : threads) thread.join();
  options_.builds.reset();  // its thread asks this object whether to stop
  if (failure_) std::rethrow_exception(failure_);
  done_.interrupted = options_.stop();
  if (opened_ == 0 && done_.interrupted) throw Interrupted();
  if (opened_ == 0 && first_lost_) std::rethrow_exception(first_lost_);
  done_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::sort(done_.runs.begin(), done_.runs.end());
  observer_.on_done(done_);
  throw_failure(done_);
  return done_;
}

}  // namespace

SweepDone sweep_on_several(const std::vector<Place>& places, const spec::SweepPlan& plan, const SweepOptions& options,
                           compile::Cache& cache, store::Store& store, Observer& observer) {
  return Several(places, plan, options, cache, store, observer).run();
}

}  // namespace tuner::tune
