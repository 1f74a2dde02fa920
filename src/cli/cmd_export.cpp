#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "cli/commands.h"
#include "cli/knowledge.h"
#include "core/error.h"
#include "export/header.h"
#include "store/gpu_choice.h"
#include "store/results_file.h"

namespace tuner::cli {
namespace {

void write(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") {
    std::cout << text;
    return;
  }
  // Written beside and renamed, so that a reader never sees half a file.
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(part, path, error);
  if (!file || error) {
    std::filesystem::remove(part, error);
    throw MachineError("the file could not be written", path, "is the folder there and writable?");
  }
}

std::string key_of(const store::Entry& entry) {
  const ProblemResult& result = entry.result;
  return store::gpu_key(entry.gpu) + "\n" + result.problem.kernel + " " + shape_text(result.problem.dims) + " " +
         facts_key(result.problem.facts) + " " + result.regime;
}

}  // namespace

int cmd_export(const Context& context) {
  const Arguments& arguments = context.arguments;
  const std::string format = arguments.required("--format");
  const spec::Catalog catalog = spec::Catalog::load(context.places.kernel_folders);
  if (arguments.has("--kernel")) catalog.at(arguments.text("--kernel"), "--kernel");
  const store::Layers layers = open_layers(context);
  std::vector<store::Entry> entries;
  std::set<std::string> seen;
  for (const store::Entry& entry : layers.entries()) {
    if (entry.emulated) continue;  // never answers for a GPU
    if (arguments.has("--kernel") && entry.result.problem.kernel != arguments.text("--kernel")) continue;
    if (!store::contains_blind(entry.gpu.name, arguments.text("--gpu"))) continue;
    // Of several layers the first answers; the header chooses itself, as a look-up does.
    if (format == "header" || seen.insert(key_of(entry)).second) entries.push_back(entry);
  }
  if (entries.empty())
    throw NothingFound("there is nothing to export", "tuner export", "tuner list shows what is known");
  write(arguments.text("--output"), format == "json"
                                        ? store::write_results(entries)
                                        : exporting::header(entries, layers.pins(), layers.forbids(), catalog));
  if (!context.quiet && arguments.has("--output"))
    std::cerr << "wrote " << entries.size() << " results to " << arguments.text("--output") << "\n";
  return 0;
}

}  // namespace tuner::cli
