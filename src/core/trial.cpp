#include "core/trial.h"

#include <array>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace tuner {
namespace {

struct ReasonRow {
  Reason reason;
  std::string_view name;
  std::string_view title;
  std::string_view hint;
};

constexpr std::array<ReasonRow, 24> reason_rows{{
    {Reason::none, "none", "right", ""},
    {Reason::constraint, "constraint", "excluded by a constraint", ""},
    {Reason::compile_error, "compile_error", "compile error", "tuner explain prints the compiler's log"},
    {Reason::compile_timeout, "compile_timeout", "compile took too long", "smaller unroll factors compile faster"},
    {Reason::compile_crash, "compile_crash", "compiler crashed", "tuner explain prints what it said"},
    {Reason::registers, "registers", "too many registers", "a smaller block or min_blocks_per_sm leaves more a thread"},
    {Reason::shared_memory, "shared_memory", "too much shared memory", "constrain tile sizes by shared_max"},
    {Reason::threads, "threads", "too many threads", "a block holds at most 1024"},
    {Reason::grid, "grid", "grid out of range", "x holds at most 2^31-1 blocks, y and z 65535"},
    {Reason::launch_error, "launch_error", "launch failed", ""},
    {Reason::timeout, "timeout", "did not end in time",
     "a loop whose bound a configuration can skip; too large a shape (--shape, `awkward`); or a busy machine"},
    {Reason::fault, "fault", "crashed", "compute-sanitizer on the rendered source finds the place"},
    {Reason::out_of_bounds, "out_of_bounds", "out of bounds", "check the tail of the last row and the last block"},
    {Reason::wrong_result, "wrong_result", "wrong result", "tuner explain prints the first wrong element"},
    {Reason::not_finite, "not_finite", "NaN or Inf", "look for memory that is read before it is written"},
    {Reason::unwritten_output, "unwritten_output", "output not written", "check the grid against the number of rows"},
    {Reason::input_changed, "input_changed", "changed its input", "inputs are const"},
    {Reason::nondeterministic, "nondeterministic", "differs from run to run",
     "a race, or say `deterministic: false` in the manifest"},
    {Reason::missing_barrier, "missing_barrier", "missing barrier", "the result depends on which thread runs first"},
    {Reason::divergent_barrier, "divergent_barrier", "divergent barrier",
     "every thread of a block must reach the same barrier"},
    {Reason::implausible, "implausible", "implausibly fast", "it beats the read probe: it cannot have read every byte"},
    {Reason::exact_only, "exact_only", "right on its own shape only",
     "mend the tail, or constrain it (`where`) to shapes that its tiles divide"},
    {Reason::worker_lost, "worker_lost", "ended the worker", "tuner explain prints how it ended"},
    {Reason::spills, "spills", "spills", ""},
}};

const ReasonRow& row_of(Reason reason) {
  for (const auto& row : reason_rows)
    if (row.reason == reason) return row;
  return reason_rows[0];
}

constexpr std::array<std::pair<Status, std::string_view>, 7> status_rows{{
    {Status::started, "started"},
    {Status::compiled, "compiled"},
    {Status::verified, "verified"},
    {Status::measured, "measured"},
    {Status::eliminated, "eliminated"},
    {Status::duplicate, "duplicate"},
    {Status::rejected, "rejected"},
}};

nlohmann::json parsed(std::string_view text, const char* what) {
  auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object()) throw UserError(std::string(what) + " must be a JSON object");
  return object;
}

}  // namespace

std::string_view to_text(Reason reason) { return row_of(reason).name; }
std::string_view title(Reason reason) { return row_of(reason).title; }
std::string_view hint(Reason reason) { return row_of(reason).hint; }

std::optional<Reason> reason_from_text(std::string_view text) {
  for (const auto& row : reason_rows)
    if (row.name == text) return row.reason;
  return std::nullopt;
}

std::string_view to_text(Status status) {
  for (const auto& [value, name] : status_rows)
    if (value == status) return name;
  return "?";
}

std::optional<Status> status_from_text(std::string_view text) {
  for (const auto& [value, name] : status_rows)
    if (name == text) return value;
  return std::nullopt;
}

std::string to_json(const Verdict& verdict) {
  return nlohmann::ordered_json{{"reason", to_text(verdict.reason)},
                                {"detail", verdict.detail},
                                {"max_err_over_bound", verdict.max_err_over_bound},
                                {"max_rel_err", verdict.max_rel_err},
                                {"exact_only", verdict.exact_only},
                                {"first_run_us", verdict.first_run_us}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Verdict verdict_from_json(std::string_view text) {
  const auto object = parsed(text, "a verdict");
  Verdict verdict;
  const auto reason = reason_from_text(object.value("reason", std::string("none")));
  if (!reason) throw UserError("unknown reason in a verdict");
  verdict.reason = *reason;
  verdict.detail = object.value("detail", std::string{});
  verdict.max_err_over_bound = object.value("max_err_over_bound", 0.0);
  verdict.max_rel_err = object.value("max_rel_err", 0.0);
  verdict.exact_only = object.value("exact_only", false);
  verdict.first_run_us = object.value("first_run_us", 0.0);
  return verdict;
}

std::string to_json(const Conditions& conditions) {
  return nlohmann::ordered_json{{"sm_clock_mhz", conditions.sm_clock_mhz},
                                {"memory_clock_mhz", conditions.memory_clock_mhz},
                                {"temperature_c", conditions.temperature_c},
                                {"power_w", conditions.power_w},
                                {"throttle", conditions.throttle}}
      .dump();
}

Conditions conditions_from_json(std::string_view text) {
  const auto object = parsed(text, "conditions");
  try {
    Conditions conditions;
    conditions.sm_clock_mhz = object.value("sm_clock_mhz", 0);
    conditions.memory_clock_mhz = object.value("memory_clock_mhz", 0);
    conditions.temperature_c = object.value("temperature_c", 0);
    conditions.power_w = object.value("power_w", 0);
    conditions.throttle = object.value("throttle", std::string{});
    return conditions;
  } catch (const nlohmann::json::exception&) {
    throw UserError("conditions have a value of the wrong type");
  }
}

}  // namespace tuner
