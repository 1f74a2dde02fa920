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
    : out_(out), style_(style), quiet_(quiet), now_(std::move(now)), last_(now_()) {
  line_of({});
}

Progress::Line& Progress::line_of(const std::string& device) {
  const auto [at, fresh] = lines_.try_emplace(device);
  if (fresh) at->second.last = at->second.phase_began = now_();
  return at->second;
}

void Progress::begin(const tune::ProblemEvent& problem) {
  begin(line_of(problem.device),
        fmt::format("{}[{}/{}] {} {}", problem.device.empty() ? "" : problem.device + " ", problem.index, problem.of,
                    problem.problem.kernel, shape_text(problem.problem.dims)));
}

void Progress::begin(const std::string& head) { begin(line_of({}), head); }

void Progress::begin(Line& line, const std::string& head) {
  clear();
  line.head = head;
  line.best_us = 0;
  line.phase_began = now_();
}

std::string Progress::text_of(const Line& line, const tune::ProgressEvent& event, Clock::time_point now) {
  std::string text = fmt::format("{}  {} {}", line.head, verb(event.phase), event.done);
  if (event.of > 0) text += fmt::format("/{}", event.of);
  if (event.best_us > 0) {
    text += "  best " + time_text(event.best_us);
    if (event.best_sol > 0) text += fmt::format(" ({} of attainable)", percent(event.best_sol));
  }
  if (event.rejected > 0) text += fmt::format("  rejected {}", event.rejected);
  const std::chrono::duration<double> spent = now - line.phase_began;
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
  Line& line = line_of(event.device);
  if (event.phase != line.phase) {
    line.phase = event.phase;
    line.phase_began = now;
  }
  if (style_.terminal) {
    const bool other = event.device != shown_device_;
    if (shown_ && (other ? now - shown_since_ < 1s : now - last_ < 200ms)) return;
    if (other || !shown_) shown_since_ = now;
    shown_device_ = event.device;
    return rewrite(text_of(line, event, now), now);
  }
  // Clearly better only, so that the log of a long sweep stays short.
  const bool new_best = event.best_us > 0 && (line.best_us == 0 || event.best_us < line.best_us * 0.99);
  if (!new_best && now - line.last < 30s) return;
  if (event.best_us > 0) line.best_us = event.best_us;
  line.last = now;
  out_ << style_.text(text_of(line, event, now)) << std::endl;
}

void Progress::clear() {
  if (!shown_) return;
  out_ << "\r\033[2K" << std::flush;
  shown_ = false;
}

}  // namespace tuner::report
