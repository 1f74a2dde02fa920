// Where the wall time of a sweep goes.
#pragma once

#include <array>
#include <chrono>
#include <string_view>

namespace tuner::tune {

enum class Work {
  other,    // start of workers, planning, the database
  compile,  // waiting for compilers
  probe,    // ceilings and size-matched probes
  verify,
  time,
};
inline constexpr std::size_t work_kinds = 5;
std::string_view to_text(Work work);  // "compiling"

// Each moment belongs to one kind of work, the innermost that is going on.
class TimeSpent {
 public:
  using Clock = std::chrono::steady_clock;

  // From here to the end of its scope.
  class Doing {
   public:
    Doing(TimeSpent& spent, Work work) : spent_(spent), before_(spent.switch_to(work)) {}
    ~Doing() { spent_.switch_to(before_); }
    Doing(const Doing&) = delete;
    Doing& operator=(const Doing&) = delete;

   private:
    TimeSpent& spent_;
    Work before_;
  };

  double seconds(Work work);

 private:
  Work switch_to(Work work);

  std::array<double, work_kinds> seconds_{};
  Work now_ = Work::other;
  Clock::time_point since_ = Clock::now();
};

}  // namespace tuner::tune
