#include "compile/log_hint.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <vector>

#include "compile/code_pieces.h"
#include "core/identifier.h"

namespace tuner::compile {
namespace {

// Names and the source's own lines, which follow the first #line.
struct Parts {
  std::vector<std::string> macros;
  std::vector<std::string> lines;
};

Parts parts_of(const std::string& text) {
  Parts parts;
  bool front = true;
  std::istringstream in(comments_blanked(text));
  for (std::string line; std::getline(in, line);) {
    if (!front) {
      parts.lines.push_back(line);
    } else if (line.rfind("#line 1 ", 0) == 0) {
      front = false;
    } else if (line.rfind("#define ", 0) == 0) {
      const auto end = std::find_if(line.begin() + 8, line.end(), [](char c) { return !in_identifier(c); });
      parts.macros.emplace_back(line.begin() + 8, end);
    }
  }
  return parts;
}

// "constexpr int BX = 32", "int BX;", "auto BX{1}": a word before it that may be a type, and what may follow a name.
bool declares(std::string_view line, const std::string& name) {
  for (auto at = find_word(line, name); at != std::string_view::npos; at = find_word(line, name, at + 1)) {
    std::size_t next = at + name.size();
    while (next < line.size() && line[next] == ' ') ++next;
    const bool compared = line.substr(next, 2) == "==";
    if (next >= line.size() || compared || std::string_view("={;").find(line[next]) == std::string_view::npos) continue;
    std::size_t end = at;
    while (end > 0 && line[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && in_identifier(line[begin - 1])) --begin;
    const std::string_view before = line.substr(begin, end - begin);
    if (end == at || before.empty() || std::isdigit(static_cast<unsigned char>(before.front())) != 0) continue;
    if (before != "return" && before != "case" && before != "goto" && before != "else" && before != "define")
      return true;
  }
  return false;
}

}  // namespace

std::string log_hint(const Source& source, const std::string& log) {
  const Parts parts = parts_of(source.text);
  for (std::size_t i = 0; i < parts.lines.size(); ++i)
    for (const std::string& macro : parts.macros)
      if (declares(parts.lines[i], macro))
        return "hint: " + source.name + ":" + std::to_string(i + 1) + " declares '" + macro +
               "', which is a macro in front of the source: take the declaration out, or put #ifndef " + macro +
               " around it";
  const bool launches = source.text.find("<<<") != std::string::npos;
  if (!source.nvcc && (launches || log.find("open source file") != std::string::npos))
    return "hint: NVRTC takes neither host code nor its headers; `compiler: nvcc` in the manifest compiles it with "
           "nvcc";
  return {};
}

Artifact with_hint(Artifact artifact, const Source& source) {
  if (artifact.reason != Reason::compile_error) return artifact;
  const std::string hint = log_hint(source, artifact.log);
  if (!hint.empty()) artifact.log += (artifact.log.empty() ? "" : "\n") + hint;
  return artifact;
}

}  // namespace tuner::compile
