#include "compile/nvrtc_paths.h"

#include <glob.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "proc/child.h"
#include "proc/toolkit_program.h"

namespace tuner::compile {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> all;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) all.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  std::reverse(all.begin(), all.end());  // cuda-13.0 before cuda-12.9
  return all;
}

void add_toolkit(std::vector<std::string>& folders, const std::string& root) {
  for (const char* part : {"/lib64", "/lib", "/targets/x86_64-linux/lib", "/targets/sbsa-linux/lib"})
    folders.push_back(root + part);
}

void add_python(std::vector<std::string>& folders, const std::string& root) {
  for (const char* packages : {"/lib/python3*/site-packages", "/lib/python3*/dist-packages"})
    for (const auto& folder : matches(root + packages + "/nvidia/*/lib")) folders.push_back(folder);
}

// What ld.so would look through: its variable, then its cache.
void add_loader(std::vector<std::string>& folders) {
  std::istringstream listed(proc::environment("LD_LIBRARY_PATH"));
  std::string folder;
  while (std::getline(listed, folder, ':'))
    if (!folder.empty()) folders.push_back(folder);
  for (const char* program : {"/sbin/ldconfig", "/usr/sbin/ldconfig"}) {
    if (!fs::exists(program)) continue;
    std::istringstream lines(proc::run({program, "-p"}, {}, std::chrono::seconds(5), {}).out);
    std::string line;
    while (std::getline(lines, line)) {
      const auto arrow = line.find("=> ");
      if (line.find("libnvrtc.so") != std::string::npos && arrow != std::string::npos)
        folders.push_back(fs::path(line.substr(arrow + 3)).parent_path().string());
    }
    return;
  }
}

bool is_nvrtc(const std::string& file) {
  return file.rfind("libnvrtc.so", 0) == 0 && file.find(".alt") == std::string::npos;
}

}  // namespace

std::vector<std::string> nvrtc_folders() {
  std::vector<std::string> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto root = proc::environment(name); !root.empty()) add_toolkit(folders, root);
  for (const auto& root : matches("/usr/local/cuda*")) add_toolkit(folders, root);
  for (const auto& root : matches("/opt/cuda*")) add_toolkit(folders, root);
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"})
    folders.emplace_back(folder);
  add_loader(folders);
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto root = proc::environment(name);
    if (root.empty()) continue;
    folders.push_back(root + "/lib");
    add_python(folders, root);
  }
  if (const auto home = proc::environment("HOME"); !home.empty()) add_python(folders, home + "/.local");
  add_python(folders, "/usr/local");
  add_python(folders, "/usr");
  return folders;
}

std::vector<std::string> nvrtc_files(const std::vector<std::string>& folders) {
  std::vector<std::string> files;
  for (const auto& folder : folders) {
    std::vector<std::string> here;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (!is_nvrtc(entry->path().filename().string())) continue;
      std::error_code broken;
      const auto real = fs::canonical(entry->path(), broken);
      if (!broken && is_nvrtc(real.filename().string())) here.push_back(real.string());
    }
    std::sort(here.begin(), here.end());
    for (const auto& file : here)
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  }
  return files;
}

std::vector<std::string> toolkit_headers(const std::string& library) {
  const fs::path folder = fs::path(library).parent_path();
  for (const fs::path& place :
       {folder / "../include", folder / "../../include", folder / "../../cuda_runtime/include"}) {
    std::error_code error;
    if (!fs::exists(place / "cuda_fp16.h", error)) continue;
    const auto real = fs::canonical(place, error);
    if (error) continue;
    std::vector<std::string> folders{real.string()};
    if (fs::is_directory(real / "cccl", error)) folders.push_back((real / "cccl").string());
    return folders;
  }
  return {};
}

}  // namespace tuner::compile
