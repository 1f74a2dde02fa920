#include "compile/host_unit.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <regex>
#include <set>

#include "compile/dynamic_shared.h"
#include "compile/host_code.h"
#include "compile/includes.h"
#include "core/identifier.h"
#include "core/simt_abi.h"

namespace tuner::compile {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_identifier(text[end])) ++end;
    if (end > at) words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

template <class F>
void for_each_line(std::string_view text, const F& f) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    f(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

// The rest of the line after `# directive`, if it is one.
std::optional<std::string_view> after_directive(std::string_view line, std::string_view directive) {
  const auto skip = [&] {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  };
  skip();
  if (line.empty() || line.front() != '#') return {};
  line.remove_prefix(1);
  skip();
  if (line.substr(0, directive.size()) != directive) return {};
  line.remove_prefix(directive.size());
  skip();
  return line;
}

// What comes in front of all configurations.
struct Hoisted {
  std::set<std::string> system;   // before what stands for CUDA
  std::set<std::string> outside;  // behind it: read from include_dirs
};

// The prelude stands for these.
bool is_cuda_header(std::string_view name) {
  for (const char* own : {"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h",
                          "device_functions.h", "vector_types.h", "vector_functions.h", "math_constants.h"})
    if (name == own) return true;
  return false;
}

// What makes a header come once, however often it is included: #pragma once, or a condition around all of it.
enum class Once { no, pragma, guard };
Once once_by(std::string_view text) {
  Once once = Once::no;
  int directives = 0;
  for_each_line(text, [&](std::string_view line) {
    const auto directive = after_directive(line, "");
    if (!directive || once != Once::no) return;
    const auto pragma = after_directive(line, "pragma");
    if (pragma && pragma->substr(0, 4) == "once")
      once = Once::pragma;
    else if (++directives == 1 && directive->substr(0, 6) == "ifndef")
      once = Once::guard;
  });
  return once;
}

// The text for one place: quoted includes replaced by their headers, those that come once guarded where a condition
// leaves it open which include is the first; the others are hoisted. Lines keep their numbers.
class Expansion {
 public:
  Expansion(const Source& source, std::set<std::string>& done, Hoisted& hoisted)
      : source_(source), done_(done), hoisted_(hoisted) {}

  void add(std::string_view text, std::string file) {
    int number = 0;
    for_each_line(text, [&](std::string_view line) {
      ++number;
      const auto include = after_directive(line, "include");
      const auto pragma = after_directive(line, "pragma");
      depth_ += after_directive(line, "if") ? 1 : after_directive(line, "endif") ? -1 : 0;
      if (const auto place = after_directive(line, "line")) {
        number = std::atoi(std::string(*place).c_str()) - 1;
        file = quoted(*place).value_or(file);
      } else if (include && !include->empty() && include->front() == '<') {
        hoist(std::string(include->substr(1, include->find('>') - 1)), '<', '>');
        line = {};
      } else if (include && quoted(*include)) {
        add_header(*quoted(*include));
        result += fmt::format("#line {} \"{}\"", number, file);
        line = {};
      } else if (pragma && pragma->substr(0, 4) == "once") {
        line = {};
      }
      result += line;
      result += '\n';
      if (include && quoted(*include)) result += '\n';
    });
  }
  std::string result;

 private:
  static std::optional<std::string> quoted(std::string_view text) {
    const auto begin = text.find('"');
    const auto end = begin == std::string_view::npos ? begin : text.find('"', begin + 1);
    if (end == std::string_view::npos) return {};
    return std::string(text.substr(begin + 1, end - begin - 1));
  }

  void add_header(const std::string& name) {
    const auto header =
        std::find_if(source_.headers.begin(), source_.headers.end(), [&](const Header& h) { return h.name == name; });
    if (header == source_.headers.end()) return hoist(name, '"', '"');
    if (done_.count(name) != 0 || !open_.insert(name).second) return;
    const Once once = once_by(header->text);
    const bool guarded = once != Once::no && (depth_ > 0 || perhaps_.count(name) != 0);
    if (once != Once::no) (depth_ > 0 ? perhaps_ : done_).insert(name);
    const auto macro = fmt::format("TUNER_INCLUDED_{}", header - source_.headers.begin());
    if (guarded) result += fmt::format("#ifndef {0}\n#define {0}\n", macro);
    result += fmt::format("#line 1 \"{}\"\n", name);
    depth_ -= once == Once::guard ? 1 : 0;
    add(header->text, name);
    depth_ += once == Once::guard ? 1 : 0;
    if (guarded) result += "#endif\n";
    open_.erase(name);
  }

  void hoist(const std::string& name, char open, char close) {
    if (is_cuda_header(name)) return;
    const bool outside = !find_include(name, source_.include_dirs).empty();
    (outside ? hoisted_.outside : hoisted_.system).insert(open + name + close);
  }

  const Source& source_;
  std::set<std::string>& done_;    // included whatever the conditions
  std::set<std::string> perhaps_;  // included, where a condition holds
  std::set<std::string> open_;     // that this text is in
  int depth_ = 0;                  // of conditions
  Hoisted& hoisted_;
};

// Of "ops::reduce<256, float>".
struct EntryParts {
  std::string scope, function, arguments;  // "ops::", "reduce", "<256, float>"
};
EntryParts entry_parts(const std::string& entry) {
  const std::string_view path = std::string_view(entry).substr(0, entry.find('<'));
  const std::string_view function = unqualified(path);
  return {std::string(path.substr(0, path.size() - function.size())), std::string(function), entry.substr(path.size())};
}

// The functions of the entries, each once.
std::set<std::string> functions_of(const Source& source) {
  std::set<std::string> functions;
  for (const auto& entry : source.entries) functions.insert(entry_parts(entry).function);
  return functions;
}

// Whether a text declares this function, and never as a __global__. What a macro declares is not looked into.
bool declared_without_global(std::string_view text, std::string_view function) {
  constexpr std::string_view global = "__global__";
  bool declared = false;
  for (auto at = text.find(function); at != std::string_view::npos; at = text.find(function, at + 1)) {
    const auto end = text.find_first_not_of(" \t\n", at + function.size());
    const bool whole = (at == 0 || !in_identifier(text[at - 1])) && end != std::string_view::npos && text[end] == '(';
    if (!whole) continue;
    const auto before = text.substr(0, at).find_last_of(";{}");
    const auto lead = text.substr(before == std::string_view::npos ? 0 : before + 1, at - before - 1);
    if (lead.find(global) != std::string_view::npos) return false;
    declared |= lead.find("void") != std::string_view::npos;
  }
  for_each_line(text, [&](std::string_view line) {
    if (after_directive(line, "define") && line.find(global) != std::string_view::npos) declared = false;
  });
  return declared;
}

// Names of the headers without #pragma once, which may use all that comes before them, of those whose text mentions a
// macro or an entry of any of the sources, and of those that include such a one.
std::set<std::string> private_headers(const std::vector<const Source*>& sources) {
  std::set<std::string> macros;
  for (const Source* source : sources) {
    for (auto& macro : macros_of(source->text)) macros.insert(std::move(macro));
    macros.merge(functions_of(*source));
  }
  std::set<std::string> found;
  for (bool grew = true; grew;) {
    grew = false;
    for (const Header& header : sources.front()->headers) {
      if (found.count(header.name) != 0) continue;
      const auto words = words_of(header.text);
      const bool uses = std::any_of(words.begin(), words.end(), [&](const auto& w) { return macros.count(w) != 0; });
      const bool includes = std::any_of(found.begin(), found.end(), [&](const std::string& name) {
        return header.text.find('"' + name + '"') != std::string::npos;
      });
      if (once_by(header.text) != Once::pragma || uses || includes) grew = found.insert(header.name).second;
    }
  }
  return found;
}

std::string symbol_table(const Source& source) {
  std::string rows;
  for (const auto& symbol : source.symbols)
    rows += fmt::format("  tuner_simt::symbol(\"{0}\", &{0}, sizeof({0})),\n", symbol);
  return "const tuner_simt::Symbol symbols[] = {\n" + rows + "  {nullptr, nullptr, 0}};\n";
}

std::string configuration(const Source& source, std::size_t index, std::set<std::string> done, Hoisted& hoisted) {
  Expansion body(source, done, hoisted);
  body.add(source.nvcc ? without_host_code(source.text) : source.text, source.name);
  const auto functions = functions_of(source);
  std::string text;
  text += fmt::format("namespace {{ namespace configuration_{} {{\n", index);
  text += fmt::format("#define __shared__ static __attribute__((section(\"tuner_shared_{}\")))\n", index);
  // extern "C" functions of one name would be one function, whatever their namespaces.
  for (const auto& function : functions) text += fmt::format("#define {0} {0}_{1}\n", function, index);
  text += with_dynamic_shared(body.result);
  for (const auto& function : functions) text += fmt::format("#undef {}\n", function);
  // While the source's macros are there: they may stand for template arguments.
  text += fmt::format("#line 1 \"{}\"\n", entries_file(source));
  for (std::size_t i = 0; i < source.entries.size(); ++i) {
    const EntryParts entry = entry_parts(source.entries[i]);
    text += fmt::format("constexpr auto tuner_function_{} = tuner_simt::kernel{}(&{}{}_{}{});\n", i,
                        declared_without_global(body.result, entry.function) ? "_without_global" : "", entry.scope,
                        entry.function, index, entry.arguments);
  }
  for (const auto& macro : macros_of(body.result)) text += fmt::format("#undef {}\n", macro);
  text += "#undef __shared__\n";
  text += fmt::format("#line 1 \"table of configuration {}\"\n", index);
  text += "const tuner_simt::Entry entries[] = {\n";
  for (std::size_t i = 0; i < source.entries.size(); ++i)
    text += fmt::format("  tuner_simt::entry<tuner_function_{}>(\"{}\"),\n", i, source.entries[i]);
  text += "};\n" + symbol_table(source) + "}}\n";
  return text;
}

// The lines before the template's own.
std::string macros_in_front(const Source& source) { return source.text.substr(0, source.text.find("#line ")); }

std::string table(const std::vector<const Source*>& sources) {
  std::string declared, rows;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string section = fmt::format("tuner_shared_{}", i);
    declared += fmt::format(
        "extern \"C\" char __start_{0}[] __attribute__((weak, visibility(\"hidden\")));\n"
        "extern \"C\" char __stop_{0}[] __attribute__((weak, visibility(\"hidden\")));\n",
        section);
    rows += fmt::format(
        "  {{tuner_unit::configuration_{0}::entries, {1}, __start_{2}, __stop_{2}, "
        "tuner_unit::configuration_{0}::symbols, {3}}},\n",
        i, sources[i]->entries.size(), section, sources[i]->symbols.size());
  }
  return declared + fmt::format("static const tuner_simt::Configuration tuner_configurations[] = {{\n{}}};\n", rows) +
         fmt::format(
             "static const tuner_simt::Library tuner_library = {{tuner_simt::abi_version, {}, "
             "tuner_configurations}};\n",
             sources.size()) +
         "extern \"C\" __attribute__((visibility(\"default\"))) const tuner_simt::Library* tuner_host_library(const "
         "tuner_simt::Runtime* runtime) {\n  tuner_simt::runtime = runtime;\n  return &tuner_library;\n}\n";
}

}  // namespace

std::string entries_file(const Source& source) { return "entries of " + source.name; }

const std::string& host_prelude() {
  // In this order.
  static const std::string text = std::string(TUNER_SIMT_ABI(TUNER_SIMT_AS_TEXT)) + "\n" +
#include "compile/host_types.inc"
                                  +
#include "compile/host_math.inc"
                                  +
#include "compile/host_prelude.inc"
                                  +
#include "compile/host_intrinsics.inc"
      ;
  return text;
}

bool may_share(const Source& a, const Source& b) {
  return a.include_dirs.empty() && b.include_dirs.empty() && host_flags(a) == host_flags(b) &&
         std::equal(a.headers.begin(), a.headers.end(), b.headers.begin(), b.headers.end(),
                    [](const Header& x, const Header& y) { return x.name == y.name && x.text == y.text; });
}

std::vector<std::string> host_flags(const Source& source) {
  static const std::array<std::pair<std::string_view, std::string_view>, 6> kinds{{{"--define-macro=", "-D"},
                                                                                   {"--undefine-macro=", "-U"},
                                                                                   {"--include-path=", "-I"},
                                                                                   {"-D", "-D"},
                                                                                   {"-U", "-U"},
                                                                                   {"-I", "-I"}}};
  std::vector<std::string> flags;
  for (const std::string& option : source.options) {
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) { return option.rfind(each.first, 0) == 0; });
    if (kind != kinds.end()) flags.push_back(std::string(kind->second) + option.substr(kind->first.size()));
    const auto standard = option.find("std=c++2");
    if (standard == 1 || standard == 2) flags.push_back("-" + option.substr(standard));
  }
  for (const std::string& folder : source.include_dirs) flags.push_back("-I" + folder);
  return flags;
}

std::vector<std::string> macros_of(std::string_view text) {
  std::vector<std::string> macros;
  for_each_line(text, [&](std::string_view line) {
    const auto rest = after_directive(line, "define");
    if (!rest) return;
    std::size_t end = 0;
    while (end < rest->size() && in_identifier((*rest)[end])) ++end;
    if (end > 0) macros.emplace_back(rest->substr(0, end));
  });
  std::sort(macros.begin(), macros.end());
  macros.erase(std::unique(macros.begin(), macros.end()), macros.end());
  return macros;
}

std::string host_unit(const std::vector<const Source*>& sources) {
  const std::set<std::string> own = private_headers(sources);
  Hoisted hoisted;
  std::set<std::string> shared = own;  // own: not in front
  Expansion front(*sources.front(), shared, hoisted);
  for (const Header& header : sources.front()->headers)
    if (own.count(header.name) == 0) front.add(fmt::format("#include \"{}\"\n", header.name), "headers");
  std::set<std::string> done = shared;
  for (const auto& name : own) done.erase(name);
  std::string body;
  for (std::size_t i = 0; i < sources.size(); ++i) body += configuration(*sources[i], i, done, hoisted);
  std::string text;
  for (const auto& name : hoisted.system) text += fmt::format("#include {}\n", name);
  text += host_prelude();
  if (!hoisted.outside.empty()) text += macros_in_front(*sources.front());
  for (const auto& name : hoisted.outside) text += fmt::format("#include {}\n", name);
  text += front.result;
  text += "namespace tuner_unit {\n" + body + "}\n" + table(sources);
  return text;
}

}  // namespace tuner::compile
