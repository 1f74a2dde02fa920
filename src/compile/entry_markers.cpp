#include "compile/entry_markers.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "compile/host_unit.h"

namespace tuner::compile {
namespace {

constexpr std::string_view marker = "tuner_entry_marker";

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return text != nullptr && status == 0 ? text.get() : symbol;
}

// The number and the entry of "void tuner_entry_marker<0, &(k(int*))>()".
struct Marked {
  std::size_t number = 0;
  std::string entry;
};
Marked marked(const std::string& text) {
  const auto open = text.find(marker), comma = text.find(", &", open), close = text.rfind(">()");
  if (comma == std::string::npos || close == std::string::npos) return {};
  Marked found;
  found.number = static_cast<std::size_t>(std::atoi(text.c_str() + open + marker.size() + 1));
  found.entry = text.substr(comma + 3, close - comma - 3);
  if (found.entry.size() > 2 && found.entry.front() == '(' && found.entry.back() == ')')
    found.entry = found.entry.substr(1, found.entry.size() - 2);
  return found;
}

// An extern "C" function has its parameters only where it is an argument, and one of a namespace where it is none.
bool is_same(const std::string& entry, const std::string& symbol) {
  const std::string name = demangled(symbol);
  return entry == name || entry == name.substr(0, name.find('(')) ||
         (name == symbol && entry.substr(0, entry.find('(')) == symbol);
}

}  // namespace

std::string entry_markers(const Source& source) {
  std::string text = "\n#line 1 \"markers\"\ntemplate <int number, auto entry> __global__ void ";
  text.append(marker).append("() {}\n#line 1 \"").append(entries_file(source)).append("\"\n");
  for (std::size_t i = 0; i < source.entries.size(); ++i)
    text.append("template __global__ void ")
        .append(marker)
        .append("<" + std::to_string(i) + ", &" + source.entries[i] + ">();\n");
  return text;
}

bool is_entry_marker(std::string_view symbol) { return symbol.find(marker) != std::string_view::npos; }

std::vector<std::string> take_entry_markers(std::vector<KernelAttributes>& kernels, std::size_t count) {
  std::vector<std::string> symbols(count);
  const auto markers = std::stable_partition(kernels.begin(), kernels.end(),
                                             [](const KernelAttributes& k) { return !is_entry_marker(k.symbol); });
  for (auto each = markers; each != kernels.end(); ++each) {
    const Marked found = marked(demangled(each->symbol));
    const auto kernel = std::find_if(kernels.begin(), markers,
                                     [&](const KernelAttributes& one) { return is_same(found.entry, one.symbol); });
    if (kernel != markers && found.number < count) symbols[found.number] = kernel->symbol;
  }
  kernels.erase(markers, kernels.end());
  return symbols;
}

}  // namespace tuner::compile
