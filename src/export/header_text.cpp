#include "export/header_text.h"

namespace tuner::exporting {

const std::string_view header_top =
    R"text(// Tuned kernel configurations, written by `tuner export --format header`. Do not edit: export again.
//
//   constexpr long long shape[] = {4096, 14336};
//   constexpr auto best = tuner_export::find("NVIDIA H200", "gemv_f16", shape);
//   // best.match says how good the answer is; best.get("block_size"), best.steps[0].grid.x, ...
//
// C++17. Needs no other header; usable from host code, nvcc and NVRTC.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define TUNER_EXPORT_HD __host__ __device__
#else
#define TUNER_EXPORT_HD
#endif
)text";

const std::string_view header_types = R"text(
  // How an answer was found, best first; `none`: the kernel, its number of dimensions or a fact is unknown here, or
  // nothing is legal.
  enum class Match { none, pinned, exact, near_shape, near_gpu, by_default };

  struct Gpu {
    const char* name = nullptr;  // null: unknown
    long long arch = 0;          // 75, 90
    long long sm_count = 0;      // 0: unknown
    long long memory_gib = 0;    // rounded
    const char* mig_profile = "";
    long long warp_size = 32;
    long long shared_max = 0;  // bytes a block may opt in to
    long long bandwidth = 0;   // memory bus bits x memory clock in kHz; 0: unknown
  };

  // A fact of a problem: a number, or a word such as f32 (then `number` is not looked at).
  struct Fact {
    const char* name;
    long long number = 0;
    const char* word = nullptr;
  };

  struct Dim3 {
    long long x = 1, y = 1, z = 1;
  };

  // A parameter of the configuration, or a template argument; `word` is null for a number.
  struct Param {
    const char* name = nullptr;
    const char* word = nullptr;
    long long number = 0;
  };

  // A launch of `entry`, or with `entry` null a memset of the argument `buffer` to `byte`.
  struct Step {
    const char* entry = nullptr;
    const char* buffer = nullptr;
    int byte = 0;
    Dim3 grid;
    Dim3 block;
    long long shared_bytes = 0;  // dynamic
    Dim3 cluster;                // in blocks; 1, 1, 1: none
    bool cooperative = false;
    int template_count = 0;
    Param template_arguments[max_template_arguments];  // words as C++ writes them
    const char* arguments = "";  // their names in order, separated by commas; empty: all of the manifest's
    // Run so often, in order; steps of one group (not 0) repeat together. Scalars may depend on the turn.
    long long repeat = 1;
    int group = 0;
  };

  TUNER_EXPORT_HD constexpr Param template_argument(bool value) {
    return Param{nullptr, value ? "true" : "false", value ? 1 : 0};
  }
  TUNER_EXPORT_HD constexpr Param template_argument(long long value) { return Param{nullptr, nullptr, value}; }

  TUNER_EXPORT_HD constexpr bool same_text(const char* a, const char* b) {
    while (*a != 0 && *a == *b) ++a, ++b;
    return *a == *b;
  }

  TUNER_EXPORT_HD constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

  TUNER_EXPORT_HD constexpr bool contains_blind(const char* text, const char* part) {
    for (;; ++text) {
      int i = 0;
      while (part[i] != 0 && lower(text[i]) == lower(part[i])) ++i;
      if (part[i] == 0) return true;
      if (*text == 0) return false;
    }
  }

  TUNER_EXPORT_HD constexpr bool same_blind(const char* a, const char* b) {
    while (*a != 0 && lower(*a) == lower(*b)) ++a, ++b;
    return *a == *b;
  }

  struct Choice {
    Match match = Match::none;
    const char* kernel = "";
    const char* regime = "";     // how what is answered is launched: that of the question, or plain where it has none
    const char* layer = "";      // whose row or pin answered: user, project, site, shipped
    const char* tuned_gpu = "";  // of that row
    long long tuned_dims[max_dims] = {};
    long long shape_distance = 0;  // sum of squared differences of log2, in steps of 1/256
    long long gpu_distance = 0;
    double expected_loss = -1;  // as a share of the best time; -1: unknown
    int param_count = 0;
    Param params[max_params];
    int step_count = 0;
    Step steps[max_steps];

    TUNER_EXPORT_HD constexpr explicit operator bool() const { return match != Match::none; }
    TUNER_EXPORT_HD constexpr long long get(const char* name, long long otherwise = 0) const {
      for (int i = 0; i < param_count; ++i)
        if (same_text(params[i].name, name)) return params[i].number;
      return otherwise;
    }
    TUNER_EXPORT_HD constexpr const char* word(const char* name, const char* otherwise = "") const {
      for (int i = 0; i < param_count; ++i)
        if (same_text(params[i].name, name) && params[i].word != nullptr) return params[i].word;
      return otherwise;
    }
  };

  // log2(n) in steps of 1/256, rounded down; n >= 1. The mantissa is squared eight times in Q31, each time giving a
  // bit.
  TUNER_EXPORT_HD constexpr long long log2_steps(long long n) {
    long long whole = 0;
    for (unsigned long long rest = static_cast<unsigned long long>(n); rest > 1; rest >>= 1) ++whole;
    unsigned long long mantissa = whole >= 31 ? static_cast<unsigned long long>(n) >> (whole - 31)
                                              : static_cast<unsigned long long>(n) << (31 - whole);
    long long steps = whole;
    for (int bit = 0; bit < 8; ++bit) {
      mantissa = (mantissa * mantissa) >> 31;
      steps *= 2;
      if ((mantissa >> 32) != 0) {
        mantissa >>= 1;
        ++steps;
      }
    }
    return steps;
  }

  TUNER_EXPORT_HD constexpr long long squared_log2_difference(long long a, long long b) {
    return (log2_steps(a) - log2_steps(b)) * (log2_steps(a) - log2_steps(b));
  }

  TUNER_EXPORT_HD constexpr bool within_factor_8(long long a, long long b) {
    const long long large = a < b ? b : a;
    const long long small = a < b ? a : b;
    return large / 8 < small || (large / 8 == small && large % 8 == 0);
  }

  TUNER_EXPORT_HD constexpr long long gpu_distance(const Gpu& a, const Gpu& b) {
    long long sum = 0;
    if (a.sm_count > 0 && b.sm_count > 0) sum += squared_log2_difference(a.sm_count, b.sm_count);
    if (a.bandwidth > 0 && b.bandwidth > 0) sum += squared_log2_difference(a.bandwidth, b.bandwidth);
    return sum;
  }

  TUNER_EXPORT_HD constexpr bool same_model(const Gpu& a, const Gpu& b) {
    return same_text(a.name, b.name) && a.arch == b.arch && a.sm_count == b.sm_count && a.memory_gib == b.memory_gib &&
           same_text(a.mig_profile, b.mig_profile);
  }

  TUNER_EXPORT_HD constexpr const char* layer_name(int layer) {
    return layer == 0 ? "user" : layer == 1 ? "project" : layer == 2 ? "site" : "shipped";
  }
)text";

const std::string_view header_bottom = R"text(
  // Nothing is found for a name that the tables do not have, or have more than once: build a Gpu then. Where they have
  // none, only pins, every name is one of an sm_90 of unknown size.
  TUNER_EXPORT_HD constexpr Choice find(const char* gpu, const char* kernel, const long long* dims, int dim_count,
                                        const Fact* facts, int fact_count, const char* regime = "plain") {
    const Gpu known = known_gpu(gpu);
    if (known.name == nullptr && model_count == 0)
      return find(Gpu{gpu, 90, 0, 0, "", 32, 227 * 1024, 0}, kernel, dims, dim_count, facts, fact_count, regime);
    return known.name == nullptr ? Choice{} : find(known, kernel, dims, dim_count, facts, fact_count, regime);
  }

  template <class G, int D>
  TUNER_EXPORT_HD constexpr Choice find(const G& gpu, const char* kernel, const long long (&dims)[D],
                                        const char* regime = "plain") {
    return find(gpu, kernel, dims, D, nullptr, 0, regime);
  }

  template <class G, int D, int F>
  TUNER_EXPORT_HD constexpr Choice find(const G& gpu, const char* kernel, const long long (&dims)[D],
                                        const Fact (&facts)[F], const char* regime = "plain") {
    return find(gpu, kernel, dims, D, facts, F, regime);
  }

  }  // namespace tuner_export

#undef TUNER_EXPORT_HD
)text";

}  // namespace tuner::exporting
