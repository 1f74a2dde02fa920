#include "cli/manifest_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "cli/launch_syntax.h"
#include "core/identifier.h"
#include "core/value.h"
#include "spec/integer_fill.h"
#include "spec/vector_types.h"

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
                                                                          {"uint", "u32"},
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
  return spec::vector_type(plain) ? plain : std::string();
}

bool is_integer(const std::string& type) {
  const auto known = type_from_text(type);
  return known && !is_floating(*known) && *known != Type::boolean;
}

// Of an input of integers, which needs one; empty for others.
std::string fill_of(const std::string& type) {
  const auto vector = spec::vector_type(type);
  const auto element = vector ? std::optional(vector->type) : type_from_text(type);
  return element && !is_floating(*element) ? std::string(spec::integer_fill(*element)) : std::string();
}

// A word that the source does not use: as a macro it would rewrite it there.
std::string unused(const std::string& source, std::vector<std::string> words) {
  for (const std::string& word : words)
    if (source.find(word) == std::string::npos) return word;
  return words.back() + "_";
}

// With `word` for every `name` in it.
std::string with_word(std::string text, const std::string& name, const std::string& word) {
  for (std::size_t at = find_word(text, name); at != std::string::npos;
       at = find_word(text, name, at + word.size() + 1))
    text.replace(at, name.size(), word);
  return text;
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
    const std::size_t given = dims_.size();
    const LaunchSyntax launched = launch_of_source();
    for (const auto& [macro, value] : launched.sizes)
      if (dims_.size() < max_dims) {
        sizes_.push_back({macro, dim_for(macro), value});
        dims_.push_back(sizes_.back().dim);
      }
    no_dims_ = dims_.empty();
    if (no_dims_) dims_.emplace_back("n");
    if (given == 0 && !sizes_.empty())
      for (const Size& size : sizes_) draft_.shape += (draft_.shape.empty() ? "" : "x") + std::to_string(size.value);
  }

  Draft write() {
    line("tuner: 1");
    line("kernel: " + of_.name);
    line("source: " + of_.source);
    if (needs_nvcc(of_.source_text)) line("compiler: nvcc");
    line(fmt::format("dims: [{}]", fmt::join(dims_, ", ")), "what a shape is made of");
    const std::string block = unused(of_.source_text, {"block_size", "threads_per_block", "block_threads"});
    bound_sizes();
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
    const std::vector<std::string> grid = read ? launched.grid : guessed_grid(launched, block);
    launch += launched.block.empty() ? fmt::format(", grid: [\"{}\"], block: [{}]}}", fmt::join(grid, "\", \""), block)
                                     : fmt::format(", grid: [\"{}\"], block: [\"{}\"]}}", fmt::join(grid, "\", \""),
                                                   fmt::join(launched.block, "\", \""));
    line(launch, fmt::format("{}", fmt::join(open, "; ")));
    line("# traffic: {read: BYTES, write: BYTES}", "what a perfect kernel would move; the time is held against it");
    line("reference: none",
         fmt::format("nothing is verified so; {{host: {}_reference, source: FILE.cpp}} names the right result",
                     of_.name));
    return std::move(draft_);
  }

 private:
  // A macro of the source that is a dimension of the manifest.
  struct Size {
    std::string macro, dim;
    std::int64_t value = 0;
  };

  std::string dim_for(const std::string& macro) const {
    std::string dim = macro;
    std::transform(dim.begin(), dim.end(), dim.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const compile::DeclaredParameter& parameter : of_.declaration.parameters)
      if (parameter.name == dim) dim += "_size";
    return dim == macro ? dim + "_size" : dim;
  }

  void bound_sizes() {
    if (sizes_.empty()) return;
    std::vector<std::string> defines;
    for (const Size& size : sizes_) defines.push_back(fmt::format("{}: {}", size.macro, size.value));
    line(fmt::format("defines: {{{}}}", fmt::join(defines, ", ")), "a size of your own, here and in `where`");
    line("where:");
    for (const Size& size : sizes_)
      line(fmt::format("  - {{expr: {} == {}, why: {} is fixed in the source}}", size.dim, size.value, size.macro));
  }

  // One extent for each of the block's.
  std::vector<std::string> guessed_grid(const LaunchSyntax& launched, const std::string& block) const {
    if (launched.block.empty()) return {fmt::format("ceil_div({}, {})", dims_.front(), block)};
    std::vector<std::string> grid;
    for (std::size_t i = 0; i < std::min(launched.block.size(), dims_.size()); ++i)
      grid.push_back(fmt::format("ceil_div({}, {})", dims_[i], launched.block[i]));
    return grid;
  }

  LaunchSyntax launch_of_source() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < of_.declaration.parameters.size(); ++i)
      names.push_back(name_of(of_.declaration.parameters[i], i));
    LaunchSyntax launched = launch_syntax(of_.source_text, of_.entry, names, dims_);
    for (const Size& size : sizes_)
      for (std::string& extent : launched.grid) extent = with_word(extent, size.macro, size.dim);
    return launched;
  }

  // As the source launches it. A block of one number is the parameter `block`, there and in the grid.
  LaunchSyntax launch(const std::string& block) const {
    LaunchSyntax launched = launch_of_source();
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
      const std::string fill = read ? fill_of(type) : std::string();
      line(fmt::format("  - {{name: {}, type: {}, size: {}, role: {}{}}}", name, type, fmt::join(dims_, " * "),
                       read ? "weight" : "output", fill.empty() ? "" : ", fill: \"" + fill + "\""),
           unknown +
               (read ? "its size; a weight, or an activation?"
                     : "its size; an output, or in_place, accumulator, scratch?") +
               (fill.empty() ? "" : " its fill: an index must stay within what it indexes"));
      return;
    }
    const bool dim = !no_dims_ && std::find(dims_.begin(), dims_.end(), name) != dims_.end();
    line(fmt::format("  - {{name: {}, type: {}, value: {}}}", name, type, dim ? name : "1"),
         dim ? "" : unknown + "its value");
  }

  const DraftOf& of_;
  std::vector<std::string> dims_;
  std::vector<Size> sizes_;
  bool no_dims_ = false;
  Draft draft_;
  int lines_ = 0;
};

}  // namespace

Draft draft_manifest(const DraftOf& of) { return Writer(of).write(); }

}  // namespace tuner::cli
