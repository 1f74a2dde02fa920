#include "report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tuner::report {

TimeUnit::TimeUnit(const std::vector<double>& times_us) {
  double shortest = 0;
  for (const double us : times_us)
    if (us > 0 && (shortest == 0 || us < shortest)) shortest = us;
  if (shortest >= 10000) {
    scale_ = 1e-3;
    unit_ = "ms";
  }
  decimals_ = shortest * scale_ < 100 ? 2 : 1;
}

std::string TimeUnit::text(double us) const {
  return us > 0 ? fmt::format("{:.{}f} {}", us * scale_, decimals_, unit_) : std::string();
}

std::string time_text(double us) { return TimeUnit({us}).text(us); }
std::string percent(double share) { return fmt::format("{:.1f}%", share * 100); }
std::string spread_text(double spread) { return fmt::format("±{:.1f}%", spread * 100); }
std::string factor(double times) { return fmt::format("{:.2f}x", times); }
std::string rate(double gb_per_s) { return fmt::format("{:.{}f}", gb_per_s, gb_per_s < 10 ? 1 : 0); }

std::string duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string count(std::int64_t n, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string compiler_text(const std::string& version) {
  return version.rfind("nvcc ", 0) == 0 ? version : "NVRTC " + version;
}

std::string gpu_text(const GpuFacts& gpu) {
  std::string text = gpu.name;
  if (gpu.arch > 0) {
    text += (gpu.name == "host" ? " (emulates " : " (") + arch_text(gpu.arch);
    if (gpu.sm_count > 0) text += fmt::format(", {} SMs", gpu.sm_count);
    text += ")";
  }
  return text;
}

}  // namespace tuner::report
