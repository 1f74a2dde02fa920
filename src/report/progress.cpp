#include "report/progress.h"

#include <fmt/format.h>

#include "core/problem.h"
#include "report/format.h"
#include "report/visible.h"

namespace tuner::report {
namespace {

using namespace std::chrono_literals;

std::string_view verb(tune::Phase phase) {
  switch (phase) {
    case tune::Phase::compile:
      return "compiling";
    case tune::Phase::verify:
      return "verifying";
    case tune::Phase::probe:
      return "probing";
    case tune::Phase::race:
      return "timing";
    case tune::Phase::finals:
      return "finals";
    case tune::Phase::search:
      return "searching";
  }
  return "";
}

}  // namespace

Progress::Progress(std::ostream& out, const Style& style, bool quiet, Now now)
    : out_(out), style_(style), quiet_(quiet), now_(std::move(now)), last_(now_()), phase_began_(last_) {}

void Progress::begin(const tune::ProblemEvent& problem) {
  begin(fmt::format("[{}/{}] {} {}", problem.index, problem.of, problem.problem.kernel,
                    shape_text(problem.problem.dims)));
}

void Progress::begin(const std::string& head) {
  clear();
  head_ = head;
  best_us_ = 0;
  phase_began_ = now_();
}

std::string Progress::line(const tune::ProgressEvent& event, Clock::time_point now) const {
  std::string text = fmt::format("{}  {} {}", head_, verb(event.phase), event.done);
  if (event.of > 0) text += fmt::format("/{}", event.of);
  if (event.best_us > 0) {
    text += "  best " + time_text(event.best_us);
    if (event.best_sol > 0) text += fmt::format(" ({} of attainable)", percent(event.best_sol));
  }
  if (event.rejected > 0) text += fmt::format("  rejected {}", event.rejected);
  const std::chrono::duration<double> spent = now - phase_began_;
  if (event.done > 0 && event.of > event.done && spent > 1s)
    text += "  " +
            duration(spent.count() * static_cast<double>(event.of - event.done) / static_cast<double>(event.done)) +
            " left";
  return text;
}

void Progress::rewrite(const std::string& text, Clock::time_point now) {
  const std::size_t width = style_.width > 1 ? static_cast<std::size_t>(style_.width - 1) : 1;
  out_ << "\r\033[2K" << style_.text(clipped(one_line(text), width)) << std::flush;
  shown_ = true;
  last_ = now;
}

void Progress::waiting(const std::string& what, const std::string& how_long) {
  if (quiet_) return;
  if (style_.terminal) return rewrite(what + "; " + how_long, now_());
  if (what == waited_for_) return;
  waited_for_ = what;
  out_ << style_.text(what + "; " + how_long) << std::endl;
}

void Progress::update(const tune::ProgressEvent& event) {
  if (quiet_) return;
  const Clock::time_point now = now_();
  if (event.phase != phase_) {
    phase_ = event.phase;
    phase_began_ = now;
  }
  if (style_.terminal) {
    if (!shown_ || now - last_ >= 200ms) rewrite(line(event, now), now);
    return;
  }
  // Clearly better only, so that the log of a long sweep stays short.
  const bool new_best = event.best_us > 0 && (best_us_ == 0 || event.best_us < best_us_ * 0.99);
  if (!new_best && now - last_ < 30s) return;
  if (event.best_us > 0) best_us_ = event.best_us;
  last_ = now;
  out_ << style_.text(line(event, now)) << std::endl;
}

void Progress::clear() {
  if (!shown_) return;
  out_ << "\r\033[2K" << std::flush;
  shown_ = false;
}

}  // namespace tuner::report
