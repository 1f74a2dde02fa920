// JUnit's XML as CI services read it: testsuites, testsuite, testcase with failure, skipped and system-out.
#include <fmt/format.h>

#include "report/compare_text.h"
#include "report/visible.h"
#include "report/xml.h"

namespace tuner::report {
namespace {

// As text or in double quotes. Control characters, which XML cannot hold, are written out before.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : xml_escaped(visible(text))) {
    if (c == '\n')
      out += "&#10;";
    else
      out += c;
  }
  return out;
}

// Why it cannot be compared, where that is no failure; empty where it was.
std::string skipped(const Compared& one, const CompareReport& report) {
  if (has_times(one) || !failure_of(one, report).empty() || one.same_binary) return {};
  if (!one.why_not.empty()) return one.why_not;
  if (!one.b.verdict.ok() || !one.a.verdict.ok()) return std::string(one.b.verdict.ok() ? "A" : "B") + " is not right";
  return "there are no times";
}

std::string_view kind_of(const Compared& one) {
  if (!one.b.verdict.ok()) return to_text(one.b.verdict.reason);
  return one.result.gate == measure::Gate::tripped ? "slower" : "undecided";
}

std::string said(const Compared& one) {
  std::string out = "A: " + one.a.config.label() + " (" + one.a.origin + ")\nB: " + one.b.config.label() + " (" +
                    one.b.origin + ")\n";
  if (!has_times(one)) return out;
  const measure::Comparison& result = one.result;
  out += fmt::format("A {:.4f} us, B {:.4f} us, B/A {:.5f}", result.a_us, result.b_us, result.ratio.ratio);
  if (result.ratio.high > 0) out += fmt::format(" ({:.5f} to {:.5f})", result.ratio.low, result.ratio.high);
  return out + fmt::format(", {}, {}\n", to_text(result.finding), to_text(one.how));
}

std::string case_of(const Compared& one, const CompareReport& report) {
  std::string name = shape_text(one.problem.dims) + " " + one.regime;
  if (!one.problem.facts.empty()) name += " " + facts_key(one.problem.facts);
  std::string out = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n",
                                escaped(one.problem.kernel), escaped(name), one.seconds);
  if (const std::string why = failure_of(one, report); !why.empty())
    out += fmt::format("      <failure message=\"{}\" type=\"{}\">{}</failure>\n", escaped(why), kind_of(one),
                       escaped(one.b.verdict.ok() ? why : one.b.verdict.detail));
  if (const std::string why = skipped(one, report); !why.empty())
    out += fmt::format("      <skipped message=\"{}\"/>\n", escaped(why));
  return out + fmt::format("      <system-out>{}</system-out>\n    </testcase>\n", escaped(said(one)));
}

}  // namespace

std::string compare_junit(const CompareReport& report) {
  int failures = 0, skips = 0;
  double seconds = 0;
  std::string cases;
  for (const Compared& one : report.all) {
    failures += failure_of(one, report).empty() ? 0 : 1;
    skips += skipped(one, report).empty() ? 0 : 1;
    seconds += one.seconds;
    cases += case_of(one, report);
  }
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"{:.3f}\"", report.all.size(), failures, seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tuner\" {1}>\n"
      "  <testsuite name=\"{0}\" {1} skipped=\"{3}\">\n{2}  </testsuite>\n</testsuites>\n",
      escaped("tuner compare: " + report.a + " against " + report.b), counts, cases, skips);
}

}  // namespace tuner::report
