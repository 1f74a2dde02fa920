#include "compile/entries.h"

#include <algorithm>
#include <cstdlib>

namespace tuner::compile {
namespace {

constexpr std::string_view error_mark = "error: ";

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

// NVRTC shows the expression behind an error and counts all of them as one line.
constexpr std::string_view shown_mark = "nv_mangled_name ";

std::string_view entry_at(std::string_view place, std::string_view shown, const std::vector<std::string>& entries) {
  if (const auto at = shown.find(shown_mark); at != std::string_view::npos) return shown.substr(at + shown_mark.size());
  const int line = std::atoi(std::string(place.substr(0, 8)).c_str());
  return line >= 1 && static_cast<std::size_t>(line) <= entries.size() ? entries[static_cast<std::size_t>(line) - 1]
                                                                       : std::string_view();
}

}  // namespace

std::string name_kernels(std::vector<KernelAttributes>& kernels, const std::vector<std::string>& entries,
                         const std::vector<std::string>& symbols) {
  std::string have;
  for (const auto& kernel : kernels) have += (have.empty() ? "" : ", ") + kernel.symbol;
  std::vector<KernelAttributes> named;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const KernelAttributes& kernel) {
      return i < symbols.size() && kernel.symbol == symbols[i];
    });
    if (found == kernels.end()) return no_kernel(entries[i]) + "; there is " + (have.empty() ? "none" : have);
    named.push_back(*found);
    named.back().entry = entries[i];
  }
  for (const auto& kernel : kernels)
    if (std::find(symbols.begin(), symbols.end(), kernel.symbol) == symbols.end()) named.push_back(kernel);
  kernels = std::move(named);
  return {};
}

std::optional<EntryFault> entry_fault(std::string_view log, std::string_view file,
                                      const std::vector<std::string>& entries) {
  while (!log.empty()) {
    const std::string_view line = next_line(log);
    const auto mark = line.find(error_mark);
    if (mark == std::string_view::npos) continue;
    if (line.substr(0, file.size()) != file || line.size() == file.size()) return std::nullopt;
    const std::string_view place = line.substr(file.size());
    if (place.front() != '(' && place.front() != ':') return std::nullopt;
    const std::string_view shown = next_line(log);
    return EntryFault{std::string(entry_at(place.substr(1), shown, entries)),
                      std::string(line.substr(mark + error_mark.size()))};
  }
  return std::nullopt;
}

std::string no_kernel(std::string_view entry) { return "no __global__ function '" + std::string(entry) + "'"; }

}  // namespace tuner::compile
