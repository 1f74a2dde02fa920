#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cache_place.h"
#include "cli/commands.h"
#include "cli/kernel_signature.h"
#include "cli/manifest_draft.h"
#include "cli/open_lines.h"
#include "core/error.h"
#include "core/identifier.h"
#include "core/shell.h"
#include "core/value.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

struct NewFile {
  fs::path path;
  std::string text;
};

struct Written {
  std::vector<NewFile> files;
  std::vector<std::string> open;  // FILE:LINE: TEXT
  std::string note;
  std::vector<std::string> next;
};

std::string kernel_name(const Context& context) {
  const std::string name = context.arguments.required("NAME");
  const auto value = value_from_text(name);
  if (!value || !std::holds_alternative<Name>(*value))
    throw UserError("'" + name + "' is not a name for a kernel", "NAME", "letters, digits and _");
  return name;
}

void refuse_existing(const std::vector<NewFile>& files) {
  for (const NewFile& file : files)
    if (std::error_code fault; fs::exists(fs::symlink_status(file.path, fault)))
      throw UserError("the file is there already", file.path.string(),
                      "nothing is overwritten: choose another NAME or --in DIR");
}

// All or none, as far as can be told before.
void create(const std::vector<NewFile>& files) {
  refuse_existing(files);
  std::error_code fault;
  for (const NewFile& file : files) fs::create_directories(file.path.parent_path(), fault);
  for (const NewFile& file : files) {
    std::FILE* out = std::fopen(file.path.c_str(), "wxe");
    if (out == nullptr) throw MachineError("the file cannot be written", file.path.string());
    const bool whole = std::fwrite(file.text.data(), 1, file.text.size(), out) == file.text.size();
    if (std::fclose(out) != 0 || !whole) throw MachineError("the file cannot be written", file.path.string());
  }
}

std::string file_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw MachineError("a file of the skeleton is missing", path.string(), "reinstall tuner");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// `text` with "skeleton" replaced; comments behind values stay in their column where they can.
std::string renamed(const std::string& text, const std::string& name) {
  static const std::string kWord = "skeleton";
  std::string out = text;
  for (std::size_t at = 0; (at = out.find(kWord, at)) != std::string::npos; at += name.size())
    out.replace(at, kWord.size(), name);
  return out;
}

Written skeleton(const Context& context, const std::string& name, const fs::path& folder) {
  Written written;
  const fs::path from = fs::path(context.places.templates()) / "skeleton";
  for (const char* ending : {".cu", ".yaml", "_reference.cpp"})
    written.files.push_back(
        {folder / (name + ending), renamed(file_text(from / ("skeleton" + std::string(ending))), name)});
  const std::string manifest = (folder / (name + ".yaml")).string();
  written.next = {"tuner check " + shell_word(manifest), "tuner sweep --kernels " +
                                                             shell_word(folder.empty() ? "." : folder.string()) +
                                                             " --kernel " + name + " --shape 100000 --device host"};
  return written;
}

std::string chosen_entry(const Context& context, const std::string& path) {
  if (context.arguments.has("--entry")) return std::string(unqualified(context.arguments.text("--entry")));
  const std::vector<std::string> known = compile::global_functions(file_text(path));
  if (known.size() == 1) return known.front();
  std::string list;
  for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
  throw UserError(known.empty() ? "the file has no __global__ function" : "the file has several kernels", path,
                  known.empty() ? "" : "name one with --entry: " + list);
}

Written draft(const Context& context, const std::string& name, const fs::path& folder) {
  const std::string path = context.arguments.text("--from");
  std::error_code fault;
  if (!fs::is_regular_file(path, fault)) throw UserError("no such file", path);
  Written written;
  const fs::path manifest = folder / (name + ".yaml");
  refuse_existing({{manifest, ""}});
  const std::string entry = chosen_entry(context, path);
  compile::Cache cache(cache_folder(context));
  const Signature signature = signature_of(context, path, entry, cache);
  const fs::path base = fs::absolute(folder.empty() ? "." : folder).lexically_normal();
  const fs::path source = fs::absolute(path).lexically_normal().lexically_relative(base);
  const Draft draft = draft_manifest({name, source.string(), signature.source_text, entry, signature.declaration});
  written.note = signature.note;
  written.files.push_back({manifest, draft.text});
  written.open = open_lines(draft.text, manifest.string());
  written.next = {"tuner check " + shell_word(manifest.string()) +
                  (draft.shape.empty() ? "" : " --shape " + draft.shape)};
  return written;
}

void print(const Context& context, const Written& written) {
  if (context.json) {
    nlohmann::ordered_json json{{"schema", 1},
                                {"files", nlohmann::json::array()},
                                {"open", written.open},
                                {"note", written.note},
                                {"next", written.next}};
    for (const NewFile& file : written.files) json["files"].push_back(file.path.string());
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    return;
  }
  std::string out;
  for (const NewFile& file : written.files) out += "wrote  " + file.path.string() + "\n";
  if (!written.note.empty()) out += "note   " + written.note + "\n";
  for (const std::string& line : written.open) out += "open   " + line + "\n";
  for (const std::string& command : written.next) out += "next   " + command + "\n";
  std::cout << context.style.text(out);
}

}  // namespace

int cmd_new_kernel(const Context& context) {
  const std::string name = kernel_name(context);
  const fs::path folder = context.arguments.text("--in");
  const bool from = context.arguments.has("--from");
  if (!from && context.arguments.has("--entry"))
    throw UserError("--entry needs --from", "--entry", "tuner new-kernel NAME --from FILE.cu --entry F");
  const Written written = from ? draft(context, name, folder) : skeleton(context, name, folder);
  create(written.files);
  print(context, written);
  return 0;
}

}  // namespace tuner::cli
