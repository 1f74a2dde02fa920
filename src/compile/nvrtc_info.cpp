#include <unistd.h>

#include <nlohmann/json.hpp>

#include "compile/nvrtc.h"
#include "compile/nvrtc_library.h"
#include "core/error.h"

namespace tuner::compile {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

nlohmann::json ask(const std::string& path) {
  nlohmann::json info{{"path", path}};
  try {
    const NvrtcLibrary library(path);
    const auto archs = library.archs();
    info["major"] = library.major();
    info["minor"] = library.minor();
    info["version"] = std::to_string(library.major()) + "." + std::to_string(library.minor());
    info["archs"] = archs;
    if (archs.empty()) {
      info["problem"] = "it names no architecture that it compiles for";
      return info;
    }
    const auto built = library.compile(
        "probe.cu", "extern \"C\" __global__ void probe(int* p) { *p = 1; }", {},
        {"--gpu-architecture=sm_" + std::to_string(archs.front()), "--no-cache", "--modify-stack-limit=false"});
    if (!built.ok) info["problem"] = "it does not compile: " + first_line(built.log);
    const std::string version = build_version(built.cubin);
    if (!version.empty()) info["version"] = version;
  } catch (const MachineError& error) {
    info["problem"] = first_line(error.what());
  }
  return info;
}

}  // namespace

int nvrtc_info_main(const std::string& path) {
  scrub_nvrtc_environment();
  const int out = dup(STDOUT_FILENO);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;  // what the library prints is not the answer
  const std::string line = ask(path).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return write(out, line.data(), line.size()) == static_cast<ssize_t>(line.size()) ? 0 : 1;
}

}  // namespace tuner::compile
