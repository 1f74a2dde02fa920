// One manifest as C++17: what the ladder of the exported header asks of a kernel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/problem.h"
#include "export/cpp_names.h"
#include "spec/kernel_spec.h"

namespace tuner::exporting {

// A C++ string literal.
std::string literal(std::string_view text);

// The steps that the manifest's execution has: accumulators set inside the timed part come first.
std::vector<spec::StepSpec> all_steps(const spec::KernelSpec& kernel);

class KernelCode {
 public:
  explicit KernelCode(const spec::KernelSpec& kernel) : kernel_(kernel) {}

  const spec::KernelSpec& kernel() const { return kernel_; }
  std::string name() const { return struct_name(kernel_.name); }

  // Initialisers. A word that occurs gets a number; ask for everything before `definition`.
  std::string problem(const Problem& problem);
  std::string params(const Config& config);

  // The struct, its tables not among it. Throws UserError for steps that a header cannot hold.
  std::string definition();

 private:
  std::string number(const Value& value);
  std::string word(const std::string& text);
  std::string word_name(std::size_t index) const;
  std::string expression(const space::Expr& expression, bool dims_only = false);
  std::string named(std::string_view name, bool dims_only);
  int param_index(std::string_view name) const;

  std::string types() const;
  std::string accessors() const;
  std::string facts_code();
  std::string lets_code();
  std::string active_code();
  std::string values_code();
  std::string passes_code();
  std::string defaults_code();
  std::string runs_on_code();
  std::string overlaps_code();
  std::string steps_code();
  std::string step_code(const spec::StepSpec& step);
  std::string launch_code(const spec::StepSpec& step);
  std::string template_code(const spec::StepSpec& step);
  std::string template_argument(const spec::StepSpec& step, const space::Expr& expression);
  std::string words_code() const;
  std::string cpp_words() const;
  // Asked last: it speaks of the words that occur.
  std::string problem_rules_code();
  std::string argument_rule(const spec::ArgSpec& arg);
  // Of dimensions and facts alone.
  bool is_of_problem(const space::Expr& expression) const;
  // As expression(), in numbers that know whether they fit.
  std::string sized(const space::Expr& expression);
  std::string most_elements(const std::string& type, std::int64_t lanes) const;

  const spec::KernelSpec& kernel_;
  std::vector<std::string> words_;
};

}  // namespace tuner::exporting
