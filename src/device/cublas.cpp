#include "device/cublas.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>

namespace tuner::device {

namespace {

namespace fs = std::filesystem;

constexpr const char* kNames[] = {"libcublas.so.13", "libcublas.so.12"};

std::optional<int> data_type(Type type) {
  switch (type) {
    case Type::f32:
      return blas::kReal32;
    case Type::f16:
      return blas::kReal16;
    case Type::bf16:
      return blas::kRealBf16;
    default:
      return {};
  }
}

std::string status_text(int status) {
  switch (status) {
    case 1:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case 7:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case 8:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 13:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case blas::kNotSupported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return fmt::format("status {}", status);
  }
}

// Subfolders of `parent` whose name starts with `prefix`, newest name first.
std::vector<fs::path> folders(const fs::path& parent, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::directory_iterator it(parent, ignored), end; !ignored && it != end; it.increment(ignored))
    if (it->path().filename().string().rfind(prefix, 0) == 0) found.push_back(it->path());
  std::sort(found.rbegin(), found.rend());
  return found;
}

void add_toolkit(const fs::path& root, std::vector<fs::path>& to) {
  to.push_back(root / "lib64");
  to.push_back(root / "targets/x86_64-linux/lib");
}

// Where pip puts the libraries of NVIDIA's wheels.
void add_python(std::vector<fs::path>& to) {
  std::vector<fs::path> roots{"/usr/lib/python3/dist-packages"};
  if (const char* environment = std::getenv("VIRTUAL_ENV"); environment && *environment)
    for (const auto& python : folders(fs::path(environment) / "lib", "python3"))
      roots.push_back(python / "site-packages");
  for (const auto& python : folders("/usr/local/lib", "python3")) {
    roots.push_back(python / "dist-packages");
    roots.push_back(python / "site-packages");
  }
  if (const char* home = std::getenv("HOME"); home && *home)
    for (const auto& python : folders(fs::path(home) / ".local/lib", "python3"))
      roots.push_back(python / "site-packages");
  for (const auto& root : roots) {
    to.push_back(root / "nvidia/cu13/lib");
    to.push_back(root / "nvidia/cublas/lib");
  }
}

std::vector<fs::path> library_folders() {
  std::vector<fs::path> result;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable); root && *root) add_toolkit(root, result);
  for (const auto& root : folders("/usr/local", "cuda")) add_toolkit(root, result);
  add_python(result);
  return result;
}

}  // namespace

std::vector<std::string> cublas_paths() {
  if (const char* path = std::getenv("TUNER_CUBLAS"); path && *path) return {path};
  std::vector<std::string> paths(std::begin(kNames), std::end(kNames));
  std::error_code ignored;
  for (const auto& folder : library_folders())
    for (const char* name : kNames)
      if (fs::exists(folder / name, ignored)) paths.push_back((folder / name).string());
  return paths;
}

std::string Cublas::open(cu::Stream stream, Address workspace) {
  std::string tried;
  for (const auto& path : cublas_paths()) {
    // libcublas needs its libcublasLt, which need not be in the loader's path: the one beside it is loaded first.
    SharedLibrary light, library;
    if (const auto at = path.rfind("libcublas.so"); at != std::string::npos && at != 0) {
      light.open(path.substr(0, at) + "libcublasLt.so" + path.substr(at + std::string("libcublas.so").size()), true);
      light.leak();
    }
    std::string why = library.open(path) ? start(library, stream, workspace) : library.error();
    library.leak();
    if (why.empty()) return {};
    tried += fmt::format("{}{}: {}", tried.empty() ? "" : "; ", path, why);
  }
  return "no cuBLAS: " + tried;
}

std::string Cublas::start(SharedLibrary& library, cu::Stream stream, Address workspace) {
  CublasApi api{};
  if (!library.find(api.create, "cublasCreate_v2") || !library.find(api.destroy, "cublasDestroy_v2") ||
      !library.find(api.set_stream, "cublasSetStream_v2") ||
      !library.find(api.set_workspace, "cublasSetWorkspace_v2") || !library.find(api.gemm, "cublasGemmEx"))
    return "it lacks an entry";
  CublasApi::Handle handle = nullptr;
  if (const int status = api.create(&handle)) return "cublasCreate: " + status_text(status);
  int status = api.set_stream(handle, stream);
  if (status == 0) status = api.set_workspace(handle, reinterpret_cast<void*>(workspace), kWorkspaceBytes);
  if (status != 0) {
    api.destroy(handle);
    return "cublasSetWorkspace: " + status_text(status);
  }
  api_ = api;
  handle_ = handle;
  return {};
}

void Cublas::close() {
  if (handle_) api_.destroy(handle_);
  handle_ = nullptr;
}

std::string Cublas::gemv(const Device::Gemv& gemv, std::size_t copy) {
  const auto type = data_type(gemv.type), out = data_type(gemv.out);
  if (!type || !out) return fmt::format("cublasGemmEx has no {} to {}", to_text(gemv.type), to_text(gemv.out));
  constexpr std::int64_t kMax = std::numeric_limits<int>::max();
  if (gemv.rows > kMax || gemv.columns > kMax || gemv.row_stride > kMax) return "cublasGemmEx takes sizes below 2^31";
  const auto rows = static_cast<int>(gemv.rows), columns = static_cast<int>(gemv.columns);
  const auto stride = static_cast<int>(gemv.row_stride);
  const void* a = reinterpret_cast<const void*>(gemv.a[copy]);
  const void* x = reinterpret_cast<const void*>(gemv.x);
  void* y = reinterpret_cast<void*>(gemv.y[copy]);
  const float one = 1, zero = 0;
  // A row-major matrix is its transpose in cuBLAS's column-major eyes.
  const int status =
      gemv.order == 0 ? api_.gemm(handle_, blas::kOpTranspose, blas::kOpNone, rows, 1, columns, &one, a, *type, stride,
                                  x, *type, columns, &zero, y, *out, rows, blas::kCompute32, blas::kDefaultAlgorithm)
                      : api_.gemm(handle_, blas::kOpTranspose, blas::kOpNone, 1, rows, columns, &one, x, *type, columns,
                                  a, *type, stride, &zero, y, *out, 1, blas::kCompute32, blas::kDefaultAlgorithm);
  return status == 0 ? std::string() : "cublasGemmEx: " + status_text(status);
}

}  // namespace tuner::device
