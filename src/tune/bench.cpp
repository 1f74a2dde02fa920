#include "tune/bench.h"

#include "core/error.h"

namespace tuner::tune {

bool Bench::alive() const { return client_ && client_->alive(); }

void Bench::adopt(worker::Client fresh) {
  lost();
  client_ = std::move(fresh);
  try {
    client_->hello(support_);
    ++epoch_;
  } catch (const worker::WorkerLost&) {
    client();
  }
}

worker::Client& Bench::client() {
  if (!alive()) {
    lost();
    for (int lost_before = 0; !client_; ++lost_before) {
      try {
        client_ = worker::Client::start(options_);
        client_->hello(support_);
      } catch (const worker::WorkerLost& lost) {  // no candidate was in it
        client_.reset();
        if (lost_before >= (lost.by_others() ? worker::most_kills_by_others : 1)) throw;
      }
    }
    ++epoch_;
  }
  return *client_;
}

void Bench::lost() {
  client_.reset();
  workloads_here_.clear();
  modules_here_.clear();
  members_here_.clear();
}

void Bench::prepare() {
  if (options_.launched || next_.valid()) return;
  next_ = std::async(std::launch::async, [options = options_, support = support_] {
    worker::Client next = worker::Client::start(options);
    next.hello(support);
    return next;
  });
}

void Bench::renew(std::uint64_t generation) {
  if (alive()) client_->bye();
  lost();
  generation_ = generation;
  if (next_.valid()) {
    try {
      worker::Client next = next_.get();
      next.conditions();  // it may have been lost since
      client_ = std::move(next);
      ++epoch_;
      return;
    } catch (const worker::WorkerLost&) {
    } catch (const MachineError&) {  // there may be room for one alone
    }
  }
  client();
}

void Bench::set_workload(int id, const Workload& workload, bool timed, const std::optional<Artifact>& reference,
                         int ring) {
  drop_workload(id);
  workloads_[id] = {workload, timed, ring, reference};
}

void Bench::multiply_copies(int id, int times) {
  Loaded loaded = workloads_.at(id);
  loaded.ring *= times;
  drop_workload(id);
  workloads_[id] = std::move(loaded);
}

void Bench::drop_workload(int id) {
  if (workloads_here_.erase(id) > 0 && alive()) client_->unload_workload(id);
  workloads_.erase(id);
}

void Bench::drop_workloads() {
  while (!workloads_.empty()) drop_workload(workloads_.begin()->first);
}

void Bench::need_workload(int id) {
  auto& worker = client();
  if (workloads_here_.count(id)) return;
  const Loaded& loaded = workloads_.at(id);
  worker.load_workload(id, loaded.workload, loaded.timed, loaded.ring, loaded.reference, generation_);
  workloads_here_.insert(id);
}

void Bench::need_module(int id, const Artifact& artifact) {
  auto& worker = client();
  if (modules_here_.count(id)) return;
  worker.load_module(id, artifact);
  modules_here_.insert(id);
}

void Bench::drop_module(int id) {
  if (modules_here_.erase(id) > 0 && alive()) client_->unload_module(id);
}

void Bench::drop_modules(int limit) {
  while (!modules_here_.empty() && *modules_here_.begin() < limit) drop_module(*modules_here_.begin());
}

worker::Recorded Bench::load_member(const worker::Member& member) {
  const worker::Recorded recorded = client().load_member(member);
  if (recorded.problem.empty()) members_here_.insert(member.id);
  return recorded;
}

void Bench::drop_member(int id) {
  if (members_here_.erase(id) > 0 && alive()) client_->unload_member(id);
}

void Bench::drop_members(int limit) {
  while (!members_here_.empty() && *members_here_.begin() < limit) drop_member(*members_here_.begin());
}

}  // namespace tuner::tune
