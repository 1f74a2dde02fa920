#include "cli/manifest_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/launch_syntax.h"
#include "core/value.h"

namespace tuner::cli {
namespace {

constexpr const char* mark = "  # TODO ";
constexpr std::size_t max_dims = 8;

// The manifest's name of a C++ type; empty for one it has no word for.
std::string manifest_type(const std::string& cpp) {
  static const std::vector<std::pair<std::string, std::string>> kTypes = {{"float", "f32"},
                                                                          {"double", "f64"},
                                                                          {"half", "f16"},
                                                                          {"__half", "f16"},
                                                                          {"half_t", "f16"},
                                                                          {"nv_bfloat16", "bf16"},
                                                                          {"__nv_bfloat16", "bf16"},
                                                                          {"bf16_t", "bf16"},
                                                                          {"int", "i32"},
                                                                          {"signed int", "i32"},
                                                                          {"int32_t", "i32"},
                                                                          {"unsigned", "u32"},
                                                                          {"unsigned int", "u32"},
                                                                          {"uint32_t", "u32"},
                                                                          {"long", "i64"},
                                                                          {"long long", "i64"},
                                                                          {"long long int", "i64"},
                                                                          {"int64_t", "i64"},
                                                                          {"unsigned long", "u64"},
                                                                          {"unsigned long long", "u64"},
                                                                          {"uint64_t", "u64"},
                                                                          {"size_t", "u64"},
                                                                          {"short", "i16"},
                                                                          {"int16_t", "i16"},
                                                                          {"unsigned short", "u16"},
                                                                          {"uint16_t", "u16"},
                                                                          {"char", "i8"},
                                                                          {"signed char", "i8"},
                                                                          {"int8_t", "i8"},
                                                                          {"unsigned char", "u8"},
                                                                          {"uint8_t", "u8"},
                                                                          {"bool", "bool"},
                                                                          {"__nv_fp8_e4m3", "f8_e4m3"},
                                                                          {"__nv_fp8_e5m2", "f8_e5m2"}};
  const std::string plain = cpp.rfind("std::", 0) == 0 ? cpp.substr(5) : cpp;
  for (const auto& [each, type] : kTypes)
    if (each == plain) return type;
  const bool vector = plain.size() > 1 && plain.back() >= '1' && plain.back() <= '4' &&
                      !manifest_type(plain.substr(0, plain.size() - 1)).empty();
  return vector ? plain : std::string();
}

bool is_integer(const std::string& type) {
  const auto known = type_from_text(type);
  return known && !is_floating(*known) && *known != Type::boolean;
}

// A word that the source does not use: as a macro it would rewrite it there.
std::string unused(const std::string& source, std::vector<std::string> words) {
  for (const std::string& word : words)
    if (source.find(word) == std::string::npos) return word;
  return words.back() + "_";
}

std::string name_of(const compile::DeclaredParameter& parameter, std::size_t index) {
  return parameter.name.empty() ? "argument" + std::to_string(index + 1) : parameter.name;
}

class Writer {
 public:
  explicit Writer(const DraftOf& of) : of_(of) {
    for (std::size_t i = 0; i < of.declaration.parameters.size(); ++i) {
      const compile::DeclaredParameter& parameter = of.declaration.parameters[i];
      if (!compile::is_pointer(parameter.type) && is_integer(manifest_type(compile::bare_type(parameter.type))) &&
          dims_.size() < max_dims)
        dims_.push_back(name_of(parameter, i));
    }
    no_dims_ = dims_.empty();
    if (no_dims_) dims_.emplace_back("n");
  }

  Draft write() {
    line("tuner: 1");
    line("kernel: " + of_.name);
    line("source: " + of_.source);
    if (needs_nvcc(of_.source_text)) line("compiler: nvcc");
    line(fmt::format("dims: [{}]", fmt::join(dims_, ", ")), "what a shape is made of");
    const std::string block = unused(of_.source_text, {"block_size", "threads_per_block", "block_threads"});
    const LaunchSyntax launched = launch(block);
    parameters(launched, block);
    line("args:");
    for (std::size_t i = 0; i < of_.declaration.parameters.size(); ++i) argument(i);
    line("steps:");
    std::string launch = "  - {launch: " + of_.entry;
    if (!of_.declaration.template_parameters.empty())
      launch += fmt::format(", template: [{}]",
                            fmt::join(std::vector<std::string>(of_.declaration.template_parameters.size(), "1"), ", "));
    const bool read = !launched.grid.empty();
    std::vector<std::string> open;
    if (!read) open.emplace_back("the grid");
    if (!of_.declaration.template_parameters.empty())
      open.push_back(fmt::format("values of {}", fmt::join(of_.declaration.template_parameters, ", ")));
    launch += read ? fmt::format(", grid: [\"{}\"], block: [\"{}\"]}}", fmt::join(launched.grid, "\", \""),
                                 fmt::join(launched.block, "\", \""))
                   : fmt::format(", grid: [\"ceil_div({}, {})\"], block: [{}]}}", dims_.front(), block, block);
    line(launch, fmt::format("{}", fmt::join(open, "; ")));
    line("# traffic: {read: BYTES, write: BYTES}", "what a perfect kernel would move; the time is held against it");
    line("reference: none",
         fmt::format("nothing is verified so; {{host: {}_reference, source: FILE.cpp}} names the right result",
                     of_.name));
    return std::move(draft_);
  }

 private:
  // As the source launches it. A block of one number is the parameter `block`, there and in the grid.
  LaunchSyntax launch(const std::string& block) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < of_.declaration.parameters.size(); ++i)
      names.push_back(name_of(of_.declaration.parameters[i], i));
    LaunchSyntax launched = launch_syntax(of_.source_text, of_.entry, names, dims_);
    if (launched.block.size() != 1 || launched.block[0].find_first_not_of("0123456789") != std::string::npos)
      return launched;
    const std::string number = ", " + launched.block[0] + ")";
    for (std::string& extent : launched.grid)
      if (const auto at = extent.rfind(number); at != std::string::npos && at + number.size() == extent.size())
        extent.replace(at, number.size(), ", " + block + ")");
    launched.block[0] = block;
    return launched;
  }

  void parameters(const LaunchSyntax& launched, const std::string& block) {
    const char* open = "what else can be chosen; each is a macro in the source";
    line("params:");
    const bool own = launched.block.empty() || launched.block[0] == block;
    if (own) line("  " + block + ": [64, 128, 256, 512, 1024]", open);
    if (!own && launched.macros.empty())
      line("  " + block + ": [1]", "nothing is varied yet: name it as the source does");
    for (const auto& [name, value] : launched.macros) {
      std::vector<std::int64_t> values{value, 2 * value};
      if (value > 1) values.insert(values.begin(), value / 2);
      line(fmt::format("  {}: [{}]", name, fmt::join(values, ", ")), open);
    }
    std::vector<std::string> standard;
    if (own) standard.push_back(block + ": 256");
    for (const auto& [name, value] : launched.macros) standard.push_back(fmt::format("{}: {}", name, value));
    line("default:");
    line(standard.empty() ? "  - {" + block + ": 1}" : fmt::format("  - {{{}}}", fmt::join(standard, ", ")));
  }

  void line(const std::string& text, const std::string& open = {}) {
    ++lines_;
    draft_.text += text;
    if (!open.empty()) {
      draft_.text += mark + open;
      draft_.open_lines.push_back(lines_);
    }
    draft_.text += "\n";
  }

  void argument(std::size_t i) {
    const compile::DeclaredParameter& parameter = of_.declaration.parameters[i];
    const std::string name = name_of(parameter, i);
    const std::string bare = compile::bare_type(parameter.type);
    const std::string known = manifest_type(bare);
    const std::string type = known.empty() ? "f32" : known;
    const std::string unknown = known.empty() ? "its type (" + bare + " in the source), " : "";
    if (compile::is_pointer(parameter.type)) {
      const bool read = compile::is_pointer_to_const(parameter.type);
      line(fmt::format("  - {{name: {}, type: {}, size: {}, role: {}}}", name, type, fmt::join(dims_, " * "),
                       read ? "weight" : "output"),
           unknown + (read ? "its size; a weight, or an activation?"
                           : "its size; an output, or in_place, accumulator, scratch?"));
      return;
    }
    const bool dim = !no_dims_ && std::find(dims_.begin(), dims_.end(), name) != dims_.end();
    line(fmt::format("  - {{name: {}, type: {}, value: {}}}", name, type, dim ? name : "1"),
         dim ? "" : unknown + "its value");
  }

  const DraftOf& of_;
  std::vector<std::string> dims_;
  bool no_dims_ = false;
  Draft draft_;
  int lines_ = 0;
};

}  // namespace

Draft draft_manifest(const DraftOf& of) { return Writer(of).write(); }

}  // namespace tuner::cli
