#include "report/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "compile/compile_log.h"
#include "report/format.h"
#include "report/table.h"

namespace tuner::report {
namespace {

using How = Compared::How;
using measure::Finding;
using measure::Gate;

std::string change(double ratio) { return fmt::format("{:+.2f}%", (ratio - 1) * 100); }

std::string interval(const measure::Ratio& ratio) {
  return ratio.high > 0 ? change(ratio.low) + " to " + change(ratio.high) : "unknown";
}

// In one line.
std::string wrong_text(const char* side, const Verdict& verdict) {
  return fmt::format("{} is not right: {}{}{}", side, title(verdict.reason), verdict.detail.empty() ? "" : ": ",
                     compile::told_line(verdict.detail));
}

// The reason, and its detail in lines of their own.
void add_wrong(const char* side, const Verdict& verdict, std::vector<std::string>& lines) {
  if (verdict.ok()) return;
  if (verdict.detail.find('\n') == std::string::npos) return lines.push_back(wrong_text(side, verdict));
  lines.push_back(fmt::format("{} is not right: {}", side, title(verdict.reason)));
  std::istringstream detail(verdict.detail);
  for (std::string line; std::getline(detail, line);) lines.push_back(line.empty() ? line : "  " + line);
}

std::string outcome(const Compared& one) {
  if (!one.b.verdict.ok()) return "B is not right";
  if (!one.a.verdict.ok()) return "A is not right";
  if (one.how == How::verified) return "both are right";
  if (one.how == How::none) return one.same_binary ? "same binary" : "not compared";
  return std::string(to_text(one.result.finding));
}

// With the facts where another one has the same shape.
std::string name_among(const Compared& one, const CompareReport& report) {
  const auto alike = [&one](const Compared& other) {
    return other.problem.kernel == one.problem.kernel && other.problem.dims == one.problem.dims &&
           other.regime == one.regime;
  };
  const bool several = std::count_if(report.all.begin(), report.all.end(), alike) > 1;
  return compared_name(one) + (several ? " " + facts_key(one.problem.facts) : "");
}

std::string how_text(const Compared& one) {
  if (one.how == How::measured) return fmt::format("{} rounds, {} placements", one.result.rounds, one.result.batches);
  if (one.how == How::paired) return "stored, same rounds";
  return one.how == How::stored ? "stored" : "";
}

std::string place(const ComparedSide& side) {
  return side.gpu + (side.driver.empty() ? "" : " (driver " + side.driver + ")");
}

// What a row says beside its numbers.
std::vector<std::string> remarks(const Compared& one) {
  std::vector<std::string> lines;
  add_wrong("A", one.a.verdict, lines);
  add_wrong("B", one.b.verdict, lines);
  if (!one.why_not.empty()) lines.push_back(one.why_not);
  if (one.how == How::stored)
    lines.push_back("stored numbers, of different rounds: A on " + place(one.a) + ", B on " + place(one.b));
  if (one.how == How::paired) lines.push_back("stored numbers, of the same rounds on " + place(one.a));
  if (one.same_binary && one.how == How::measured) lines.push_back("both are the same binary: what differs is noise");
  if (!one.a.note.empty()) lines.push_back("A: " + one.a.note);
  if (!one.b.note.empty()) lines.push_back("B: " + one.b.note);
  return lines;
}

std::string side_line(const char* side, const ComparedSide& of) {
  return fmt::format("    {}  {}  ({})\n", side, of.config.label(), of.origin);
}

std::string details(const Compared& one, const std::string& name) {
  std::string out = "  " + name + "\n";
  if (one.a.config == one.b.config && one.a.origin == one.b.origin)
    out += side_line("A, B", one.a);
  else
    out += side_line("A", one.a) + side_line("B", one.b);
  for (const std::string& line : remarks(one)) out += (line.empty() ? "" : "    " + line) + "\n";
  return out;
}

// Of many, those are let be that are the same.
bool needs_details(const Compared& one, const CompareReport& report) {
  return report.all.size() == 1 || !has_times(one) || one.result.finding != Finding::same ||
         !failure_of(one, report).empty();
}

std::string summary(const CompareReport& report) {
  std::array<int, 4> found{};
  int without = 0;
  for (const Compared& one : report.all)
    has_times(one) ? ++found[static_cast<std::size_t>(one.result.finding)] : ++without;
  std::string line = count(static_cast<std::int64_t>(report.all.size()), "problem", "problems") + ": ";
  std::string parts;
  for (const Finding finding : {Finding::faster, Finding::same, Finding::slower, Finding::undecided})
    if (const int n = found[static_cast<std::size_t>(finding)]; n > 0)
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", n, to_text(finding));
  if (without > 0) parts += fmt::format("{}{} without times", parts.empty() ? "" : ", ", without);
  return line + parts + " (B against A)";
}

std::string gate_line(const CompareReport& report) {
  if (!report.rules.gated()) return {};
  std::string failed;
  for (const Compared& one : report.all)
    if (!failure_of(one, report).empty())
      failed += (failed.empty() ? "" : ", ") + name_among(one, report) +
                (doubt_of(one, report).empty() ? "" : " (undecided)");
  const bool doubt = std::any_of(report.all.begin(), report.all.end(),
                                 [&](const Compared& one) { return !doubt_of(one, report).empty(); });
  const std::string limit = fmt::format("gate: slower by more than {:g}%: ", report.rules.fail_if_slower * 100);
  if (!failed.empty()) return limit + "tripped by " + failed + "\n";
  return limit + (doubt ? "not proven, passed\n" : "none, passed\n");
}

std::string where_measured(const CompareReport& report) {
  const bool any =
      std::any_of(report.all.begin(), report.all.end(), [](const Compared& one) { return one.how == How::measured; });
  if (!any) return {};
  return "measured  here, both in the same rounds: " + gpu_text(report.here) +
         (report.here.driver.empty() ? "" : ", driver " + report.here.driver) + "\n";
}

Table rows_of(const CompareReport& report) {
  std::vector<double> times;
  for (const Compared& one : report.all)
    if (has_times(one)) times.insert(times.end(), {one.result.a_us, one.result.b_us});
  const TimeUnit unit(times);
  Table table(
      {{"problem", false}, {"A"}, {"B"}, {"B against A"}, {"interval", false}, {"verdict", false}, {"by", false}});
  for (const Compared& one : report.all) {
    if (has_times(one))
      table.add({name_among(one, report), unit.text(one.result.a_us), unit.text(one.result.b_us),
                 change(one.result.ratio.ratio), interval(one.result.ratio), outcome(one), how_text(one)});
    else
      table.add({name_among(one, report), "", "", "", "", outcome(one), ""});
  }
  return table;
}

}  // namespace

bool has_times(const Compared& one) {
  return one.how == How::measured || one.how == How::paired || one.how == How::stored;
}

std::string doubt_of(const Compared& one, const CompareReport& report) {
  if (!report.rules.gated() || !one.b.verdict.ok() || one.same_binary) return {};
  if (!one.a.verdict.ok()) return wrong_text("A", one.a.verdict);
  if (!has_times(one)) return one.why_not.empty() ? "there are no times" : one.why_not;
  if (one.result.gate != Gate::undecided) return {};
  return fmt::format("B against A is {}, which does not tell whether it is slower by more than {:g}%",
                     one.result.ratio.high > 0 ? interval(one.result.ratio) : "of unknown certainty",
                     report.rules.fail_if_slower * 100);
}

std::string failure_of(const Compared& one, const CompareReport& report) {
  if (!report.rules.gated()) return {};
  if (!one.b.verdict.ok()) return wrong_text("B", one.b.verdict);
  if (has_times(one) && one.result.gate == Gate::tripped)
    return fmt::format("slower by {} ({}), allowed is {:g}%", change(one.result.ratio.ratio),
                       interval(one.result.ratio), report.rules.fail_if_slower * 100);
  return report.strict ? doubt_of(one, report) : std::string();
}

std::string compared_name(const Compared& one) {
  return one.problem.kernel + " " + shape_text(one.problem.dims) + (one.regime == "plain" ? "" : " " + one.regime);
}

std::string_view to_text(Compared::How how) {
  constexpr std::array<std::string_view, 5> texts = {"measured", "paired", "stored", "verified", "none"};
  return texts[static_cast<std::size_t>(how)];
}

std::string compare_text(const CompareReport& report, const Style& style) {
  std::string out = "A         " + report.a + "\nB         " + report.b + "\n" + where_measured(report) + "\n";
  out = style.text(out) + rows_of(report).text(style) + "\n";
  for (const Compared& one : report.all)
    if (needs_details(one, report)) out += style.text(details(one, name_among(one, report)));
  return out + style.text(summary(report) + "\n" + gate_line(report));
}

}  // namespace tuner::report
