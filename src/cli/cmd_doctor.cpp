#include <filesystem>
#include <iostream>
#include <map>

#include "cli/commands.h"
#include "cli/knowledge.h"
#include "cli/repair.h"
#include "compile/host_build.h"
#include "compile/nvrtc_paths.h"
#include "core/error.h"
#include "report/doctor_text.h"
#include "report/format.h"

namespace tuner::cli {
namespace fs = std::filesystem;
namespace {

// Asked of child processes, one a GPU: a broken driver ends only the child.
void check_gpus(report::Checkup& checkup, const Context& context) {
  constexpr int most = 64;
  for (int index = 0; index < most; ++index) {
    try {
      checkup.gpus.push_back(device_facts(context, "cuda:" + std::to_string(index)));
    } catch (const std::exception& failure) {
      checkup.gpu_problem = failure.what();
      return;
    }
  }
}

void check_nvrtc(report::Checkup& checkup, const Context& context) {
  const std::string wanted = context.arguments.text("--nvrtc");
  const int arch = checkup.gpus.empty() ? 90 : checkup.gpus.front().arch;
  const int driver = checkup.gpus.empty() ? 0 : checkup.gpus.front().cuda_driver;
  checkup.nvrtc = compile::find_nvrtc(wanted);
  try {
    checkup.nvrtc_taken = compile::choose_nvrtc(wanted, arch, driver).path;
  } catch (const Error& failure) {
    checkup.nvrtc_problem = failure.what();
  }
}

void check_cublas(report::Checkup& checkup) {
  std::error_code error;
  for (const std::string& folder : compile::nvrtc_folders())
    for (const char* name : {"libcublas.so.13", "libcublas.so.12"})
      if (checkup.cublas.empty() && fs::exists(fs::path(folder) / name, error))
        checkup.cublas = (fs::path(folder) / name).string();
}

void check_host(report::Checkup& checkup) {
  try {
    checkup.host_compiler = compile::host_compiler_version();
  } catch (const Error& failure) {
    checkup.host_problem = failure.what();
  }
}

std::string database_state(const Context& context) {
  const std::string& path = context.places.database;
  if (path.empty()) return "none: neither HOME nor XDG_DATA_HOME is set";
  std::error_code error;
  if (!fs::exists(path, error)) return path + " (not there yet)";
  try {
    const store::Store store = store::Store::open(path, store::Store::Mode::read_only);
    return path + " (" + report::count(static_cast<std::int64_t>(store.runs().size()), "run", "runs") + ")";
  } catch (const Error& failure) {
    return path + " (unusable: " + failure.what() + ")";
  }
}

std::string cache_state(const Context& context) {
  const std::string& path = context.places.cache;
  if (path.empty()) return "none: neither HOME nor XDG_CACHE_HOME is set";
  std::error_code error;
  if (!fs::exists(path, error)) return path + " (not there yet)";
  const compile::Cache cache = compile::Cache::look_at(path);
  return path + " (" + report::count(cache.entries(), "entry", "entries") + ", " + bytes_text(cache.bytes()) +
         (cache.writable() ? ")" : ", read-only)");
}

void check_layers(report::Checkup& checkup, const Context& context) {
  checkup.warnings = context.places.warnings;
  const store::Layers layers = store::Layers::open(context.places.layers(), checkup.warnings);
  std::map<std::string, std::int64_t> rows;
  for (const store::Entry& entry : layers.outlines()) ++rows[entry.layer];
  const auto show = [&](const char* name, const std::string& folder) {
    const std::string held = report::count(rows[name], "result", "results");
    checkup.layers.emplace_back(name, folder.empty() ? held : held + " in " + folder);
  };
  show("user", {});  // its place is the database
  show("project", context.places.project);
  show("site", context.places.site);
  show("shipped", {});  // of the share folder
  try {
    layers.entries();
    for (const std::string& warning : layers.warnings()) checkup.warnings.push_back(warning);
  } catch (const Error& problem) {
    checkup.warnings.push_back("the database has a damaged row: " + std::string(problem.what()));
  }
}

}  // namespace

int cmd_doctor(const Context& context) {
  report::Checkup checkup;
  check_gpus(checkup, context);
  check_nvrtc(checkup, context);
  checkup.nvcc = compile::find_nvcc();
  checkup.ncu = profile::find_ncu();
  check_cublas(checkup);
  check_host(checkup);
  checkup.repaired = context.arguments.has("--repair");
  checkup.damage = look_for_damage(context.places, checkup.repaired);
  checkup.places = {
      {"database", database_state(context)}, {"cache", cache_state(context)}, {"share", context.places.share}};
  check_layers(checkup, context);
  std::cout << (context.json ? report::doctor_json(checkup) : report::doctor_text(checkup, context.style));
  return 0;
}

}  // namespace tuner::cli
