// Hidden children first: they must not pay for, nor be disturbed by, the command line.
#include <cstring>
#include <exception>
#include <string>

#include "cli/run.h"
#include "compile/compiler.h"
#include "compile/nvrtc.h"
#include "worker/host_reference.h"
#include "worker/serve.h"

namespace {

bool is(const char* word, const char* name) { return std::strcmp(word, name) == 0; }

int dispatch(int argc, char** argv) {
  if (argc == 4 && is(argv[1], "worker") && is(argv[2], "--device")) return tuner::worker::serve(argv[3]);
  if (argc == 2 && is(argv[1], "compile-child")) return tuner::compile::compile_child_main();
  if (argc == 3 && is(argv[1], "reference-child")) return tuner::worker::reference_child_main(argv[2]);
  if (argc == 3 && is(argv[1], "nvrtc-info")) return tuner::compile::nvrtc_info_main(argv[2]);
  return tuner::cli::run(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const std::exception& failure) {
    return tuner::cli::report_failure(failure);
  }
}
