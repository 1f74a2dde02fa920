#include "cli/kernel_signature.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/launch_syntax.h"
#include "compile/compile_log.h"
#include "compile/compiler.h"
#include "compile/host_build.h"
#include "compile/nvrtc.h"
#include "core/error.h"
#include "core/identifier.h"
#include "core/suggest.h"

namespace tuner::cli {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file) throw UserError("cannot read the file", path);
  text << file.rdbuf();
  return text.str();
}

std::string demangled(const std::string& mangled) {
  int fault = 0;
  char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &fault);
  std::string result = fault == 0 && text != nullptr ? text : "";
  std::free(text);
  return result;
}

// "add" of "add(float const*, int)".
std::string function_name(const std::string& signature) {
  const std::string name = signature.substr(0, signature.find_first_of("(<"));
  const std::size_t space = name.rfind(' ');
  return space == std::string::npos ? name : name.substr(space + 1);
}

const KernelAttributes* kernel_of(const Artifact& artifact, const std::string& entry) {
  if (const KernelAttributes* kernel = artifact.find(entry)) return kernel;
  for (const KernelAttributes& kernel : artifact.kernels)
    if (unqualified(function_name(demangled(kernel.entry))) == entry) return &kernel;
  return nullptr;
}

// As it stands, without a manifest: nothing is defined in front.
compile::Source bare_source(const std::string& path, bool nvcc) {
  spec::KernelSpec kernel;
  kernel.nvcc = nvcc;
  kernel.source_path = kernel.path = std::filesystem::absolute(path).lexically_normal().string();
  return compile::render(kernel, {}, {}, gpu_of_arch(80));
}

Artifact compiled(const compile::Source& source, const Context& context, compile::Cache& cache, std::string& by) {
  Artifact artifact;
  const auto keep = [&](std::size_t, const Artifact& made) { artifact = made; };
  compile::CompileOptions options;
  constexpr int arch = 80;
  if (source.nvcc) {
    options.nvcc = compile::choose_nvcc();
    options.arch = arch_text(arch);
    options.cache = &cache;
    by = "nvcc " + options.nvcc.version;
    compile::compile_all({source}, options, keep);
    return artifact;
  }
  try {
    options.nvrtc = compile::choose_nvrtc(context.arguments.text("--nvrtc"), arch, 0);
  } catch (const MachineError&) {
    by = "the host compiler";
    compile::HostBuildOptions host;
    host.cache = &cache;
    compile::host_build_all({source}, host, keep);
    return artifact;
  }
  by = "NVRTC " + options.nvrtc.version;
  options.arch = arch_text(arch);
  options.cache = &cache;
  compile::compile_all({source}, options, keep);
  return artifact;
}

// A macro or an alias hides what is taken: what the compiler made of it counts.
void put_right(compile::Declaration& declaration, const KernelAttributes& kernel) {
  std::vector<compile::DeclaredParameter> types = demangled_parameters(kernel.entry);
  if (types.empty() && declaration.parameters.size() != kernel.parameter_bytes.size())
    for (const int bytes : kernel.parameter_bytes) types.push_back({fmt::format("{} bytes", bytes), ""});
  if (types.empty()) return;
  const bool named = types.size() == declaration.parameters.size();
  for (std::size_t i = 0; named && i < types.size(); ++i) types[i].name = declaration.parameters[i].name;
  declaration.parameters = std::move(types);
}

}  // namespace

std::vector<compile::DeclaredParameter> demangled_parameters(const std::string& mangled) {
  const std::string signature = demangled(mangled);
  if (signature.empty() || signature.back() != ')') return {};
  // The list closes the signature; "(Mode)0" may stand among template arguments before it.
  std::size_t open = signature.size() - 1;
  for (int depth = 1; depth > 0 && open > 0;) {
    --open;
    depth += signature[open] == ')' ? 1 : signature[open] == '(' ? -1 : 0;
  }
  // In a function named so; the parser wants one.
  const std::string text = "void f" + signature.substr(open);
  const auto declaration = compile::declaration_of(text, "f");
  return declaration ? declaration->parameters : std::vector<compile::DeclaredParameter>();
}

Signature signature_of(const Context& context, const std::string& path, const std::string& entry,
                       compile::Cache& cache) {
  Signature signature;
  signature.source_text = text_of(path);
  const std::vector<std::string> known = compile::global_functions(signature.source_text);
  const auto declaration = compile::declaration_of(signature.source_text, entry);
  if (std::find(known.begin(), known.end(), entry) == known.end()) {
    const std::string hint = known.empty() ? "it has no __global__ function" : did_you_mean(entry, known);
    if (declaration) throw UserError("'" + entry + "' is not __global__", path, hint);
    throw UserError("there is no kernel '" + entry + "'", path, hint);
  }
  if (!declaration) throw UserError("the declaration of '" + entry + "' cannot be read", path);
  signature.declaration = *declaration;
  std::string by;
  const bool nvcc = needs_nvcc(signature.source_text) && compile::find_nvcc().problem.empty();
  const Artifact artifact = compiled(bare_source(path, nvcc), context, cache, by);
  const KernelAttributes* kernel = artifact.ok() ? kernel_of(artifact, entry) : nullptr;
  if (!artifact.ok()) {
    signature.note = by + " does not compile it as it is (" + std::string(compile::told_line(artifact.log)) +
                     "): read from its declaration";
  } else if (kernel == nullptr) {
    signature.note = by + " compiles the file; the arguments are read from the declaration";
  } else {
    put_right(signature.declaration, *kernel);
    signature.note = fmt::format("compiled by {}: {} parameters, {} bytes", by, kernel->parameter_bytes.size(),
                                 fmt::join(kernel->parameter_bytes, " + "));
  }
  return signature;
}

}  // namespace tuner::cli
