#include "export/code_parts.h"

#include <fmt/format.h>

namespace tuner::exporting {

std::string hd(const std::string& head) {
  constexpr std::string_view marker = "static ";
  if (head.rfind(marker, 0) == 0) return "TUNER_EXPORT_HD static constexpr " + head.substr(marker.size());
  return "TUNER_EXPORT_HD constexpr " + head;
}

std::string switch_of(const std::string& type, const std::string& name, const std::string& extra,
                      const std::vector<std::string>& values, const std::string& otherwise) {
  std::string out = "  " + hd("static " + type + " " + name + "(" + extra + "int i) {") + "\n    switch (i) {\n";
  for (std::size_t i = 0; i < values.size(); ++i) out += fmt::format("      case {}: return {};\n", i, values[i]);
  return out + "      default: return " + otherwise + ";\n    }\n  }\n";
}

std::string reference_pair(const std::string& name, const std::string& type, const std::string& object,
                           const std::vector<std::string>& members) {
  return switch_of("long long&", name, type + "& " + object + ", ", members, members.back()) +
         switch_of("long long", name, "const " + type + "& " + object + ", ", members, members.back());
}

}  // namespace tuner::exporting
