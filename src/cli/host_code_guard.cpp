#include "cli/host_code_guard.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

bool lies_in(const std::string& file, const std::string& folder) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(file, error).lexically_normal();
  const fs::path outer = fs::weakly_canonical(folder, error).lexically_normal();
  return !error && std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

void refuse_unasked_host_code(const Context& context, const spec::KernelSpec& kernel) {
  if (kernel.reference.kind != ReferencePlan::Kind::host || context.arguments.has("--allow-host-code")) return;
  if (lies_in(kernel.path, context.places.templates())) return;
  for (const std::string& folder : context.arguments.all("--kernels"))
    if (lies_in(kernel.path, folder)) return;
  throw UserError(
      "the reference of '" + kernel.name + "' is C++ that would run on this machine: " + kernel.reference.source_path,
      kernel.path, "where you trust it, name its folder with --kernels, or give --allow-host-code");
}

}  // namespace tuner::cli
