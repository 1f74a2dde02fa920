// A libnvrtc in this process. For child processes only: it may crash or never return.
#pragma once

#include <string>
#include <vector>

#include "compile/nvrtc_api.h"
#include "compile/render.h"

namespace tuner::compile {

class NvrtcLibrary {
 public:
  // Throws MachineError when it cannot be loaded or is no NVRTC.
  explicit NvrtcLibrary(const std::string& path);
  NvrtcLibrary(const NvrtcLibrary&) = delete;
  NvrtcLibrary& operator=(const NvrtcLibrary&) = delete;

  int major() const { return major_; }
  int minor() const { return minor_; }
  // 75, 80, ...
  std::vector<int> archs() const;

  // What the errors about name expressions give as their file.
  static constexpr const char* entry_file = "__nv_name_map";

  struct Result {
    bool ok = false;
    std::string log;  // the compiler's; when it says nothing, the name of the failure
    std::string cubin;
    std::vector<std::string> symbols;  // of the entries, in their order; empty where it has none
  };
  // `options` must name the architecture. Options that this version does not know (--no-cache before 12.9) are left
  // out. `entries` are name expressions, which instantiate the templates that they name.
  Result compile(const std::string& name, const std::string& text, const std::vector<Header>& headers,
                 const std::vector<std::string>& options, const std::vector<std::string>& entries = {}) const;

 private:
  void load_builtins(const std::string& path) const;

  void* handle_ = nullptr;  // never closed: its own threads may still run
  int major_ = 0;
  int minor_ = 0;
  nvrtc_api::Version* version_ = nullptr;
  nvrtc_api::GetNumSupportedArchs* get_num_supported_archs_ = nullptr;
  nvrtc_api::GetSupportedArchs* get_supported_archs_ = nullptr;
  nvrtc_api::GetErrorString* get_error_string_ = nullptr;
  nvrtc_api::CreateProgram* create_ = nullptr;
  nvrtc_api::DestroyProgram* destroy_ = nullptr;
  nvrtc_api::CompileProgram* compile_ = nullptr;
  nvrtc_api::AddNameExpression* add_name_ = nullptr;
  nvrtc_api::GetLoweredName* get_lowered_ = nullptr;
  nvrtc_api::GetSize* get_log_size_ = nullptr;
  nvrtc_api::GetBytes* get_log_ = nullptr;
  nvrtc_api::GetSize* get_cubin_size_ = nullptr;
  nvrtc_api::GetBytes* get_cubin_ = nullptr;
};

// Removes every NVRTC_* variable: they append options or write files.
void scrub_nvrtc_environment();

// "13.0.88" from the note that the assembler leaves in a cubin; empty where there is none.
std::string build_version(std::string_view cubin);

}  // namespace tuner::compile
