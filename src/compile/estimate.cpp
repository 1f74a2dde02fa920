#include "compile/estimate.h"

#include "proc/pool.h"

namespace tuner::compile {
namespace {

// A GEMV and its process; the C++ compiler gets several configurations at once.
constexpr double nvrtc_s = 0.12;
constexpr double host_s = 0.15;

}  // namespace

double compile_seconds(std::int64_t compiles, int jobs, bool emulated) {
  const int at_once = jobs > 0 ? jobs : proc::usable_cpus();
  return static_cast<double>(compiles) * (emulated ? host_s : nvrtc_s) / at_once;
}

}  // namespace tuner::compile
