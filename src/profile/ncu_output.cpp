#include "profile/ncu_output.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tuner::profile {
namespace {

using Cells = std::vector<std::string>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    if (!lines.back().empty() && lines.back().back() == '\r') lines.back().pop_back();
    at = end + 1;
  }
  return lines;
}

// A line of CSV; quotes are doubled inside of quotes.
Cells cells_of(const std::string& line) {
  Cells cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

// "1,234.5" with or without its commas; empty for what is no finite number.
std::optional<double> number_of(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::size_t column(const Cells& titles, const std::string& name) {
  return static_cast<std::size_t>(std::find(titles.begin(), titles.end(), name) - titles.begin());
}

Row row_of(const Cells& titles, const Cells& cells, const std::vector<std::string>& metrics) {
  Row row;
  const std::size_t kernel = column(titles, "Kernel Name");
  if (kernel < cells.size()) row.kernel = function_in(cells[kernel]);
  row.counters.entry = row.kernel;
  for (const std::string& metric : metrics) {
    const std::size_t at = column(titles, metric);
    const std::string text = at < cells.size() ? cells[at] : std::string();
    if (const auto value = number_of(text)) {
      row.counters.values.emplace_back(metric, *value);
    } else {
      const bool told = !text.empty() && text != "n/a";
      row.counters.absent.emplace_back(metric, told ? "ncu says '" + text + "'" : "this GPU does not count it");
    }
  }
  return row;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// ncu's complaints, without their marks and without what the command itself returned.
std::string complaints(const std::string& text) {
  std::string all;
  for (const std::string& line : lines_of(text)) {
    constexpr std::string_view mark = "==ERROR== ";
    if (line.rfind(mark, 0) != 0 || has(line, "returned an error code") || has(line, "An error was reported by"))
      continue;
    all += (all.empty() ? "" : " ") + line.substr(mark.size());
  }
  return all;
}

struct Known {
  std::string_view words;  // of ncu
  Refusal refusal;
};

const std::array<Known, 5>& known_refusals() {
  static const std::array<Known, 5> all{
      {{"ERR_NVGPUCTRPERM",
        {"the driver lets only administrators read the GPU's counters (ERR_NVGPUCTRPERM)",
         "run it as root (in a container with --cap-add SYS_ADMIN); or, for everybody, 'options nvidia "
         "NVreg_RestrictProfilingToAdminUsers=0' in /etc/modprobe.d, then load the driver anew"}},
       {"driver resource was unavailable",
        {"the GPU's counters are held by another tool",
         "end other profilers; where DCGM watches the GPU, 'dcgmi profile --pause' frees them until '--resume'"}},
       {"Subsystem for Linux",
        {"ncu does not profile this GPU under WSL", "allow its counters in the NVIDIA control panel of Windows"}},
       {"Profiling is not supported on",
        {"this ncu does not know this GPU, or a virtual GPU has no counters",
         "name one as new as the GPU in $TUNER_NCU; 'ncu --list-chips' says what it knows"}},
       {"driver is not compatible",
        {"this ncu does not fit the driver", "name one in $TUNER_NCU that is no newer than the driver's CUDA"}}}};
  return all;
}

}  // namespace

std::string function_in(const std::string& kernel) {
  std::string name = kernel.substr(0, kernel.find_first_of("<("));
  name.erase(name.find_last_not_of(' ') + 1);
  const auto at = name.find_last_of(" :");
  return at == std::string::npos ? name : name.substr(at + 1);
}

std::vector<Row> rows_of(const std::string& text, const std::vector<std::string>& metrics) {
  std::vector<Row> rows;
  Cells titles;
  for (const std::string& line : lines_of(text)) {
    if (line.rfind("\"ID\",", 0) == 0) {
      titles = cells_of(line);
      continue;
    }
    if (titles.empty() || line.empty() || line.front() != '"') continue;
    const Cells cells = cells_of(line);
    if (cells.front().empty()) continue;  // the units
    rows.push_back(row_of(titles, cells, metrics));
  }
  return rows;
}

std::vector<std::string> unknown_metrics(const std::string& text, const std::vector<std::string>& asked) {
  std::vector<std::string> unknown;
  for (const std::string& line : lines_of(text)) {
    if (line.rfind("==ERROR==", 0) != 0 || !(has(line, "metric") || has(line, "Metric"))) continue;
    for (const std::string& metric : asked)
      if (has(line, metric)) unknown.push_back(metric);
  }
  return unknown;
}

std::optional<Refusal> refusal_in(const std::string& text) {
  for (const Known& known : known_refusals())
    if (has(text, known.words)) return known.refusal;
  const std::string said = complaints(text);
  if (said.empty()) return std::nullopt;
  return Refusal{"ncu says: " + said, ""};
}

}  // namespace tuner::profile
