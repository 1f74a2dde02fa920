#include <fmt/core.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/write_file.h"
#include "core/bytes.h"
#include "core/error.h"
#include "core/problem.h"
#include "core/shell.h"
#include "repack/output.h"
#include "repack/repack.h"
#include "report/table.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

std::optional<repack::Format> format_of(const Arguments& arguments) {
  const std::string text = arguments.text("--format");
  return text.empty() ? std::nullopt : repack::format_from_text(text);
}

// "2 x 2880x2880" of stacked ones.
std::string shape_of(const repack::Weight& weight) {
  if (weight.shape.size() < 2) return "-";
  const std::vector<std::int64_t> matrix(weight.shape.end() - 2, weight.shape.end());
  std::string text;
  for (std::size_t i = 0; i + 2 < weight.shape.size(); ++i) text += std::to_string(weight.shape[i]) + " x ";
  return text + shape_text(matrix);
}

void list(const Context& context, const repack::TensorFile& file) {
  const std::vector<repack::Weight> weights = weights_in(file);
  if (context.json) {
    nlohmann::ordered_json json{{"schema", 1}, {"file", file.path()}, {"weights", nlohmann::json::array()}};
    for (const repack::Weight& weight : weights)
      json["weights"].push_back({{"name", weight.name}, {"format", weight.format}, {"shape", weight.shape}});
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  } else if (!weights.empty()) {
    report::Table table({{"weights", false, true}, {"format", false}, {"shape"}});
    for (const repack::Weight& weight : weights) table.add({weight.name, weight.format, shape_of(weight)});
    std::cout << context.style.text(table.text(context.style));
  }
  if (weights.empty())
    throw NothingFound("no weights of a format that can be repacked", file.path(),
                       "GPTQ, AWQ and MXFP4 in safetensors; Q4_0, Q4_K, Q8_0 and MXFP4 in GGUF");
}

// What went where, and the words that a manifest takes it with.
std::string summary(const repack::Packed& packed, const std::vector<repack::OutputFile>& files,
                    const fs::path& folder) {
  std::string text;
  for (const repack::OutputFile& file : files)
    text += fmt::format("wrote  {}  ({})\n", (folder / file.name).string(), bytes_text(file.bytes.size()));
  text += "wrote  " + (folder / "repack.json").string() + "\n";
  text += fmt::format("is     {} {}", kernel_of(packed), shape_text({packed.rows, packed.columns}));
  for (const auto& [name, value] : facts_of(packed)) text += " --set " + name + "=" + value;
  text += "\n";
  if (packed.rounding > 0)
    text += fmt::format("note   scales were rounded to f16: a weight differs by {:.3g} at most\n", packed.rounding);
  if (!packed.order.empty()) text += "note   the columns are sorted by their groups: x must be given as x[order]\n";
  return text;
}

}  // namespace

int cmd_repack(const Context& context) {
  const Arguments& arguments = context.arguments;
  const repack::TensorFile file(arguments.required("FILE"));
  if (!arguments.has("NAME")) {
    for (const char* flag : {"--format", "--expert", "--output"})
      if (arguments.has(flag))
        throw UserError(std::string(flag) + " needs a name", flag, "tuner repack FILE lists them");
    list(context, file);
    return 0;
  }
  const std::string name = arguments.text("NAME");
  const fs::path folder = arguments.required("--output");
  repack::Choice choice{format_of(arguments), {}};
  if (arguments.has("--expert")) choice.matrix = arguments.integer("--expert", 0, INT64_MAX, 0);
  const repack::Packed packed = repack::repack(file, name, choice);
  if (kernel_of(packed).empty())
    throw UserError("no kernel reads stacked matrices of this format", file.path(), "take one: --expert 0");
  std::string format = arguments.text("--format");
  for (const repack::Weight& weight : weights_in(file))
    if (format.empty() && weight.name == name) format = weight.format;
  const std::vector<repack::OutputFile> files = files_of(packed);
  const std::string document = description_json(packed, files, {file.path(), name, format});
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) throw MachineError("cannot make the folder: " + fault.message(), folder.string());
  for (const repack::OutputFile& each : files) write_file((folder / each.name).string(), each.bytes);
  write_file((folder / "repack.json").string(), document);
  std::cout << (context.json ? document : context.style.text(summary(packed, files, folder)));
  return 0;
}

}  // namespace tuner::cli
