#include "report/profile_values.h"

#include <fmt/format.h>

#include "report/format.h"

namespace tuner::report {

std::string figure_text(const profile::Figure& figure) {
  if (!figure.value) return "-";
  if (figure.kind->unit == profile::Unit::share) return percent(*figure.value);
  if (figure.kind->unit == profile::Unit::bytes) return bytes_text(static_cast<std::int64_t>(*figure.value));
  return fmt::format("{:.1f}", *figure.value);
}

std::string target_text(const profile::FigureKind& figure) {
  if (!figure.target) return {};
  const bool above = figure.target->kind == profile::Target::Kind::above;
  return fmt::format("{}{:.0f}%", above ? "> " : "", figure.target->value * 100);
}

std::string cycles_text(double cycles) { return fmt::format("{:.2f}", cycles); }

}  // namespace tuner::report
