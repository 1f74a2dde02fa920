#include "compile/nvrtc_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/error.h"

namespace tuner::compile {
namespace {

using namespace nvrtc_api;

template <typename Function>
void find_symbol(void* handle, const char* name, Function*& function, const std::string& path) {
  function = reinterpret_cast<Function*>(dlsym(handle, name));
  if (function == nullptr) throw MachineError(std::string("it has no ") + name, path);
}

std::string text_of(GetSize* get_size, GetBytes* get, Program program) {
  std::size_t size = 0;
  if (get_size(program, &size) != success || size == 0) return {};
  std::string bytes(size, '\0');
  if (get(program, bytes.data()) != success) return {};
  return bytes;
}

// A program that is destroyed on every way out.
class ProgramOwner {
 public:
  explicit ProgramOwner(DestroyProgram* destroy) : destroy_(destroy) {}
  ProgramOwner(const ProgramOwner&) = delete;
  ProgramOwner& operator=(const ProgramOwner&) = delete;
  ~ProgramOwner() {
    if (program != nullptr) destroy_(&program);
  }
  Program program = nullptr;

 private:
  DestroyProgram* destroy_;
};

}  // namespace

NvrtcLibrary::NvrtcLibrary(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) {
    const char* why = dlerror();
    throw MachineError(why != nullptr ? why : "it cannot be loaded", path);
  }
  find_symbol(handle_, "nvrtcVersion", version_, path);
  find_symbol(handle_, "nvrtcGetNumSupportedArchs", get_num_supported_archs_, path);
  find_symbol(handle_, "nvrtcGetSupportedArchs", get_supported_archs_, path);
  find_symbol(handle_, "nvrtcGetErrorString", get_error_string_, path);
  find_symbol(handle_, "nvrtcCreateProgram", create_, path);
  find_symbol(handle_, "nvrtcDestroyProgram", destroy_, path);
  find_symbol(handle_, "nvrtcCompileProgram", compile_, path);
  find_symbol(handle_, "nvrtcAddNameExpression", add_name_, path);
  find_symbol(handle_, "nvrtcGetLoweredName", get_lowered_, path);
  find_symbol(handle_, "nvrtcGetProgramLogSize", get_log_size_, path);
  find_symbol(handle_, "nvrtcGetProgramLog", get_log_, path);
  find_symbol(handle_, "nvrtcGetCUBINSize", get_cubin_size_, path);
  find_symbol(handle_, "nvrtcGetCUBIN", get_cubin_, path);
  if (version_(&major_, &minor_) != success) throw MachineError("it does not say its version", path);
  load_builtins(path);
}

// NVRTC opens its built-ins by their bare name, which a library without a run path finds only where the loader looks.
// Once they are loaded from beside it the name finds them; where that fails, NVRTC itself says so when it compiles.
void NvrtcLibrary::load_builtins(const std::string& path) const {
  const std::string name = "libnvrtc-builtins.so." + std::to_string(major_) + "." + std::to_string(minor_);
  dlopen((std::filesystem::path(path).parent_path() / name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

std::vector<int> NvrtcLibrary::archs() const {
  int count = 0;
  if (get_num_supported_archs_(&count) != success || count <= 0) return {};
  std::vector<int> all(static_cast<std::size_t>(count));
  if (get_supported_archs_(all.data()) != success) return {};
  return all;
}

NvrtcLibrary::Result NvrtcLibrary::compile(const std::string& name, const std::string& text,
                                           const std::vector<Header>& headers, const std::vector<std::string>& options,
                                           const std::vector<std::string>& entries) const {
  std::vector<const char*> header_texts;
  std::vector<const char*> header_names;
  for (const auto& header : headers) {
    header_texts.push_back(header.text.c_str());
    header_names.push_back(header.name.c_str());
  }
  std::vector<const char*> words;
  const bool knows_no_cache = major_ > 12 || (major_ == 12 && minor_ >= 9);
  for (const auto& option : options)
    if (option != "--no-cache" || knows_no_cache) words.push_back(option.c_str());

  Result result;
  ProgramOwner owner(destroy_);
  auto status = create_(&owner.program, text.c_str(), name.c_str(), static_cast<int>(headers.size()),
                        header_texts.data(), header_names.data());
  for (const auto& entry : entries)
    if (status == success) status = add_name_(owner.program, entry.c_str());
  if (status == success) {
    status = compile_(owner.program, static_cast<int>(words.size()), words.data());
    result.log = text_of(get_log_size_, get_log_, owner.program);
    while (!result.log.empty() && (result.log.back() == '\0' || result.log.back() == '\n')) result.log.pop_back();
  }
  if (status == success) result.cubin = text_of(get_cubin_size_, get_cubin_, owner.program);
  result.ok = status == success && !result.cubin.empty();
  for (const auto& entry : entries) {
    const char* lowered = nullptr;
    const bool known = result.ok && get_lowered_(owner.program, entry.c_str(), &lowered) == success;
    result.symbols.emplace_back(known && lowered != nullptr ? lowered : "");
  }
  if (!result.ok && result.log.empty()) result.log = get_error_string_(status);
  return result;
}

void scrub_nvrtc_environment() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (std::strncmp(*entry, "NVRTC_", 6) == 0) names.emplace_back(*entry, std::strcspn(*entry, "="));
  for (const auto& name : names) unsetenv(name.c_str());
}

std::string build_version(std::string_view cubin) {
  constexpr std::string_view kLead = "Cuda compilation tools, release ";
  const auto at = cubin.find(kLead);
  if (at == std::string_view::npos) return {};
  auto rest = cubin.substr(at + kLead.size(), 64);
  const auto v = rest.find(", V");
  if (v == std::string_view::npos) return {};
  rest.remove_prefix(v + 3);
  std::size_t size = 0;
  while (size < rest.size() && (std::isdigit(static_cast<unsigned char>(rest[size])) != 0 || rest[size] == '.')) ++size;
  return std::string(rest.substr(0, size));
}

}  // namespace tuner::compile
