// A kernel manifest, read and checked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/execution.h"
#include "space/space.h"

namespace tuner::spec {

// What a scalar, or a field of a struct, holds.
struct ScalarSpec {
  std::string type;                  // an element type or the name of a fact that holds one
  std::optional<space::Expr> value;  // of integers
  double real = 0;                   // where `value` is none: a number written out
};

struct ArgSpec {
  std::string name;
  // Buffers. A buffer of CUDA's vector types counts in them: `lanes` elements of `type` each.
  std::string type;  // an element type or the name of a fact that holds one
  int lanes = 1;
  std::optional<space::Expr> size;
  Role role = Role::weight;
  std::optional<space::Expr> hot;    // weights: where true, it is an activation
  std::optional<space::Expr> align;  // bytes
  Fill fill;
  bool given_fill = false;
  double initial = 0;               // accumulators
  bool set_timed = false;           // accumulators: set inside the timed part
  std::string symbol;               // of the __constant__ that holds it
  std::optional<space::Expr> when;  // configurations that have it; scratch alone, and behind all that has none
  // Scalars: one; structs passed by value: their fields in order.
  std::vector<ScalarSpec> fields;
  bool is_struct = false;
};

struct StepSpec {
  Step::Kind kind = Step::Kind::launch;
  std::string target;  // the entry, or the buffer of a memset
  int byte = 0;
  std::optional<space::Expr> when;
  std::vector<space::Expr> grid;   // 1 to 3
  std::vector<space::Expr> block;  // 1 to 3
  std::optional<space::Expr> shared;
  std::vector<space::Expr> template_arguments;
  std::vector<std::string> arguments;  // names; empty: all
  std::vector<space::Expr> cluster;    // 0 to 3
  std::optional<space::Expr> cooperative;
  // As many times, in order; `index` is 0, 1, ... in the step's expressions and in scalars. Steps with the same
  // `group` (not 0) repeat together.
  std::optional<space::Expr> repeat;
  std::string index;
  int group = 0;
};

// `text`, or `text=value`.
struct OptionSpec {
  std::string text;
  std::optional<space::Expr> value;
  std::optional<space::Expr> when;
};

struct ReferenceSpec {
  ReferencePlan::Kind kind = ReferencePlan::Kind::none;
  std::string function;
  std::string magnitude;                                      // kernel: the entry that sums |terms|, or empty
  std::string source_path;                                    // absolute
  StepSpec launch;                                            // kernel
  std::vector<std::pair<std::string, std::string>> expected;  // data: absolute paths by result
};

// Somebody else's kernel, timed beside ours: `function` of a .cu launches it.
struct BaselineSpec {
  std::string name;
  std::string function;
  std::string source_path;             // absolute
  std::vector<std::string> libraries;  // of the toolkit, "cublas"
};

// What configurations are ranked by in place of their times.
struct ObjectiveSpec {
  std::string metric;
  bool largest = false;  // else the smallest is the best
};

// How launches follow each other: `plain` back to back; `dependent` by programmatic dependent launch, each starting
// before the one in front of it has ended.
inline constexpr const char* plain_regime = "plain";
inline constexpr const char* dependent_regime = "dependent";
inline constexpr int least_dependent_arch = 90;

// Of a kernel that may be launched before its predecessor ends.
struct DependentSpec {
  std::optional<space::Expr> when;                         // which configurations may; empty: all
  std::vector<std::pair<std::string, std::string>> feeds;  // activations, and what of the launch before becomes them
};

struct KernelSpec {
  std::string name;
  std::string family;
  std::string dtype;
  std::string doc;
  std::string source_path;  // absolute
  std::string entry;
  bool nvcc = false;  // compiled by nvcc instead of NVRTC
  std::vector<OptionSpec> options;
  std::vector<std::string> include_dirs;                     // absolute
  std::vector<std::pair<std::string, std::string>> defines;  // macros in front of the source
  std::optional<space::Expr> requires_;
  std::string target;  // "sm_90a", or empty
  std::vector<std::string> dims;
  std::vector<std::pair<std::string, space::Expr>> facts;  // defaults; may use dims
  space::Space space;
  std::vector<space::Partial> defaults;
  std::vector<ArgSpec> args;
  std::vector<StepSpec> steps;
  std::vector<std::pair<std::string, space::Expr>> lets;
  std::optional<space::Expr> traffic_read;   // bytes
  std::optional<space::Expr> traffic_write;  // bytes
  std::optional<space::Expr> flops;
  std::optional<space::Expr> bytes_in_flight;  // a thread
  std::optional<space::Expr> reread;           // bytes that a block of the main launch reads, and are read again
  std::string bound_by = "memory";
  std::string arithmetic;  // the unit that calculates: fma_f32, fma_f16, fma_f64, tensor_f16
  ReferenceSpec reference;
  ErrorBound bound;
  std::string bound_why;             // of a stated bound
  bool exact_integers = true;        // small integers give exact results
  std::optional<space::Expr> terms;  // summed into one result; default: the last dim of gemv, else 1
  std::optional<space::Expr> chain;  // longest chain of additions
  // Shapes that no tile divides, to verify on beside a problem's own. Empty and not given: made from the dims.
  std::vector<std::vector<std::int64_t>> awkward;
  bool awkward_given = false;
  std::optional<space::Expr> deterministic;
  std::vector<std::string> baselines;  // built in: "cublas"
  std::vector<BaselineSpec> own_baselines;
  std::vector<std::string> rivals;  // kernels of ours, timed beside this one on data of their own; at most 8
  std::vector<std::pair<std::string, space::Expr>> metrics;  // of real numbers
  std::optional<ObjectiveSpec> objective;
  std::optional<DependentSpec> dependent;
  // The regime in which this is launched, and this kernel as the dependent one launches it: where `when` holds. Null
  // without `dependent`, and in that kernel itself.
  std::string regime = plain_regime;
  std::shared_ptr<const KernelSpec> in_dependent;
  std::string path;  // of the manifest, absolute
  std::string text;  // of the manifest

  // Every named choice of a parameter, but for element types, with its number: its index in `values`.
  std::vector<std::pair<std::string, int>> choices(const std::string& param) const;
};

// The kernel as it is launched in a regime. Throws UserError for one that it does not have.
const KernelSpec& in_regime(const KernelSpec& kernel, const std::string& regime, const std::string& where);
// The same; one that it does not have is taken for the plain one.
const KernelSpec& launched_in(const KernelSpec& kernel, const std::string& regime);

// Reads and checks one manifest: unknown and duplicate keys, wrong types, unknown names in expressions, two meanings
// for one name, macros that would hide an argument, aliases, files over 1 MB. Throws UserError with file:line:column
// and a "did you mean".
KernelSpec read_kernel(const std::string& path);
KernelSpec parse_kernel(std::string_view text, const std::string& path);

// A manifest and everything that is wrong with it, in file order. Where there are faults, `kernel` is what could be
// read. A fault has no follower: what depends on a part that could not be read is not asked.
struct Reading {
  KernelSpec kernel;
  std::vector<UserError> faults;
};
// Throws UserError only where the file cannot be read at all.
Reading read_all_faults(const std::string& path);

}  // namespace tuner::spec
