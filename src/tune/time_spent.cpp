#include "tune/time_spent.h"

namespace tuner::tune {

std::string_view to_text(Work work) {
  switch (work) {
    case Work::compile:
      return "compiling";
    case Work::probe:
      return "probing";
    case Work::verify:
      return "verifying";
    case Work::time:
      return "timing";
    default:
      return "other";
  }
}

double TimeSpent::seconds(Work work) {
  switch_to(now_);
  return seconds_[static_cast<std::size_t>(work)];
}

Work TimeSpent::switch_to(Work work) {
  const Clock::time_point now = Clock::now();
  seconds_[static_cast<std::size_t>(now_)] += std::chrono::duration<double>(now - since_).count();
  since_ = now;
  const Work before = now_;
  now_ = work;
  return before;
}

}  // namespace tuner::tune
