#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

#include "cli/commands.h"
#include "cli/export_replay.h"
#include "cli/knowledge.h"
#include "cli/next_command.h"
#include "cli/sweep_options.h"
#include "cli/write_file.h"
#include "core/ceiling_probe.h"
#include "core/error.h"
#include "core/shell.h"
#include "export/document.h"
#include "export/header.h"
#include "report/export_text.h"
#include "store/gpu_choice.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

bool is_of_kernel(const Context& context, const store::Entry& entry) {
  return !context.arguments.has("--kernel") || entry.result.problem.kernel == context.arguments.text("--kernel");
}

std::vector<store::Entry> chosen_entries(const Context& context, const store::Layers& layers) {
  const Arguments& arguments = context.arguments;
  const bool header = arguments.text("--format") == "header";
  std::vector<store::Entry> entries;
  for (const store::Entry& entry : whole_entries(context, layers)) {
    if (entry.emulated) continue;  // never answers for a GPU
    if (!is_of_kernel(context, entry)) continue;
    if (!store::is_called(entry.gpu, arguments.text("--gpu"))) continue;
    if (header && ceiling_probe(entry.result.problem.kernel) != nullptr) continue;  // nobody launches it
    entries.push_back(entry);
  }
  // The header chooses among layers itself, as a look-up does.
  return header ? exporting::without_copies(entries) : exporting::one_of_each(entries);
}

store::Overrules chosen_overrules(const Context& context, const store::Layers& layers) {
  const std::string kernel = context.arguments.text("--kernel");
  store::Overrules overrules;
  for (const store::Pin& pin : layers.pins())
    if (kernel.empty() || pin.problem.kernel == kernel) overrules.pins.push_back(pin);
  for (const store::Forbid& forbid : layers.forbids())
    if (kernel.empty() || forbid.kernel.empty() || forbid.kernel == kernel) overrules.forbids.push_back(forbid);
  return overrules;
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return !path.empty() && (path.back() == '/' || fs::is_directory(path, error));
}

constexpr const char* where_manifests = "name the folder of its manifest with --kernels DIR, or in $TUNER_KERNELS";

[[noreturn]] void refuse_nothing(const Context& context, const store::Layers& layers, const store::Overrules& overrules,
                                 const std::set<std::string>& unknown) {
  const std::string what = "there is nothing to export";
  if (!unknown.empty())
    throw NothingFound(what + ": there is no manifest of '" + *unknown.begin() + "' here", "tuner export",
                       where_manifests);
  const auto& outlines = layers.outlines();
  const bool emulated = std::any_of(outlines.begin(), outlines.end(), [&](const store::Entry& entry) {
    return entry.emulated && is_of_kernel(context, entry);
  });
  if (context.arguments.text("--format") != "header" && !overrules.pins.empty())
    throw NothingFound(what + ": a pin has no results beside it", "tuner export",
                       "tuner pin --to FILE writes pins as text, --format header exports them");
  if (emulated)
    throw NothingFound(
        what + ": trials of the host device have no times and never answer", "tuner export",
        "tuner sweep on a GPU, or " + with_places(context, "tuner pin " + context.arguments.text("--kernel", "KERNEL") +
                                                               " --shape MxN PARAM=VALUE --why REASON"));
  throw NothingFound(what, "tuner export", "tuner list shows what is known");
}

// Whoever names a folder of kernels wants them in: said of each that is not.
void warn_of_missing(const Context& context, const spec::Catalog& catalog, const std::vector<store::Entry>& entries,
                     const store::Overrules& overrules) {
  if (context.arguments.has("--kernel")) return;
  std::error_code error;
  for (const std::string& folder : context.arguments.all("--kernels"))
    for (const spec::KernelSpec& kernel : catalog.kernels()) {
      if (!fs::equivalent(fs::path(kernel.path).parent_path(), folder, error)) continue;
      if (std::any_of(entries.begin(), entries.end(),
                      [&](const store::Entry& entry) { return entry.result.problem.kernel == kernel.name; }) ||
          std::any_of(overrules.pins.begin(), overrules.pins.end(),
                      [&](const store::Pin& pin) { return pin.problem.kernel == kernel.name; }))
        continue;
      std::cerr << context.notes.text("warning: '" + kernel.name + "' of " + folder +
                                      " is not exported: it has neither results of a GPU nor a pin")
                << "\n";
    }
}

// A header needs their manifests. Takes the entries of those that have none out.
std::set<std::string> without_manifest(const spec::Catalog& catalog, std::vector<store::Entry>& entries,
                                       const store::Overrules& overrules) {
  std::set<std::string> unknown;
  const auto is_unknown = [&](const std::string& kernel) {
    if (catalog.find(kernel) != nullptr) return false;
    unknown.insert(kernel);
    return true;
  };
  entries.erase(std::remove_if(entries.begin(), entries.end(),
                               [&](const store::Entry& entry) { return is_unknown(entry.result.problem.kernel); }),
                entries.end());
  for (const store::Pin& pin : overrules.pins) is_unknown(pin.problem.kernel);
  return unknown;
}

// With their paths.
std::vector<exporting::Document> documents_of(const Context& context, const store::Layers& layers,
                                              const spec::Catalog& catalog) {
  const std::string output = context.arguments.text("--output");
  std::vector<store::Entry> entries = chosen_entries(context, layers);
  const store::Overrules overrules = chosen_overrules(context, layers);
  const bool header = context.arguments.text("--format") == "header";
  const auto pins = std::count_if(overrules.pins.begin(), overrules.pins.end(),
                                  [&](const store::Pin& pin) { return catalog.find(pin.problem.kernel) != nullptr; });
  const std::set<std::string> unknown =
      header ? without_manifest(catalog, entries, overrules) : std::set<std::string>();
  if (entries.empty() && !(header && pins > 0)) refuse_nothing(context, layers, overrules, unknown);
  for (const std::string& kernel : unknown)
    std::cerr << context.notes.text("warning: '" + kernel + "' is not exported: " + where_manifests) << "\n";
  warn_of_missing(context, catalog, entries, overrules);
  if (header) {
    if (is_folder(output))
      throw UserError("a header is one file, '" + output + "' is a folder", "--output", "name a file in it");
    return {{output, exporting::header(entries, overrules.pins, overrules.forbids, catalog), entries.size(), 0,
             static_cast<std::size_t>(pins)}};
  }
  std::vector<exporting::Document> documents = exporting::results_documents(entries, overrules);
  if (documents.empty())
    throw NothingFound("there is nothing to export", "tuner export", "all that is known is forbidden or has no winner");
  if (is_folder(output)) {
    for (exporting::Document& document : documents) document.path = (fs::path(output) / document.path).string();
    return documents;
  }
  if (documents.size() > 1) {
    std::set<std::string> models;
    for (const store::Entry& entry : entries) models.insert("'" + store::described(entry.gpu) + "'");
    std::string names;
    for (const std::string& model : models) names += (names.empty() ? "" : ", ") + model;
    throw UserError("a results file is of one GPU model, this is of " + std::to_string(documents.size()), "--output",
                    "name one with --gpu, or a folder for a file each, -o results/; they are " + names);
  }
  documents.front().path = output;
  return documents;
}

// Only what is selected is written and compared: what a file of results holds of other kernels stays.
void keep_other_kernels(const Context& context, std::vector<exporting::Document>& documents) {
  const std::string kernel = context.arguments.text("--kernel");
  if (kernel.empty() || context.arguments.text("--format") == "header") return;
  for (exporting::Document& document : documents) document = exporting::beside_others(document, kernel);
}

std::string written_text(const exporting::Document& document) {
  const auto count = [](std::size_t results) { return std::to_string(results) + " results"; };
  std::string written = count(document.results);
  if (document.pins > 0) written += " and " + std::to_string(document.pins) + (document.pins == 1 ? " pin" : " pins");
  return "wrote " + written + " to " + document.path +
         (document.kept == 0 ? "" : ", kept " + count(document.kept) + " of other kernels there");
}

// The same export without --check.
std::string mending_command(const Context& context) {
  const Arguments& arguments = context.arguments;
  std::string text =
      "tuner export --format " + arguments.text("--format") + " -o " + shell_word(arguments.text("--output"));
  if (arguments.has("--kernel")) text += " --kernel " + shell_word(arguments.text("--kernel"));
  return with_question(context, text);
}

constexpr int gate_tripped = 4;

int check(const Context& context, const std::vector<exporting::Document>& documents) {
  std::vector<exporting::Difference> differences;
  for (const exporting::Document& document : documents)
    if (auto difference = exporting::difference(document)) differences.push_back(std::move(*difference));
  const std::string command = mending_command(context);
  if (context.json)
    std::cout << report::check_json(documents, differences, command);
  else
    std::cout << report::check_text(documents, differences, command, context.style);
  return differences.empty() ? 0 : gate_tripped;
}

}  // namespace

int cmd_export(const Context& context) {
  const Arguments& arguments = context.arguments;
  arguments.required("--format");
  if (arguments.text("--format") == "replay") return export_replay(context);
  for (const char* flag : {"--shape", "--set", "--regime"})
    if (arguments.has(flag)) throw UserError(std::string(flag) + " is of --format replay alone", "tuner export");
  const std::string output = arguments.text("--output");
  const bool to_stdout = output.empty() || output == "-";
  if (arguments.has("--check") && to_stdout)
    throw UserError("--check compares with a file", "tuner export", "name it with -o FILE");
  const spec::Catalog catalog = load_catalog(context);
  if (arguments.has("--kernel")) kernel_named(context, catalog, arguments.text("--kernel"), "--kernel");
  check_overrules(context);
  const store::Layers layers = open_layers(context);
  std::vector<exporting::Document> documents = documents_of(context, layers, catalog);
  if (!to_stdout) keep_other_kernels(context, documents);
  if (arguments.has("--check")) return check(context, documents);
  if (context.json && to_stdout) {
    std::cout << report::export_json(documents, true);
    return 0;
  }
  if (is_folder(output)) {
    std::error_code error;
    fs::create_directories(output, error);  // a failure shows when the first file is written
  }
  for (const exporting::Document& document : documents) {
    write_file(document.path, document.text);
    if (!context.quiet && !context.json && !to_stdout) std::cerr << context.notes.text(written_text(document)) << "\n";
  }
  if (context.json) std::cout << report::export_json(documents, false);
  return 0;
}

}  // namespace tuner::cli
