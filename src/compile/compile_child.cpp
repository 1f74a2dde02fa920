#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "compile/artifact_codec.h"
#include "compile/compile_job.h"
#include "compile/compile_log.h"
#include "compile/compiler.h"
#include "compile/cubin.h"
#include "compile/entries.h"
#include "compile/entry_markers.h"
#include "compile/host_unit.h"
#include "compile/includes.h"
#include "compile/nvcc.h"
#include "compile/nvrtc_library.h"
#include "compile/nvrtc_paths.h"
#include "compile/standard_headers.h"
#include "core/error.h"
#include "proc/frames.h"

namespace tuner::compile {
namespace {

// Opened once: that takes as long as compiling something small.
NvrtcLibrary& library_at(const std::string& path) {
  static std::map<std::string, std::unique_ptr<NvrtcLibrary>> open;
  std::unique_ptr<NvrtcLibrary>& library = open[path];
  if (!library) library = std::make_unique<NvrtcLibrary>(path);
  return *library;
}

std::vector<std::string> options_of(const CompileJob& job) {
  auto options = job.source.options;
  const bool named = std::any_of(options.begin(), options.end(),
                                 [](const auto& option) { return option.rfind("--gpu-architecture=", 0) == 0; });
  if (!named) options.push_back("--gpu-architecture=" + job.arch);
  return options;
}

struct Compiled {
  bool ok = false;
  std::string log;
  std::string cubin;
  std::vector<KernelAttributes> kernels;
  std::vector<std::string> symbols;  // of the entries
  std::string entries_place;         // what errors about entries give as their file
};

Compiled run_nvrtc(const CompileJob& job) {
  const Source& source = job.source;
  auto options = options_of(job);
  for (const auto& folder : source.include_dirs) options.push_back("--include-path=" + folder);
  if (has_angle_includes(source))
    for (const auto& folder : toolkit_headers(job.library)) options.push_back("--include-path=" + folder);
  std::vector<Header> headers = source.headers;
  for (Header& header : standard_headers(source)) headers.push_back(std::move(header));
  auto result = library_at(job.library).compile(source.name, source.text, headers, options, source.entries);
  Compiled compiled{result.ok, std::move(result.log),     std::move(result.cubin),
                    {},        std::move(result.symbols), NvrtcLibrary::entry_file};
  if (compiled.ok) compiled.kernels = read_cubin(compiled.cubin);
  return compiled;
}

Compiled run_nvcc(const CompileJob& job) {
  auto result = compile_with_nvcc(job, options_of(job));
  Compiled compiled{result.ok, std::move(result.log), std::move(result.cubin), {}, {}, entries_file(job.source)};
  if (compiled.ok) compiled.kernels = read_cubin(compiled.cubin);
  compiled.symbols = take_entry_markers(compiled.kernels, job.source.entries.size());
  return compiled;
}

void fail(Artifact& artifact, std::string log) {
  artifact.reason = Reason::compile_error;
  artifact.log = trimmed_log(log);
  artifact.image.clear();
}

// The log, behind a line that says which entry is at fault where one is.
std::string with_entry_fault(const Source& source, const std::string& log, std::string_view file) {
  const auto fault = entry_fault(log, file, source.entries);
  if (!fault) return log;
  // Of what is a function, but no kernel, there is no more to say.
  const bool says_all = fault->message.find("__global__") != std::string::npos;
  return source.name + ": " + no_kernel(fault->entry) + (says_all ? "" : ": " + fault->message) + "\n" + log;
}

Artifact compile_one(const CompileJob& job) {
  Artifact artifact;
  artifact.source_hash = job.source.hash;
  Compiled compiled = job.source.nvcc ? run_nvcc(job) : run_nvrtc(job);
  if (!compiled.ok) {
    fail(artifact, with_entry_fault(job.source, compiled.log, compiled.entries_place));
    return artifact;
  }
  artifact.log = trimmed_log(compiled.log);
  artifact.spill_bytes = spill_bytes(compiled.log);
  artifact.kernels = std::move(compiled.kernels);
  artifact.cubin_hash = code_hash(compiled.cubin);
  artifact.image = std::move(compiled.cubin);
  if (auto fault = name_kernels(artifact.kernels, job.source.entries, compiled.symbols); !fault.empty())
    fail(artifact, job.source.name + ": " + fault);
  return artifact;
}

}  // namespace

int compile_child_main() {
  scrub_nvrtc_environment();
  const int out = dup(STDOUT_FILENO);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;  // what the library prints is not the answer
  for (bool any = false;; any = true) {
    proc::Frame frame;
    const proc::ReadResult read = proc::read_frame(STDIN_FILENO, frame, std::nullopt);
    const auto job = read == proc::ReadResult::frame ? decode_job(frame.payload) : std::nullopt;
    if (any && read == proc::ReadResult::end) break;
    if (!job) {
      std::fputs("compile-child: no job on stdin; it is started by other commands\n", stderr);
      return 2;
    }
    try {
      const auto start = std::chrono::steady_clock::now();
      Artifact artifact = compile_one(*job);
      artifact.compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      if (!proc::write_frame(out, {"", encode_artifact(artifact)})) break;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "compile-child: %s\n", error.what());
      return 1;
    }
  }
  std::fflush(nullptr);
  _exit(0);  // the library's threads and destructors have nothing to do
}

}  // namespace tuner::compile
