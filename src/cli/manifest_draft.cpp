#include "cli/manifest_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <utility>

#include "cli/draft_arguments.h"
#include "cli/draft_symbols.h"
#include "cli/draft_templates.h"
#include "cli/launch_syntax.h"
#include "cli/launch_text.h"
#include "cli/open_lines.h"
#include "compile/code_pieces.h"
#include "core/identifier.h"

namespace tuner::cli {
namespace {

constexpr std::size_t max_dims = 8;

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

std::vector<std::string> names_of(const compile::Declaration& declaration) {
  std::vector<std::string> names;
  for (const compile::DeclaredParameter& parameter : declaration.parameters) names.push_back(parameter.name);
  return names;
}

bool has_dynamic_shared(const std::string& source) {
  static const std::regex declaration(R"(\bextern\s+__shared__\b)");
  return std::regex_search(compile::plain_code(source), declaration);
}

class Writer {
 public:
  explicit Writer(const DraftOf& of)
      : of_(of),
        templates_(draft_templates(of.declaration.template_parameters, launch_text(of.source_text, of.entry).templates,
                                   source_numbers(of.source_text).numbers, names_of(of.declaration))),
        arguments_(draft_arguments(of.declaration.parameters, of.source_text, templates_.types)),
        dims_(integer_names(arguments_)) {
    dims_.resize(std::min(dims_.size(), max_dims));
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
    const std::string size = fmt::format("{}", fmt::join(dims_, " * "));
    for (const DraftArgument& argument : arguments_) {
      const DraftLine made = argument_line(argument, no_dims_ ? std::vector<std::string>() : dims_, size);
      line(made.text, made.open);
    }
    for (const DraftLine& symbol : symbol_lines(of_.source_text)) line(symbol.text, symbol.open);
    line("steps:");
    step(launched, block);
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

  void step(const LaunchSyntax& launched, const std::string& block) {
    std::vector<std::string> open = templates_.open;
    const std::string& scope = of_.declaration.scope;
    std::string text = "  - {launch: " + (scope.empty() ? of_.entry : "\"" + scope + of_.entry + "\"");
    if (!templates_.values.empty()) text += fmt::format(", template: [{}]", fmt::join(templates_.values, ", "));
    if (launched.found && launched.block.empty()) open.insert(open.begin(), "the block");
    if (launched.grid.empty()) open.insert(open.begin(), "the grid");
    const std::vector<std::string> grid = launched.grid.empty() ? guessed_grid(launched, block) : launched.grid;
    text += fmt::format(", grid: [\"{}\"], ", fmt::join(grid, "\", \""));
    text += launched.block.empty() ? "block: [" + block + "]"
                                   : fmt::format("block: [\"{}\"]", fmt::join(launched.block, "\", \""));
    const std::string& shared = launched.shared_text;
    if (!launched.shared.empty() && launched.shared != "0") {
      text += fmt::format(", shared: \"{}\"", launched.shared);
    } else if ((!shared.empty() && shared != "0") || (!launched.found && has_dynamic_shared(of_.source_text))) {
      text += ", shared: 0";
      open.push_back("its dynamic shared memory in bytes" + (shared.empty() ? "" : ", " + shared + " in the source"));
    }
    line(text + "}", fmt::format("{}", fmt::join(open, "; ")));
  }

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

  bool is_template(const std::string& name) const {
    return std::any_of(templates_.params.begin(), templates_.params.end(),
                       [&](const auto& one) { return one.first == name; });
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
    std::vector<LaunchParameter> parameters;
    for (const DraftArgument& argument : arguments_) {
      parameters.push_back({argument.name, {}});
      for (const DraftField& field : argument.fields) parameters.back().fields.push_back({field.member, field.name});
    }
    LaunchSyntax launched = launch_syntax(of_.source_text, of_.entry, parameters, dims_);
    for (const Size& size : sizes_)
      for (std::string& extent : launched.grid) extent = with_word(extent, size.macro, size.dim);
    return launched;
  }

  static bool is_one_number(const std::vector<std::string>& block) {
    return block.size() == 1 && block[0].find_first_not_of("0123456789") == std::string::npos;
  }

  // The number of threads that the source launches blocks of, where the kernel has the same number; else empty.
  std::string block_in_kernel() const {
    const std::vector<std::string> block = launch_of_source().block;
    return is_one_number(block) && kernel_uses(of_.source_text, of_.entry, block[0]) ? block[0] : std::string();
  }

  // As the source launches it. A block of one number is the parameter `block`, there and in the grid.
  LaunchSyntax launch(const std::string& block) const {
    LaunchSyntax launched = launch_of_source();
    if (!is_one_number(launched.block)) return launched;
    const std::string number = ", " + launched.block[0] + ")";
    for (std::string& extent : launched.grid)
      if (const auto at = extent.rfind(number); at != std::string::npos && at + number.size() == extent.size())
        extent.replace(at, number.size(), ", " + block + ")");
    launched.shared = with_word(launched.shared, launched.block[0], block);
    launched.block[0] = block;
    return launched;
  }

  void parameters(const LaunchSyntax& launched, const std::string& block) {
    const char* open = "what else can be chosen; each is a macro in the source";
    line("params:");
    const bool own = launched.block.empty() || launched.block[0] == block;
    const std::string fixed = own ? block_in_kernel() : "";
    if (!fixed.empty())
      line(fmt::format("  {}: [{}]", block, fixed),
           fixed + " stands in the kernel too: name it " + block + " there, then vary it");
    else if (own)
      line("  " + block + ": [64, 128, 256, 512, 1024]", open);
    if (!own && launched.macros.empty() && templates_.params.empty() && launched.others.empty())
      line("  " + block + ": [1]", "nothing is varied yet: name it as the source does");
    for (const auto& [name, value] : launched.macros) {
      std::vector<std::int64_t> values{value, 2 * value};
      if (value > 1) values.insert(values.begin(), value / 2);
      line(fmt::format("  {}: [{}]", name, fmt::join(values, ", ")), open);
    }
    const auto is_macro = [&](const std::string& name) {
      return std::any_of(launched.macros.begin(), launched.macros.end(),
                         [&](const auto& one) { return one.first == name; });
    };
    for (const auto& [name, value] : templates_.params)
      if (!is_macro(name)) line(fmt::format("  {}: [{}]", name, value), "a template argument: what else can it be?");
    for (const auto& [name, value] : launched.others)
      if (!is_template(name))
        line(fmt::format("  {}: [{}]", name, value),
             "a constant of the source: what else gives the same result? or no line");
    std::vector<std::string> standard;
    if (own) standard.push_back(block + ": " + (fixed.empty() ? "256" : fixed));
    for (const auto& [name, value] : launched.macros) standard.push_back(fmt::format("{}: {}", name, value));
    if (standard.empty()) return;
    line("default:");
    line(fmt::format("  - {{{}}}", fmt::join(standard, ", ")));
  }

  void line(const std::string& text, const std::string& open = {}) {
    draft_.text += text;
    if (!open.empty()) draft_.text += "  " + std::string(open_mark) + open;
    draft_.text += "\n";
  }

  const DraftOf& of_;
  DraftTemplates templates_;
  std::vector<DraftArgument> arguments_;
  std::vector<std::string> dims_;
  std::vector<Size> sizes_;
  bool no_dims_ = false;
  Draft draft_;
};

}  // namespace

Draft draft_manifest(const DraftOf& of) { return Writer(of).write(); }

}  // namespace tuner::cli
