// The text that is compiled: #define lines in front of the template's own, and the options beside it.
//
// A manifest's `defines` stand in front of all; its `options` follow the tool's own and replace those of the same name.
//
// Headers in quotes are looked for beside the file that includes them, beside the template and its manifest, in
// include/ there or one folder up, and in the folders of set_include_folders. What is found only in the manifest's
// `include_dirs`, and all in angle brackets, is the compiler's business; the hash knows what lies in `include_dirs`.
#pragma once

#include <string>
#include <vector>

#include "core/config.h"
#include "core/gpu.h"
#include "core/problem.h"
#include "spec/kernel_spec.h"

namespace tuner::compile {

struct Header {
  std::string name;  // as included
  std::string text;
};

struct Source {
  std::string name;                            // of the template, for messages: "gemv.cu"
  std::string text;                            // defines, a #line, the template
  std::vector<Header> headers;                 // everything it includes, found beside the manifest and in include/
  std::vector<std::string> options;            // without the architecture
  std::vector<std::string> include_dirs = {};  // where the compiler itself finds other headers
  bool nvcc = false;                           // compiled by nvcc, not by NVRTC
  std::vector<std::string> entries;            // name expressions of the __global__ functions that the steps launch
  std::vector<std::string> symbols;            // __constant__ names that arguments fill
  std::string hash;                            // of all of it
};

// Parameters become macros under their own names (a named choice as its index, each choice as NAME_choice; booleans as
// 0 and 1), facts FACT_<name> (types as the names of the intrinsics header: half_t, ...; another name n as
// FACT_<name>_n = 1), the manifest's dtype DTYPE. An inactive parameter is not defined. The text depends on the
// configuration and the facts, never on the dims: a fact whose default is made of dims is defined only where the source
// mentions it. Entries and options may depend on dims and GPU where the manifest's expressions do. A manifest's
// `target` becomes the option --gpu-architecture. Throws UserError for a missing header, naming the line that includes
// it, and where an expression fails.
Source render(const spec::KernelSpec& kernel, const Config& config, const Problem& problem, const GpuFacts& gpu);

// The source of the manifest's kernel reference: as it is, behind the manifest's `defines`.
Source render_reference(const spec::KernelSpec& kernel);

// A template and what it takes to compile it, whatever the configuration.
struct TemplateClosure {
  std::string text;
  std::vector<Header> headers;
  std::vector<std::string> options;
  std::string outside;  // a hash of what is included from `include_dirs`
};
TemplateClosure closure_of(const spec::KernelSpec& kernel);

// One self-contained file: headers inlined, defines in front; what `explain --source` prints and nvcc compiles.
std::string inlined(const Source& source);

// Where headers are looked for last, for kernels outside the built-in folder. Set once at start.
void set_include_folders(std::vector<std::string> folders);

}  // namespace tuner::compile
