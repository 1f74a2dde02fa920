#include "report/profile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profile/figures.h"
#include "report/format.h"
#include "report/profile_names.h"
#include "report/profile_values.h"
#include "report/table.h"
#include "report/visible.h"

namespace tuner::report {
namespace {

using profile::Figure;

constexpr std::size_t figures_shown = 8;  // in the table; the rest is for comparisons

// "a b", or the one that is not empty.
std::string both(const std::string& a, const std::string& b) { return a.empty() || b.empty() ? a + b : a + " " + b; }

struct NamedLaunch {
  std::string name;  // of its configuration where there are several, and its own where there are several
  const LaunchCounters* launch;
  bool minor = false;  // it issues little of what its configuration does
};

std::vector<NamedLaunch> launches_of(const Profiled& one, const std::string& name) {
  std::vector<NamedLaunch> all;
  if (!one.counters) return all;
  const std::vector<LaunchCounters>& launches = one.counters->launches;
  double issued = 0;
  for (const LaunchCounters& launch : launches) issued += profile::instructions(launch);
  for (const LaunchCounters& launch : launches)
    all.push_back(
        {both(name, launches.size() > 1 ? launch.entry : ""), &launch, profile::instructions(launch) < 0.05 * issued});
  return all;
}

std::string legend(const Profile& profile, const std::vector<std::string>& names) {
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, display_width(name));
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Profiled& one = profile.all[i];
    const std::string label = one.config.label();
    const bool alone = names[i].empty() || names[i] == label;
    out += "  " + (alone ? label : fmt::format("{:<{}}  {}", names[i], width, label)) + "  (" + one.origin + ")\n";
    if (!one.counters) out += "    not counted: " + one_line(one.failure) + "\n";
    if (one.other_binary) out += "    its time is of another binary than the one that was counted\n";
  }
  return out;
}

Table figures_table(const std::string& parameter) {
  std::vector<Table::Column> titles{{parameter, false}, {"launch", false}};
  std::vector<std::string> targets{"target", ""};
  for (std::size_t i = 0; i < figures_shown; ++i) {
    titles.push_back({std::string(profile::figure_kinds()[i].brief)});
    targets.push_back(target_text(profile::figure_kinds()[i]));
  }
  titles.insert(titles.end(), {{"waits most for", false}, {"time"}});
  targets.insert(targets.end(), {"", ""});
  Table table(titles);
  table.add(targets);
  return table;
}

std::string most_waited(const LaunchCounters& launch) {
  const std::vector<profile::Stall> stalls = profile::stalls_of(launch);
  return stalls.empty() ? "-" : fmt::format("{} {:.0f}%", stalls.front().reason, stalls.front().share * 100);
}

void add_launches(Table& table, const Profiled& one, const std::string& name) {
  const std::vector<LaunchCounters>& launches = one.counters->launches;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const std::string title = name.empty() ? "counted" : name;
    std::vector<std::string> cells{i == 0 ? title : "", launches.size() > 1 ? launches[i].entry : ""};
    const std::vector<Figure> figures = profile::figures_of(launches[i]);
    for (std::size_t k = 0; k < figures_shown; ++k) cells.push_back(figure_text(figures[k]));
    cells.push_back(most_waited(launches[i]));
    cells.push_back(i == 0 && one.time_us > 0 ? time_text(one.time_us) : "");
    table.add(cells);
  }
}

// A sentence and what it is said of, each once.
class Remarks {
 public:
  void add(const std::string& title, const std::string& text, const std::string& of) {
    for (Remark& remark : all_)
      if (remark.title == title && remark.text == text) return void(remark.of += (of.empty() ? "" : ", ") + of);
    all_.push_back({title, text, of});
  }
  // In the order of their titles as first met.
  std::string text() const {
    std::vector<std::string> titles;
    for (const Remark& remark : all_)
      if (std::find(titles.begin(), titles.end(), remark.title) == titles.end()) titles.push_back(remark.title);
    std::string out;
    for (const std::string& title : titles)
      for (const Remark& remark : all_)
        if (remark.title == title)
          out += "  " + title + (remark.of.empty() ? "" : ": ") + remark.of + "\n    " + remark.text + "\n";
    return out;
  }

 private:
  struct Remark {
    std::string title, text, of;
  };
  std::vector<Remark> all_;
};

const Figure* find_figure(const std::vector<Figure>& figures, const std::string& key) {
  for (const Figure& figure : figures)
    if (figure.kind->key == key) return &figure;
  return nullptr;
}

std::string missed_title(const profile::FigureKind& kind) {
  const bool above = kind.target->kind == profile::Target::Kind::above;
  return fmt::format("{} {} {:.0f}%", kind.title, above ? "under" : "over", kind.target->value * 100);
}

std::string remarks_of(const std::vector<NamedLaunch>& launches) {
  Remarks missed, absent, waits;
  for (const auto& [name, launch, minor] : launches) {
    if (minor) continue;
    const std::vector<Figure> figures = profile::figures_of(*launch);
    for (const profile::Advice& advice : profile::advice_of(*launch)) {
      const Figure* figure = find_figure(figures, advice.key);
      missed.add(figure != nullptr ? missed_title(*figure->kind) : "DRAM and SM throughput under 60%", advice.text,
                 figure != nullptr ? both(name, figure_text(*figure)) : name);
    }
    for (const Figure& figure : figures)
      if (!figure.value) absent.add(std::string(figure.kind->title) + " -", figure.absent, name);
    const std::vector<profile::Stall> stalls = profile::stalls_of(*launch);
    if (!stalls.empty())
      waits.add("waits most for " + stalls.front().reason, std::string(profile::waits_for(stalls.front().reason)),
                name);
  }
  return missed.text() + waits.text() + absent.text();
}

// The profiler where all were counted by one.
std::string counted_by(const Profile& profile) {
  std::string all;
  for (const Profiled& one : profile.all) {
    if (!one.counters) continue;
    if (!all.empty() && all != one.counters->profiler) return {};
    all = one.counters->profiler;
  }
  return all.empty() ? all : ", " + all;
}

}  // namespace

std::string profile_text(const Profile& profile, const Style& style) {
  std::vector<Config> configs;
  for (const Profiled& one : profile.all) configs.push_back(one.config);
  TellingNames telling = telling_names(configs);
  if (configs.size() == 1) telling.names = {""};
  const std::vector<std::string>& names = telling.names;
  Table table = figures_table(telling.parameter);
  std::vector<NamedLaunch> launches;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::vector<NamedLaunch> own = launches_of(profile.all[i], names[i]);
    launches.insert(launches.end(), own.begin(), own.end());
    if (!own.empty()) add_launches(table, profile.all[i], names[i]);
  }
  const std::string title = fmt::format("{} {} on {}{}", profile.problem.kernel, shape_text(profile.problem.dims),
                                        profile.gpu, counted_by(profile));
  std::string out = style.bold(title) + "\n" + style.text(legend(profile, names));
  if (launches.empty()) return out;
  return out + "\n" + table.text(style) + "\n" + style.text(remarks_of(launches));
}

}  // namespace tuner::report
