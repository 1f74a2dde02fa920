// An NVRTC for tests: its version is the one in its file's name (libnvrtc.so.12.4.1), its architectures are those of
// that version, and what it compiles is a note of its version. TUNER_FAKE_NVRTC=no-builtins: it compiles nothing.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

std::string version() {
  Dl_info info{};
  ::dladdr(reinterpret_cast<void*>(&version), &info);
  const std::string path = info.dli_fname;
  return path.substr(path.rfind(".so.") + 4);
}

int major_version() { return std::atoi(version().c_str()); }
int minor_version() { return std::atoi(version().substr(version().find('.') + 1).c_str()); }

std::vector<int> archs() {
  if (major_version() >= 13) return {75, 80, 86, 89, 90, 100, 120};
  return {50, 60, 70, 75, 80, 86, 89, 90};
}

bool lacks_builtins() {
  const char* word = std::getenv("TUNER_FAKE_NVRTC");
  return word && std::strcmp(word, "no-builtins") == 0;
}

std::string cubin() {
  const std::string release = version().substr(0, version().rfind('.'));
  return "Cuda compilation tools, release " + release + ", V" + version();
}

std::string log() {
  if (!lacks_builtins()) return "";
  return "nvrtc: error: failed to open libnvrtc-builtins.so." + version().substr(0, version().rfind('.')) + ".";
}

int put(const std::string& text, char* out) { return std::memcpy(out, text.c_str(), text.size() + 1), 0; }

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) { return *major = major_version(), *minor = minor_version(), 0; }
int nvrtcGetNumSupportedArchs(int* count) { return *count = static_cast<int>(archs().size()), 0; }
int nvrtcGetSupportedArchs(int* out) {
  for (const int arch : archs()) *out++ = arch;
  return 0;
}
const char* nvrtcGetErrorString(int) { return "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"; }
int nvrtcCreateProgram(void** program, const char*, const char*, int, const char* const*, const char* const*) {
  static int any = 0;
  return *program = &any, 0;
}
int nvrtcDestroyProgram(void**) { return 0; }
int nvrtcCompileProgram(void*, int, const char* const*) { return lacks_builtins() ? 7 : 0; }
int nvrtcAddNameExpression(void*, const char*) { return 0; }
int nvrtcGetLoweredName(void*, const char* expression, const char** lowered) { return *lowered = expression, 0; }
int nvrtcGetProgramLogSize(void*, std::size_t* size) { return *size = log().size() + 1, 0; }
int nvrtcGetProgramLog(void*, char* out) { return put(log(), out); }
int nvrtcGetCUBINSize(void*, std::size_t* size) { return *size = cubin().size() + 1, 0; }
int nvrtcGetCUBIN(void*, char* out) { return put(cubin(), out); }

}  // extern "C"
