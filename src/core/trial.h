// What became of one configuration, and what one finished problem concluded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "core/execution.h"
#include "core/gpu.h"
#include "core/problem.h"

namespace tuner {

// Why a candidate was rejected, or what the device did to it. Closed; each has a name, a sentence and a hint.
enum class Reason {
  none,
  constraint,  // excluded by a `where` of the manifest
  compile_error,
  compile_timeout,
  compile_crash,
  registers,      // one block needs more registers than an SM has
  shared_memory,  // more than a block may have
  threads,        // more than a block may have
  grid,           // outside the launch limits
  launch_error,
  timeout,        // did not end within its deadline
  fault,          // illegal address, trap or crash while running
  out_of_bounds,  // touched a byte outside its buffers
  wrong_result,
  not_finite,  // NaN or Inf where the reference has none
  unwritten_output,
  input_changed,
  nondeterministic,   // three runs differ and the manifest says they must not
  missing_barrier,    // the result depends on the order in which threads run
  divergent_barrier,  // some threads of a block left or waited elsewhere
  implausible,        // faster than the probe allows, twice
  exact_only,         // right on its own shape, wrong on an awkward one
  worker_lost,        // the worker died and this candidate was alone in it
  spills,             // spills more than the manifest allows
};
std::string_view to_text(Reason reason);  // "wrong_result"
std::optional<Reason> reason_from_text(std::string_view text);
std::string_view title(Reason reason);  // "wrong result"
std::string_view hint(Reason reason);   // what a user can do; may be empty

enum class Status {
  started,     // in flight when the process ended: names the killer
  compiled,    // legal, not run (no GPU, or the sweep stopped)
  verified,    // right, not timed yet
  measured,    // right and timed to the end
  eliminated,  // right, and over three times slower than the leader after its first replay
  duplicate,   // same binary and launch as `duplicate_of`; its time stands for both
  rejected,    // see reason
};
std::string_view to_text(Status status);
std::optional<Status> status_from_text(std::string_view text);

// The outcome of running and checking one candidate.
struct Verdict {
  Reason reason = Reason::none;  // none: right
  std::string detail;            // first wrong element, the fault's address, the limit and what was needed
  double max_err_over_bound = 0;
  double max_rel_err = 0;
  bool exact_only = false;
  double first_run_us = 0;  // rough, for choosing how often to run it; 0 on the host device
  bool ok() const { return reason == Reason::none; }
};
std::string to_json(const Verdict& verdict);
Verdict verdict_from_json(std::string_view text);

struct Trial {
  std::int64_t id = 0;  // the store's; 0 before it is saved
  Problem problem;
  std::string regime = "plain";
  Config config;
  std::vector<Step> steps;  // grid, block and shared memory as launched
  Status status = Status::compiled;
  Reason reason = Reason::none;
  std::string detail;
  std::string log;          // the compiler's
  std::string source_hash;  // of the rendered source with every header and option
  std::string cubin_hash;
  std::int64_t duplicate_of = 0;
  int registers = 0;
  int spill_bytes = 0;
  std::int64_t static_shared_bytes = 0;
  std::vector<float> samples_us;  // one a round: amortised microseconds a launch
  double time_us = 0;             // 0: not timed. From paired rounds for finalists
  double spread = 0;              // half the interquartile range over the median
  double cost = 0;                // what the objective makes of the time, lower is better; 0: the time is the objective
  int rounds = 0;
  bool finalist = false;
  bool is_default = false;
  bool deterministic = true;  // false: does not win unless asked for
  double max_err_over_bound = 0;
  double max_rel_err = 0;
  bool exact_only = false;
  double seconds = 0;  // that compiling and verifying it took, by itself; 0: unknown
};

struct Baseline {
  std::string name;  // "cublas"
  double time_us = 0;
  double spread = 0;
  std::string detail;               // "cublasGemmEx, op T, x as the right operand"
  std::vector<float> samples_us{};  // of the paired rounds; may be empty
};

// What this GPU was measured to reach, in the same run as the trials beside it.
struct Ceiling {
  double sustained_gb_per_s = 0;  // large probe of the same traffic mix
  double probe_us = 0;            // best size-matched probe: the same weight bytes, x and M dependent values
  double probe_no_x_us = 0;       // the same without x and with one value; 0 when not run
  double best_gb_per_s = 0;       // best achieved by any verified kernel of the run
  std::string probe_config;
  std::string from = "probe";  // "kernel" when a verified kernel beat the probe by up to 2 %
  // Of what computing bounds: what the unit that calculates ("tensor_f16") reached in its best probe; 0: not probed.
  double tflop_per_s = 0;
  std::string arithmetic = {};
};

// Clocks and their causes while the samples were taken; zeros where NVML does not answer.
struct Conditions {
  int sm_clock_mhz = 0;
  int memory_clock_mhz = 0;
  int temperature_c = 0;
  int power_w = 0;
  std::string throttle;  // reasons, comma separated; empty when none
};
std::string to_json(const Conditions& conditions);
Conditions conditions_from_json(std::string_view text);

// Who is behind the best by less than this share is tied with it, or by less than the noise floor where that is more.
// Between runs the median ratio of two finalists moves by less: a wider margin gives away what was resolved.
inline constexpr double least_margin = 0.002;

// `ProblemResult::search` of what `tuner refresh` tried: what was tied before, and what always runs.
inline constexpr std::string_view refresh_search = "refresh";

// One finished problem x regime on one GPU. Trials are by store id.
struct ProblemResult {
  Problem problem;
  std::string regime = "plain";
  std::string objective;  // what the winner is the best of (spec/metrics.h); empty: the time
  std::string search;     // the strategy that chose what was tried, or refresh_search; empty: every configuration was
  std::int64_t winner = 0;
  std::int64_t default_trial = 0;  // 0: no default is legal here
  std::int64_t incumbent = 0;      // the configuration that won before, preferred among ties; filled by the store
  std::vector<std::int64_t> tied;  // the winner among them, in preference order
  double margin = 0.005;           // ties are within this share of the best
  double noise_floor = 0;          // A/A: 99 % bound of the median |log ratio| of one kernel loaded twice
  Ceiling ceiling;
  std::vector<Baseline> baselines;
  Conditions before;
  Conditions after;
  double bytes_read = 0;
  double bytes_written = 0;
  double flops = 0;
  std::string bound_by = "memory";
  int candidates = 0;
  int measured = 0;
  int rejected = 0;
  // The trial that travels best: about as fast as the winner, and least slow at stored neighbours; 0: unknown. What it
  // loses there, as shares of the best time, over `loss_neighbours` of them (store/expected_loss.h); -1: unknown.
  std::int64_t traveller = 0;
  int loss_neighbours = 0;
  double expected_loss = -1;
  double default_loss = -1;  // the default's at the same neighbours
  double worst_loss = -1;    // the most it lost to the default at one of them; 0: it never did
  // Without comments and white space; empty: unknown.
  std::string closure_hash;  // of the template, every header it includes, and the options
  std::string manifest_hash;
};

// Version of the measurement rules, to be raised when they change. 2: what is published is from a worker of its own.
inline constexpr int measurement_policy = 2;

// What was the same for every trial of a sweep.
struct RunFacts {
  GpuFacts gpu;
  std::string device = "cuda";  // or "host"
  std::string nvrtc;            // "13.0.88"; "g++ 12.2.0" for the host device
  std::string tool_version;
  int policy = measurement_policy;
  std::string command;  // how it was asked for
  bool emulated = false;
  bool shared_gpu = false;
};

}  // namespace tuner
