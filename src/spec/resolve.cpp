#include "spec/resolve.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "spec/names.h"

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
    default:
      return true;
  }
}

Type type_of(const ArgSpec& arg, const Problem& problem) {
  if (const auto type = type_from_text(arg.type)) return *type;
  const Value* fact = problem.fact(arg.type);
  const auto* name = fact == nullptr ? nullptr : std::get_if<Name>(fact);
  const auto type = name == nullptr ? std::nullopt : type_from_text(name->text);
  if (!type) throw UserError("the fact '" + arg.type + "' holds no element type", problem.kernel);
  return *type;
}

[[noreturn]] void refuse(const Problem& problem, const std::string& what) {
  throw UserError(what, problem.kernel + " " + shape_text(problem.dims));
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

Step step_of(const StepSpec& spec, const space::Scope& scope) {
  Step step;
  step.kind = spec.kind;
  if (spec.kind == Step::Kind::memset) {
    step.argument = spec.target;
    step.byte = spec.byte;
    return step;
  }
  step.entry = spec.target;
  step.grid = extents(spec.grid, scope, "the grid of '" + spec.target + "'");
  step.block = extents(spec.block, scope, "the block of '" + spec.target + "'");
  if (!spec.shared) return step;
  step.shared_bytes = spec.shared->integer(scope);
  if (step.shared_bytes < 0) throw spec.shared->error_at({}, "the shared memory of '" + spec.target + "' is negative");
  return step;
}

space::Scope config_scope(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu) {
  return kernel.space.scope_of(base_scope(kernel, problem, gpu), config);
}

std::vector<Argument> arguments_of(const KernelSpec& kernel, const Problem& problem, const space::Scope& scope) {
  std::vector<Argument> arguments;
  for (const ArgSpec& arg : kernel.args) arguments.push_back(argument_of(arg, problem, scope));
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

}  // namespace

Argument argument_of(const ArgSpec& arg, const Problem& problem, const space::Scope& scope) {
  Argument argument;
  argument.name = arg.name;
  argument.type = type_of(arg, problem);
  argument.is_buffer = arg.size.has_value();
  if (!argument.is_buffer) {
    argument.value = arg.value->integer(scope);
    if (!fits(argument.value, argument.type))
      refuse(problem, "the argument '" + arg.name + "' is " + std::to_string(argument.value) +
                          ", which does not fit its type " + std::string(to_text(argument.type)));
    return argument;
  }
  argument.role = arg.role;
  argument.fill = arg.fill;
  argument.elements = arg.size->integer(scope);
  std::int64_t bytes = 0;
  if (argument.elements < 0) refuse(problem, "the size of '" + arg.name + "' is negative");
  if (__builtin_mul_overflow(argument.elements, size_of(argument.type), &bytes))
    refuse(problem, "the size of '" + arg.name + "' in bytes does not fit 64 bits");
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
  return scope;
}

Execution resolve(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu) {
  const space::Scope scope = config_scope(kernel, problem, config, gpu);
  Execution execution;
  execution.arguments = arguments_of(kernel, problem, scope);
  for (std::size_t i = 0; i < kernel.args.size(); ++i) {
    Argument& argument = execution.arguments[i];
    if (!argument.is_buffer) continue;
    const auto& align = kernel.args[i].align;
    argument.align_bytes =
        align ? extent(*align, scope, "the alignment of '" + argument.name + "'") : size_of(argument.type);
  }
  for (const StepSpec& step : kernel.steps)
    if (!step.when || step.when->truth(scope)) execution.steps.push_back(step_of(step, scope));
  return execution;
}

Workload workload_of(const KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu) {
  const space::Scope base = base_scope(kernel, problem, gpu);
  const std::optional<Config> config = kernel.space.complete(base, {});
  if (!config) refuse(problem, "no configuration is legal");
  Workload workload;
  workload.kernel = kernel.name;
  workload.dims = problem.dims;
  workload.arguments = resolve(kernel, problem, *config, gpu).arguments;
  workload.reference = kernel.reference;
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

bool deterministic(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu) {
  return !kernel.deterministic || kernel.deterministic->truth(config_scope(kernel, problem, config, gpu));
}

std::optional<std::string> why_not_on(const KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu) {
  if (!kernel.target.empty() && arch_from_text(kernel.target.substr(0, kernel.target.size() - 1)) != gpu.arch &&
      arch_from_text(kernel.target) != gpu.arch)
    return "it is written for " + kernel.target + " only";
  if (kernel.requires_ && !kernel.requires_->truth(base_scope(kernel, problem, gpu)))
    return "it requires " + kernel.requires_->text();
  return std::nullopt;
}

}  // namespace tuner::spec
