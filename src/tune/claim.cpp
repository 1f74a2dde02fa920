#include "tune/claim.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "core/error.h"

namespace tuner::tune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int idle_percent = 5;

// Why the GPU cannot be had now.
struct Obstacle {
  std::string what;
  std::string where;
  std::string hint;
};

std::string process_text(const GpuProcess& process) {
  std::string text = process.name.empty() ? "another process (not visible from here)" : process.name;
  text += fmt::format(", pid {}", process.pid);
  if (process.memory_bytes > 0)
    text += fmt::format(", {:.1f} GiB", static_cast<double>(process.memory_bytes) / (1 << 30));
  return text;
}

class Claim {
 public:
  Claim(const GpuFacts& gpu, const std::function<GpuUsers()>& users, const ClaimOptions& options)
      : gpu_(gpu), users_(users), options_(options) {}

  std::optional<Obstacle> obstacle() {
    if (!locked_)
      if (auto other = other_sweep()) return other;
    locked_ = true;
    return options_.shared ? std::nullopt : busy();
  }

  void refuse_mps() const {
    if (options_.allow_mps || !users_().mps) return;
    throw MachineError("a Multi-Process Service (MPS) serves this GPU: a faulty candidate would end its clients' work",
                       gpu_.name, "stop it, or accept that with --allow-mps");
  }

  GpuLock take() { return std::move(lock_); }
  bool locked_somewhere() const { return lock_.held(); }

 private:
  std::optional<Obstacle> other_sweep() {
    const auto holder = lock_.take(gpu_.uuid, options_.lock_folders, options_.command);
    if (!holder) return std::nullopt;
    std::string who = "who holds it cannot be read";
    if (holder->pid > 0) who = fmt::format("pid {} of {}: {}", holder->pid, holder->user, holder->command);
    return Obstacle{"another sweep is on this GPU (" + who + ")", holder->path, "--wait 30min waits for its end"};
  }

  std::optional<Obstacle> busy() const {
    const GpuUsers now = users_();
    std::string who;
    if (!now.processes.empty()) {
      who = process_text(now.processes.front());
      if (now.processes.size() > 1) who += fmt::format("; and {} more", now.processes.size() - 1);
    } else if (const int percent = steady_work(now); percent > 0) {
      who = fmt::format("another process (not visible from here), {} % at work", percent);
    }
    if (who.empty()) return std::nullopt;
    return Obstacle{"the GPU is busy (" + who + ")", gpu_.name,
                    "--wait 30min waits until it is free; --shared runs all the same, and its rows answer only where "
                    "nothing better is known"};
  }

  // The least of several looks, 0 as soon as one finds it idle: what woke the GPU up was perhaps ourselves.
  int steady_work(GpuUsers now) const {
    int least = 100;
    for (int look = 1;; ++look) {
      least = std::min(least, now.utilization_percent);
      if (least <= idle_percent) return 0;
      if (look >= options_.working_looks) return least;
      std::this_thread::sleep_for(options_.between_working_looks);
      now = users_();
    }
  }

  const GpuFacts& gpu_;
  const std::function<GpuUsers()>& users_;
  const ClaimOptions& options_;
  GpuLock lock_;
  bool locked_ = false;
};

}  // namespace

GpuLock claim_gpu(const GpuFacts& gpu, const std::function<GpuUsers()>& users, const ClaimOptions& options,
                  Observer& observer) {
  Claim claim(gpu, users, options);
  claim.refuse_mps();
  const auto begin = Clock::now();
  const double limit_s = options.wait_s > 0 ? options.wait_s : std::chrono::duration<double>(options.grace).count();
  while (const auto obstacle = claim.obstacle()) {
    const double waited_s = std::chrono::duration<double>(Clock::now() - begin).count();
    if (waited_s >= limit_s) {
      const bool waited = options.wait_s > 0;
      throw MachineError(obstacle->what + (waited ? fmt::format(", still so after {:.0f} s", limit_s) : ""),
                         obstacle->where, obstacle->hint);
    }
    if (options.wait_s > 0) observer.on_wait({obstacle->what, waited_s, options.wait_s});
    const auto until = Clock::now() + options.between_looks;
    while (Clock::now() < until) {
      if (options.stop && options.stop()) throw Interrupted();
      std::this_thread::sleep_for(std::min(options.between_looks, std::chrono::milliseconds(100)));
    }
  }
  if (!claim.locked_somewhere())
    observer.on_warning("no place for the GPU's lock: another sweep on it would not be noticed (set TUNER_LOCK_DIR)");
  return claim.take();
}

}  // namespace tuner::tune
