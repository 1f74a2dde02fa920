#include "cli/overruling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "cli/knowledge.h"
#include "cli/write_file.h"
#include "core/error.h"
#include "core/shell.h"
#include "core/suggest.h"
#include "report/overrules_text.h"
#include "spec/resolve.h"
#include "store/gpu_choice.h"
#include "store/ladder.h"

namespace tuner::cli {
namespace {

// The database brought to what `wanted` says.
void write_to_database(store::Store& store, const store::Overrules& before, const store::Overrules& wanted) {
  const auto has = [](const auto& rules, const auto& rule) {
    return std::any_of(rules.begin(), rules.end(), [&rule](const auto& other) { return other.id == rule.id; });
  };
  for (const store::Pin& pin : before.pins)
    if (!has(wanted.pins, pin)) store.remove_pin(pin.id);
  for (const store::Forbid& forbid : before.forbids)
    if (!has(wanted.forbids, forbid)) store.remove_forbid(forbid.id);
  for (const store::Pin& pin : wanted.pins)
    if (pin.id == 0) store.pin(pin);
  for (const store::Forbid& forbid : wanted.forbids)
    if (forbid.id == 0) store.forbid(forbid);
}

// What drivers call their GPUs begins with the maker's name or a line of products, and goes on.
bool is_full_name(const std::string& name) {
  for (const char* first : {"NVIDIA ", "Tesla ", "Quadro ", "GeForce ", "TITAN "})
    if (name.compare(0, std::strlen(first), first) == 0 && name.find_first_not_of(' ', std::strlen(first)) != name.npos)
      return true;
  return false;
}

// A project's first pin or forbid makes its .tuner/, unless `change` throws: it is asked with nothing in the file.
void make_project_folder(const std::string& path, const std::function<void(store::Overrules&)>& change) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (folder.filename() != ".tuner" || std::filesystem::exists(std::filesystem::symlink_status(folder, error))) return;
  store::Overrules nothing;
  change(nothing);
  std::filesystem::create_directory(folder, error);  // where it fails, so does the write, which says why
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

void check_parameters(const spec::KernelSpec& kernel, const Facts& wanted, const std::string& where) {
  std::vector<std::string> names;
  for (const space::Param& param : kernel.space.params) names.push_back(param.name);
  for (const auto& [name, value] : wanted) {
    const auto found = std::find_if(kernel.space.params.begin(), kernel.space.params.end(),
                                    [&key = name](const space::Param& param) { return param.name == key; });
    if (found == kernel.space.params.end())
      throw UserError("unknown parameter '" + name + "' of " + kernel.name, where, did_you_mean(name, names));
    if (std::find(found->values.begin(), found->values.end(), value) != found->values.end()) continue;
    std::vector<std::string> values;
    for (const Value& known : found->values) values.push_back(to_text(known));
    throw UserError("'" + to_text(value) + "' is no value of " + name, kernel.path,
                    did_you_mean(to_text(value), values));
  }
}

Problem problem_of(const Context& context, const spec::KernelSpec& kernel) {
  const Arguments& arguments = context.arguments;
  return spec::make_problem(kernel, parse_shape(arguments.required("--shape"), "--shape"),
                            parse_assignments(arguments.all("--set"), "--set"),
                            arguments.has("--set") ? "--set" : "--shape");
}

std::string required_why(const Context& context) {
  const std::string why = context.arguments.required("--why");
  if (why.find_first_not_of(" \t\n") == std::string::npos)
    throw UserError("the reason is empty", "--why", "say it to whoever meets this later");
  return why;
}

std::string flag_of_file(const std::string& layer, const std::string& source) {
  return layer == "user" ? std::string() : " --to " + shell_word(source);
}

std::string command_that_allows(const store::Forbid& forbid) {
  std::string text = "tuner forbid --remove";
  for (const auto& [name, value] : forbid.params.params) text += " " + shell_word(name + "=" + to_text(value));
  if (!forbid.kernel.empty()) text += " --kernel " + shell_word(forbid.kernel);
  if (!forbid.gpu.empty()) text += " --gpu " + shell_word(forbid.gpu);
  return text + flag_of_file(forbid.layer, forbid.source);
}

void warn_of_forbid(const Context& context, const std::vector<store::Forbid>& forbids, const std::string& kernel,
                    const GpuFacts& gpu, const Config& config) {
  const store::Forbid* forbid = store::forbid_of(forbids, kernel, gpu, config);
  if (forbid == nullptr) return;
  std::cerr << context.notes.text("warning: this configuration is forbidden: " + forbid->layer + " forbids " +
                                  report::forbid_title(*forbid) + " (" + forbid->why + ")")
            << "\n";
}

void no_answer(const std::vector<std::int64_t>& dims, const std::vector<const store::Forbid*>& in_the_way,
               const std::vector<std::string>& reasons) {
  if (in_the_way.empty() && !reasons.empty())
    throw NothingFound(fmt::format("no configuration is legal at {}; {}", shape_text(dims), fmt::join(reasons, "; ")),
                       "--shape");
  if (in_the_way.empty())
    throw NothingFound("no kernel has a legal configuration at " + shape_text(dims), "--shape", "see 'tuner list'");
  std::vector<std::string> said;
  for (const store::Forbid* forbid : in_the_way) {
    std::string one = forbid->layer + " forbids " + report::forbid_title(*forbid) + " (" + forbid->why + ")";
    if (std::find(said.begin(), said.end(), one) == said.end()) said.push_back(std::move(one));
  }
  std::string where;
  for (const std::string& one : said) where += (where.empty() ? "" : ", ") + one;
  throw NothingFound("all that could answer at " + shape_text(dims) + " is forbidden", where,
                     "a sweep tries what is still allowed; " + command_that_allows(*in_the_way.front()) +
                         (said.size() == 1 ? " takes that back" : " takes the first back"));
}

std::string gpu_part(const Context& context, const store::Layers& layers, const std::optional<GpuFacts>& here) {
  const std::string part = context.arguments.text("--gpu");
  if (part.empty()) return part;
  const std::vector<std::string> known = store::gpu_names(layers.outlines(), here);
  const auto fits = [&part](const std::string& name) { return store::contains_blind(name, part); };
  if (std::any_of(known.begin(), known.end(), fits) || fits("host") || is_full_name(part)) return part;
  throw UserError("no GPU known here is called '" + part + "'", "--gpu",
                  (known.empty() ? "none is known" : "known: " + joined(known)) +
                      "; the full name of one to come is taken as its driver gives it, such as 'NVIDIA L40S'");
}

std::string overrules_path(const Context& context) {
  if (!context.arguments.has("--to")) return context.places.database;
  const std::string path = context.arguments.text("--to");
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw UserError("'" + path + "' is a folder", "--to",
                    "name a file in it: " + (std::filesystem::path(path) / "overrules.json").string());
  return path;
}

std::string overrules_path_to_write(const Context& context) {
  std::string path = overrules_path(context);
  if (context.arguments.has("--to") && std::filesystem::path(path).extension() != ".json")
    throw UserError("'" + path + "' would never be read: results folders hold *.json", "--to",
                    "name it " + path + ".json");
  return path;
}

std::string why_not_in_force(const Context& context) {
  if (!context.arguments.has("--to")) return {};
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(context.arguments.text("--to"), error).parent_path();
  std::vector<std::string> known_warnings;
  const std::string project =  // it may have been made since
      find_project(std::filesystem::current_path().string(), process_environment, known_warnings);
  for (const std::string& used : {project, context.places.site, context.places.shipped})
    if (!used.empty() && std::filesystem::equivalent(folder, used, error)) return {};
  return "not in force here: it is where $TUNER_RESULTS or $TUNER_SITE names " + folder.string() +
         ", or in a project's .tuner/";
}

void edit_overrules(const Context& context, const std::function<void(store::Overrules&)>& change) {
  if (context.arguments.has("--to")) {
    const std::string path = overrules_path(context);
    make_project_folder(path, change);
    rewrite_file(path, [&] {
      store::Overrules overrules = store::read_overrules(path);
      change(overrules);
      return store::write_overrules(std::move(overrules));
    });
    return;
  }
  store::Overrules before;
  if (const auto store = open_database(context)) before = {store->pins(), store->forbids()};
  store::Overrules wanted = before;
  change(wanted);
  store::Store store = open_for_writing(context.places);
  write_to_database(store, before, wanted);
}

}  // namespace tuner::cli
