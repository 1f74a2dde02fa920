#include "spec/resolve.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "spec/fills.h"
#include "spec/names.h"
#include "spec/struct_bytes.h"

namespace tuner::spec {
namespace {

bool fits(std::int64_t value, Type type) {
  switch (type) {
    case Type::i8:
      return value >= INT8_MIN && value <= INT8_MAX;
    case Type::u8:
      return value >= 0 && value <= UINT8_MAX;
    case Type::i16:
      return value >= INT16_MIN && value <= INT16_MAX;
    case Type::u16:
      return value >= 0 && value <= UINT16_MAX;
    case Type::i32:
      return value >= INT32_MIN && value <= INT32_MAX;
    case Type::u32:
      return value >= 0 && value <= UINT32_MAX;
    case Type::u64:
      return value >= 0;
    case Type::boolean:
      return value == 0 || value == 1;
    default:
      return true;
  }
}

Type type_of(const std::string& word, const Problem& problem) {
  if (const auto type = type_from_text(word)) return *type;
  const Value* fact = problem.fact(word);
  const auto* name = fact == nullptr ? nullptr : std::get_if<Name>(fact);
  const auto type = name == nullptr ? std::nullopt : type_from_text(name->text);
  if (!type) throw UserError("the fact '" + word + "' holds no element type", problem.kernel);
  return *type;
}

[[noreturn]] void refuse(const Problem& problem, const std::string& what) {
  throw UserError(what, problem.kernel + " " + shape_text(problem.dims));
}

// Of a scalar. true and false count as 1 and 0 where it is boolean.
std::int64_t scalar_value(const space::Expr& expression, Type type, const space::Scope& scope) {
  const Value value = expression.evaluate(scope);
  const auto* truth = std::get_if<bool>(&value);
  return truth != nullptr && type == Type::boolean ? std::int64_t{*truth} : expression.integer(scope);
}

void check_fits(const std::string& argument, std::int64_t value, Type type, const Problem& problem) {
  if (fits(value, type)) return;
  refuse(problem, "the argument '" + argument + "' is " + std::to_string(value) + ", which does not fit its type " +
                      std::string(to_text(type)));
}

std::int64_t extent(const space::Expr& expression, const space::Scope& scope, const std::string& what) {
  const std::int64_t value = expression.integer(scope);
  if (value >= 1) return value;
  throw expression.error_at({}, what + " is " + std::to_string(value) + ", it must be at least 1");
}

Dim3 extents(const std::vector<space::Expr>& list, const space::Scope& scope, const std::string& what) {
  Dim3 dim;
  std::int64_t* const axes[] = {&dim.x, &dim.y, &dim.z};
  for (std::size_t i = 0; i < list.size(); ++i) *axes[i] = extent(list[i], scope, what);
  return dim;
}

// The name expression of an entry: `reduce<256, float>`.
std::string entry_of(const StepSpec& spec, const space::Scope& scope) {
  if (spec.template_arguments.empty()) return spec.target;
  std::string text = spec.target + "<";
  for (std::size_t i = 0; i < spec.template_arguments.size(); ++i) {
    const Value value = spec.template_arguments[i].evaluate(scope);
    const auto* name = std::get_if<Name>(&value);
    const auto type = name == nullptr ? std::nullopt : type_from_text(name->text);
    text += (i > 0 ? ", " : "") + (type ? std::string(cpp_name(*type)) : to_text(value));
  }
  return text + ">";
}

// The scalars that are made of the step's index.
std::vector<std::pair<std::string, std::int64_t>> values_of(const KernelSpec& kernel, const StepSpec& spec,
                                                            const Problem& problem, const space::Scope& scope) {
  std::vector<std::pair<std::string, std::int64_t>> values;
  if (spec.index.empty()) return values;
  for (const ArgSpec& arg : kernel.args) {
    if (arg.is_struct || arg.fields.empty()) continue;
    const auto& value = arg.fields.front().value;
    if (!value || value->names().count(spec.index) == 0) continue;
    const Type type = type_of(arg.type, problem);
    values.emplace_back(arg.name, scalar_value(*value, type, scope));
    check_fits(arg.name, values.back().second, type, problem);
  }
  return values;
}

Step step_of(const KernelSpec& kernel, const StepSpec& spec, const Problem& problem, const space::Scope& scope) {
  Step step;
  step.kind = spec.kind;
  if (spec.kind == Step::Kind::memset) {
    step.argument = spec.target;
    step.byte = spec.byte;
    return step;
  }
  step.entry = entry_of(spec, scope);
  step.grid = extents(spec.grid, scope, "the grid of '" + spec.target + "'");
  step.block = extents(spec.block, scope, "the block of '" + spec.target + "'");
  if (!spec.cluster.empty()) step.cluster = extents(spec.cluster, scope, "the cluster of '" + spec.target + "'");
  step.cooperative = spec.cooperative && spec.cooperative->truth(scope);
  step.arguments = spec.arguments;
  step.values = values_of(kernel, spec, problem, scope);
  if (!spec.shared) return step;
  step.shared_bytes = spec.shared->integer(scope);
  if (step.shared_bytes < 0) throw spec.shared->error_at({}, "the shared memory of '" + spec.target + "' is negative");
  return step;
}

constexpr std::int64_t most_repeats = 4096;

std::int64_t repeats_of(const StepSpec& spec, const space::Scope& scope) {
  if (!spec.repeat) return 1;
  const std::int64_t times = spec.repeat->integer(scope);
  if (times < 0 || times > most_repeats)
    throw spec.repeat->error_at({}, "'repeat' is " + std::to_string(times) + ", it must be 0 to 4096");
  return times;
}

// Calls `visit(spec, scope)` for every step that runs, in order. Steps of one group repeat together; a step alone is a
// group of its own.
template <class Visit>
void for_each_step(const KernelSpec& kernel, space::Scope scope, const Visit& visit) {
  for (std::size_t begin = 0, end = 0; begin < kernel.steps.size(); begin = end) {
    const StepSpec& first = kernel.steps[begin];
    for (end = begin + 1; end < kernel.steps.size() && first.group != 0 && kernel.steps[end].group == first.group;)
      ++end;
    const std::int64_t times = repeats_of(first, scope);
    for (std::int64_t turn = 0; turn < times; ++turn) {
      if (!first.index.empty()) scope.set(first.index, turn);
      for (std::size_t i = begin; i < end; ++i)
        if (!kernel.steps[i].when || kernel.steps[i].when->truth(scope)) visit(kernel.steps[i], scope);
    }
  }
}

// What a scalar holds outside of every `repeat`: its index is 0 there.
space::Scope with_indices(const KernelSpec& kernel, space::Scope scope) {
  for (const StepSpec& step : kernel.steps)
    if (!step.index.empty()) scope.set(step.index, std::int64_t{0});
  return scope;
}

// A whole vector of CUDA's vector types, but for those of three lanes.
std::int64_t natural_align(const ArgSpec& arg, const Argument& argument) {
  const int lanes = arg.lanes == 3 ? 1 : arg.lanes;
  return std::min<std::int64_t>(16, lanes * size_of(argument.type));
}

Step memset_of(const std::string& argument) {
  Step step;
  step.kind = Step::Kind::memset;
  step.argument = argument;
  return step;
}

std::vector<Argument> arguments_of(const KernelSpec& kernel, const Problem& problem, const space::Scope& scope) {
  std::vector<Argument> arguments;
  for (const ArgSpec& arg : kernel.args) {
    if (arg.when && !arg.when->truth(scope)) continue;
    arguments.push_back(argument_of(arg, problem, scope));
    if (!arg.size) continue;
    arguments.back().align_bytes = arg.align ? extent(*arg.align, scope, "the alignment of '" + arg.name + "'")
                                             : natural_align(arg, arguments.back());
  }
  return arguments;
}

std::int64_t integer_fact(const Problem& problem, std::string_view name, std::int64_t otherwise) {
  const Value* fact = problem.fact(name);
  const auto* number = fact == nullptr ? nullptr : std::get_if<std::int64_t>(fact);
  return number == nullptr ? otherwise : *number;
}

double amount(const std::optional<space::Expr>& expression, const space::Scope& scope) {
  return expression ? static_cast<double>(expression->integer(scope)) : 0.0;
}

// What the last step names.
void check_there(const Execution& execution, const Problem& problem) {
  const Step& step = execution.steps.back();
  std::vector<std::string> names = step.arguments;
  if (step.kind == Step::Kind::memset) names.push_back(step.argument);
  for (const std::string& name : names)
    if (std::none_of(execution.arguments.begin(), execution.arguments.end(),
                     [&](const Argument& argument) { return argument.name == name; }))
      refuse(problem, "a step names '" + name + "', which its 'when' leaves out of this configuration");
}

}  // namespace

namespace {

// `real` and `value` of a scalar, checked against its type.
void set_scalar(Argument& argument, const ScalarSpec& spec, const std::string& name, const Problem& problem,
                const space::Scope& scope) {
  argument.type = type_of(spec.type, problem);
  argument.real = spec.real;
  if (!spec.value) return;
  argument.value = scalar_value(*spec.value, argument.type, scope);
  argument.real = static_cast<double>(argument.value);
  check_fits(name, argument.value, argument.type, problem);
}

}  // namespace

Argument argument_of(const ArgSpec& arg, const Problem& problem, const space::Scope& scope) {
  Argument argument;
  argument.name = arg.name;
  argument.is_buffer = arg.size.has_value();
  if (!argument.is_buffer) {
    if (!arg.is_struct) {
      set_scalar(argument, arg.fields.front(), arg.name, problem, scope);
      return argument;
    }
    std::vector<Argument> fields(arg.fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) set_scalar(fields[i], arg.fields[i], arg.name, problem, scope);
    argument.type = Type::u8;
    argument.bytes_by_value = struct_bytes(fields);
    return argument;
  }
  argument.type = type_of(arg.type, problem);
  argument.role = arg.hot && arg.hot->truth(scope) ? Role::activation : arg.role;
  argument.fill = arg.fill;
  argument.given_fill = arg.given_fill;
  // The manifest is checked with the types that its facts have by default.
  if (const auto zero = nothing_but_zero(arg, argument.type))
    throw UserError(zero->what, problem.kernel + " " + shape_text(problem.dims), zero->hint);
  argument.initial = arg.initial;
  argument.symbol = arg.symbol;
  const std::int64_t size = arg.size->integer(scope);
  if (size < 0) throw arg.size->error_at({}, "the size of '" + arg.name + "' is " + std::to_string(size));
  if (__builtin_mul_overflow(size, std::int64_t{arg.lanes}, &argument.elements) || argument.bytes() < 0)
    throw arg.size->error_at({}, "the size of '" + arg.name + "' in bytes does not fit 64 bits");
  return argument;
}

space::Scope base_scope(const KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu) {
  space::Scope scope;
  for (const std::string& type : type_names()) scope.set(type, Name{type});
  for (const space::Param& param : kernel.space.params)
    for (const Value& value : param.values)
      if (const auto* choice = std::get_if<Name>(&value)) scope.set(choice->text, value);
  for (std::size_t i = 0; i < kernel.dims.size() && i < problem.dims.size(); ++i)
    scope.set(kernel.dims[i], problem.dims[i]);
  for (const auto& [name, value] : problem.facts) scope.set(name, value);
  for (const auto& [name, expression] : kernel.lets) scope.set_let(name, expression);
  scope.set("arch", std::int64_t{gpu.arch});
  scope.set("warp_size", std::int64_t{gpu.warp_size});
  scope.set("sm_count", std::int64_t{std::max(1, gpu.sm_count)});  // an architecture with no device at hand has none
  scope.set("shared_max", gpu.shared_max);
  if (kernel.dependent) scope.set(dependent_regime, kernel.regime == dependent_regime);
  return scope;
}

space::Scope config_scope(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu) {
  return kernel.space.scope_of(base_scope(kernel, problem, gpu), config);
}

std::vector<std::string> entries_of(const KernelSpec& kernel, const Problem& problem, const Config& config,
                                    const GpuFacts& gpu) {
  std::vector<std::string> entries;
  for_each_step(kernel, config_scope(kernel, problem, config, gpu),
                [&](const StepSpec& spec, const space::Scope& scope) {
                  if (spec.kind != Step::Kind::launch) return;
                  std::string entry = entry_of(spec, scope);
                  if (std::find(entries.begin(), entries.end(), entry) == entries.end())
                    entries.push_back(std::move(entry));
                });
  return entries;
}

std::string_view function_of(std::string_view entry) { return entry.substr(0, entry.find('<')); }

Execution resolve(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu) {
  const space::Scope scope = config_scope(kernel, problem, config, gpu);
  Execution execution;
  execution.dependent = kernel.regime == dependent_regime;
  execution.arguments = arguments_of(kernel, problem, with_indices(kernel, scope));
  // What an accumulator holds before is set as the first thing that is timed, or outside.
  for (const ArgSpec& arg : kernel.args)
    if (arg.set_timed) execution.steps.push_back(memset_of(arg.name));
  for_each_step(kernel, scope, [&](const StepSpec& spec, const space::Scope& here) {
    execution.steps.push_back(step_of(kernel, spec, problem, here));
    check_there(execution, problem);
  });
  return execution;
}

namespace {

ReferencePlan plan_of(const KernelSpec& kernel, const Problem& problem, const space::Scope& scope) {
  const ReferenceSpec& spec = kernel.reference;
  ReferencePlan plan;
  plan.kind = spec.kind;
  plan.function = spec.function;
  plan.expected = spec.expected;
  plan.bound = kernel.bound;
  plan.exact_integers = kernel.exact_integers && spec.kind != ReferencePlan::Kind::data;
  if (spec.kind == ReferencePlan::Kind::kernel) plan.steps.push_back(step_of(kernel, spec.launch, problem, scope));
  if (!spec.magnitude.empty()) plan.steps.emplace_back(plan.steps.front()).entry = spec.magnitude;
  return plan;
}

std::int64_t terms_of(const KernelSpec& kernel, const Problem& problem, const space::Scope& scope) {
  if (kernel.terms) return std::max<std::int64_t>(1, kernel.terms->integer(scope));
  return kernel.reference.kind == ReferencePlan::Kind::gemv ? problem.dims.back() : 1;
}

}  // namespace

Workload workload_of(const KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu) {
  const space::Scope base = base_scope(kernel, problem, gpu);
  const std::optional<Config> config = kernel.space.complete(base, {});
  if (!config) refuse(problem, "no configuration is legal");
  Workload workload;
  workload.kernel = kernel.name;
  workload.dims = problem.dims;
  workload.arguments = resolve(kernel, problem, *config, gpu).arguments;
  workload.reference = plan_of(kernel, problem, base);
  if (kernel.regime == dependent_regime) workload.feeds = kernel.dependent->feeds;
  workload.terms = terms_of(kernel, problem, base);
  workload.batch = integer_fact(problem, "batch", 1);
  workload.row_stride = integer_fact(problem, "row_stride", problem.dims.empty() ? 0 : problem.dims.back());
  workload.bytes_read = amount(kernel.traffic_read, base);
  workload.bytes_written = amount(kernel.traffic_write, base);
  workload.flops = amount(kernel.flops, base);
  return workload;
}

std::optional<Config> default_config(const KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu) {
  const space::Scope base = base_scope(kernel, problem, gpu);
  if (kernel.defaults.empty()) return kernel.space.complete(base, {});
  for (const space::Partial& partial : kernel.defaults)
    if (auto config = kernel.space.complete(base, partial)) return config;
  return std::nullopt;
}

std::int64_t chain_of(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu) {
  return kernel.chain ? kernel.chain->integer(config_scope(kernel, problem, config, gpu)) : 0;
}

std::int64_t bytes_in_flight(const KernelSpec& kernel, const Problem& problem, const Config& config,
                             const GpuFacts& gpu) {
  return kernel.bytes_in_flight ? kernel.bytes_in_flight->integer(config_scope(kernel, problem, config, gpu)) : 0;
}

std::int64_t reread(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu) {
  return kernel.reread ? kernel.reread->integer(config_scope(kernel, problem, config, gpu)) : 0;
}

bool deterministic(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu) {
  return !kernel.deterministic || kernel.deterministic->truth(config_scope(kernel, problem, config, gpu));
}

std::optional<std::string> why_not_on(const KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu) {
  if (!kernel.target.empty() && arch_from_text(kernel.target.substr(0, kernel.target.size() - 1)) != gpu.arch &&
      arch_from_text(kernel.target) != gpu.arch)
    return "it is written for " + kernel.target + " only";
  if (kernel.requires_ && !kernel.requires_->truth(base_scope(kernel, problem, gpu)))
    return "it requires " + kernel.requires_->text();
  if (kernel.regime == dependent_regime && gpu.arch < least_dependent_arch)
    return "the dependent regime needs " + arch_text(least_dependent_arch) + ", this GPU has " + arch_text(gpu.arch);
  return std::nullopt;
}

}  // namespace tuner::spec
