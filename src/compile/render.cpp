#include "compile/render.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

#include "compile/includes.h"
#include "compile/own_defines.h"
#include "compile/unroll_pragmas.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/identifier.h"
#include "spec/resolve.h"

namespace tuner::compile {
namespace {

namespace fs = std::filesystem;

std::vector<std::string>& extra_folders() {
  static std::vector<std::string> folders;
  return folders;
}

std::string read_source(const spec::KernelSpec& kernel, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file) throw UserError("cannot read the source '" + path + "'", kernel.path);
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> folders_for(const spec::KernelSpec& kernel) {
  std::vector<std::string> folders;
  for (const auto& path : {kernel.source_path, kernel.path}) {
    const auto folder = fs::path(path).parent_path();
    for (const auto& one : {folder, folder / "include", folder.parent_path() / "include"})
      folders.push_back(one.string());
  }
  folders.insert(folders.end(), extra_folders().begin(), extra_folders().end());
  return folders;
}

IncludePlaces places_for(const spec::KernelSpec& kernel) {
  return {folders_for(kernel), kernel.include_dirs, kernel.nvcc};
}

std::string outside_of(const spec::KernelSpec& kernel, const std::string& body, const std::vector<Header>& headers) {
  std::vector<std::string_view> texts{body};
  for (const auto& header : headers) texts.push_back(header.text);
  return outside_hash(texts, kernel.include_dirs);
}

// What every source of a kernel has, whatever the configuration; returns the file's text.
std::string read_own(Source& source, const spec::KernelSpec& kernel, const std::string& path) {
  source.name = fs::path(path).filename().string();
  std::string body = read_source(kernel, path);
  source.headers = include_closure(body, path, places_for(kernel));
  source.include_dirs = kernel.include_dirs;
  source.nvcc = kernel.nvcc;
  // nvcc reads every header from its file.
  const auto own = folders_for(kernel);
  if (kernel.nvcc) source.include_dirs.insert(source.include_dirs.begin(), own.begin(), own.end());
  return body;
}

std::string define(const std::string& name, const std::string& value) {
  std::string line = "#define ";
  line.append(name).append(" ").append(value).append("\n");
  return line;
}

std::string integer_text(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807 - 1)";
  std::string text = std::to_string(value);
  return value < 0 ? std::string("(").append(text).append(")") : text;
}

std::string fact_line(const std::string& name, const Value& value) {
  const std::string macro = std::string("FACT_").append(name);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return define(macro, integer_text(*number));
  if (const auto* truth = std::get_if<bool>(&value)) return define(macro, *truth ? "1" : "0");
  const std::string& word = std::get<Name>(value).text;
  if (const auto type = type_from_text(word)) return define(macro, std::string(cpp_name(*type)));
  return define(macro + "_" + word, "1");
}

bool made_of_dims(const spec::KernelSpec& kernel, const std::string& fact) {
  for (const auto& [name, expression] : kernel.facts) {
    if (name != fact) continue;
    const auto names = expression.names();
    return std::any_of(kernel.dims.begin(), kernel.dims.end(), [&](const auto& dim) { return names.count(dim) != 0; });
  }
  return false;
}

std::string fact_lines(const spec::KernelSpec& kernel, const Problem& problem, std::string_view source,
                       const std::vector<Header>& headers) {
  std::string lines;
  for (const auto& [name, value] : problem.facts) {
    const std::string macro = std::string("FACT_").append(name);
    const bool needed =
        !made_of_dims(kernel, name) || has_word(source, macro) ||
        std::any_of(headers.begin(), headers.end(), [&](const Header& header) { return has_word(header.text, macro); });
    if (needed) lines += fact_line(name, value);
  }
  return lines;
}

// Of the kernel's `template` lists: such a parameter is no macro, which would rewrite the template's own name for it.
bool is_template_argument(const spec::KernelSpec& kernel, const std::string& param) {
  for (const auto& step : kernel.steps)
    for (const auto& expression : step.template_arguments)
      if (expression.names().count(param) != 0) return true;
  return false;
}

std::string value_text(const Value& value, const std::vector<std::pair<std::string, int>>& choices) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return integer_text(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "1" : "0";
  const std::string& name = std::get<Name>(value).text;
  if (const auto type = type_from_text(name)) return std::string(cpp_name(*type));
  for (const auto& [choice, number] : choices)
    if (choice == name) return std::to_string(number);
  return {};
}

std::string parameter_lines(const spec::KernelSpec& kernel, const Config& config) {
  std::string lines;
  for (const auto& param : kernel.space.params) {
    if (is_template_argument(kernel, param.name)) continue;
    const auto choices = kernel.choices(param.name);
    for (const auto& [choice, number] : choices) lines += define(param.name + "_" + choice, std::to_string(number));
    if (const Value* value = config.find(param.name)) lines += define(param.name, value_text(*value, choices));
  }
  return lines;
}

std::string line_directive(const std::string& name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return std::string("#line 1 \"").append(escaped).append("\"\n");
}

// Without -v: it drops the assembler's errors. --no-cache: a hit in the driver's cache has no log and starts CUDA.
// Device as the default execution space: else a generic lambda counts as host code, which NVRTC refuses.
std::vector<std::string> own_options(const spec::KernelSpec& kernel) {
  std::vector<std::string> options{"--std=c++17", "--ptxas-options=--warn-on-spills"};
  if (!kernel.nvcc)
    options = {"--std=c++17", "--no-cache", "--modify-stack-limit=false", "--device-as-default-execution-space",
               "--ptxas-options=--warn-on-spills"};
  if (!kernel.target.empty()) options.push_back("--gpu-architecture=" + kernel.target);
  return options;
}

// "std" of "--std=c++20" and "-std=c++20".
std::string_view option_name(std::string_view option) {
  option.remove_prefix(std::min(option.size(), option.find_first_not_of('-')));
  return option.substr(0, option.find('='));
}

std::vector<std::string> with_users(std::vector<std::string> options, const std::vector<std::string>& users) {
  for (const auto& user : users) {
    const auto replaced = [&](const std::string& own) {
      return option_name(own) == option_name(user) && option_name(own) != "ptxas-options";
    };
    options.erase(std::remove_if(options.begin(), options.end(), replaced), options.end());
  }
  options.insert(options.end(), users.begin(), users.end());
  return options;
}

std::vector<std::string> options_for(const spec::KernelSpec& kernel, const space::Scope& scope) {
  std::vector<std::string> users;
  for (const auto& option : kernel.options)
    if (!option.when || option.when->truth(scope))
      users.push_back(option.value ? option.text + "=" + to_text(option.value->evaluate(scope)) : option.text);
  return with_users(own_options(kernel), users);
}

std::string define_lines(const spec::KernelSpec& kernel) {
  std::string lines;
  for (const auto& [name, value] : kernel.defines) lines += define(name, value);
  return lines;
}

std::string hash_of(const Source& source, const std::string& outside) {
  std::string all;
  const auto add = [&](const std::string& part) {
    all += std::to_string(part.size());
    all += ':';
    all += part;
  };
  add(source.text);
  for (const auto& header : source.headers) add(header.name), add(header.text);
  if (!outside.empty()) all += "outside ", add(outside);
  if (source.nvcc) all += "nvcc";
  all += '|';
  for (const auto& option : source.options) add(option);
  all += '|';
  for (const auto& entry : source.entries) add(entry);
  for (const auto& symbol : source.symbols) add(symbol);
  return content_hash(all);
}

std::vector<std::string> symbols_of(const spec::KernelSpec& kernel) {
  std::vector<std::string> symbols;
  for (const auto& arg : kernel.args)
    if (!arg.symbol.empty()) symbols.push_back(arg.symbol);
  return symbols;
}

// The macros that the manifest gives this configuration: an inactive parameter is none.
std::vector<std::string> macros_of(const spec::KernelSpec& kernel, const Config& config) {
  std::vector<std::string> names;
  for (const auto& [name, value] : kernel.defines) names.push_back(name.substr(0, name.find('(')));
  for (const auto& param : kernel.space.params) {
    if (is_template_argument(kernel, param.name)) continue;
    if (config.find(param.name) != nullptr) names.push_back(param.name);
    for (const auto& [choice, number] : kernel.choices(param.name)) names.push_back(param.name + "_" + choice);
  }
  return names;
}

// What a header defines over a macro in front of it would make all configurations one. A header is not rendered.
void refuse_own_defines(const Source& source, const std::vector<std::string>& macros) {
  for (const Header& header : source.headers)
    for (const OwnDefine& define : own_defines(header.text, macros))
      throw UserError("the header defines '" + define.name + "' itself, over what the manifest gives",
                      header.name + ":" + std::to_string(define.line),
                      "put #ifndef " + define.name + " around it, or take the line out");
}

// A dimension is no macro: what the source fixes stays fixed, whatever the shape.
void refuse_fixed_dims(const spec::KernelSpec& kernel, const std::string& body) {
  const std::vector<OwnDefine> found = fixed_defines(body, kernel.dims);
  if (found.empty()) return;
  const std::string& name = found.front().name;
  throw UserError("the source itself defines '" + name + "', which the manifest calls a dimension",
                  kernel.source_path + ":" + std::to_string(found.front().line),
                  "name the dimension otherwise, and bind the two: `dims: [size]`, `defines: {" + name +
                      ": 1024}`, `where: size == 1024`");
}

}  // namespace

void set_include_folders(std::vector<std::string> folders) {
  if (extra_folders() != folders) extra_folders() = std::move(folders);
}

Source render(const spec::KernelSpec& kernel, const Config& config, const Problem& problem, const GpuFacts& gpu) {
  Source source;
  const std::string body = read_own(source, kernel, kernel.source_path);
  if (const auto type = type_from_text(kernel.dtype)) source.text += define("DTYPE", std::string(cpp_name(*type)));
  if (kernel.regime == spec::dependent_regime) source.text += define("TUNER_DEPENDENT", "1");
  source.text += define_lines(kernel);
  source.text += fact_lines(kernel, problem, body, source.headers);
  source.text += parameter_lines(kernel, config);
  const std::string front = source.text;
  source.text += line_directive(source.name);
  refuse_fixed_dims(kernel, body);
  const std::vector<std::string> macros = macros_of(kernel, config);
  refuse_own_defines(source, macros);
  const std::string own = without_own_defines(body, macros);
  source.text += kernel.nvcc ? with_unroll_values(own, front) : own;
  source.options = options_for(kernel, spec::config_scope(kernel, problem, config, gpu));
  source.entries = spec::entries_of(kernel, problem, config, gpu);
  source.symbols = symbols_of(kernel);
  source.hash = hash_of(source, outside_of(kernel, body, source.headers));
  return source;
}

Source render_reference(const spec::KernelSpec& kernel) {
  Source source;
  const std::string body = read_own(source, kernel, kernel.reference.source_path);
  std::vector<std::string> macros;
  for (const auto& [name, value] : kernel.defines) macros.push_back(name.substr(0, name.find('(')));
  source.text = define_lines(kernel) + line_directive(source.name) + without_own_defines(body, macros);
  source.options = own_options(kernel);
  source.entries = {kernel.reference.function};
  if (!kernel.reference.magnitude.empty()) source.entries.push_back(kernel.reference.magnitude);
  source.hash = hash_of(source, outside_of(kernel, body, source.headers));
  return source;
}

TemplateClosure closure_of(const spec::KernelSpec& kernel) {
  TemplateClosure closure;
  closure.text = read_source(kernel, kernel.source_path);
  closure.headers = include_closure(closure.text, kernel.source_path, places_for(kernel));
  closure.options = own_options(kernel);
  for (const auto& option : kernel.options)
    closure.options.push_back(option.text + (option.value ? "=" + option.value->text() : "") +
                              (option.when ? " when " + option.when->text() : ""));
  for (const auto& [name, value] : kernel.defines) closure.options.push_back("#define " + name + " " + value);
  if (kernel.nvcc) closure.options.emplace_back("nvcc");
  closure.outside = outside_of(kernel, closure.text, closure.headers);
  return closure;
}

std::string inlined(const Source& source) {
  std::string text = source.text;
  const std::string directive = line_directive(source.name);
  if (const auto at = text.find(directive); at != std::string::npos) text.erase(at, directive.size());
  return inline_headers(text, source.headers);
}

}  // namespace tuner::compile
