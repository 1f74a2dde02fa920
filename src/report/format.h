// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/gpu.h"

namespace tuner::report {

// One unit and one number of decimals for a column of times, chosen by its shortest.
class TimeUnit {
 public:
  explicit TimeUnit(const std::vector<double>& times_us);
  std::string text(double us) const;  // "28.31 µs"; empty for 0

 private:
  double scale_ = 1;
  int decimals_ = 1;
  std::string unit_ = "µs";
};

std::string time_text(double us);                                                    // a time on its own
std::string percent(double share);                                                   // "91.2%"
std::string spread_text(double spread);                                              // "±0.3%"
std::string factor(double times);                                                    // "1.83x"
std::string rate(double gb_per_s);                                                   // "4181" (GB/s)
std::string duration(double seconds);                                                // "3 min 12 s"
std::string count(std::int64_t n, const std::string& one, const std::string& many);  // "1 problem", "3 problems"

// "NVIDIA H200 (sm_90, 132 SMs)".
std::string gpu_text(const GpuFacts& gpu);

// Of a compiler's version as it is stored ("13.0.88", "nvcc 13.0.88", or both): "NVRTC 13.0.88", "nvcc 13.0.88".
std::string compiler_text(const std::string& version);

}  // namespace tuner::report
