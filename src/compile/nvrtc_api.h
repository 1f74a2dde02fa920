// The part of nvrtc.h that is used, declared here so that building needs no CUDA toolkit. A test compares it with the
// toolkit's header where that is installed.
#pragma once

#include <cstddef>

struct _nvrtcProgram;

namespace tuner::compile::nvrtc_api {

using Program = _nvrtcProgram*;

enum Result : int {
  success = 0,
  out_of_memory = 1,
  invalid_option = 5,
  compilation = 6,
  builtin_operation_failure = 7,
  internal_error = 11,
};

using Version = Result(int* major, int* minor);
using GetNumSupportedArchs = Result(int* count);
using GetSupportedArchs = Result(int* archs);
using GetErrorString = const char*(Result);
using CreateProgram = Result(Program*, const char* source, const char* name, int header_count,
                             const char* const* headers, const char* const* include_names);
using DestroyProgram = Result(Program*);
using CompileProgram = Result(Program, int option_count, const char* const* options);
using AddNameExpression = Result(Program, const char* expression);
using GetLoweredName = Result(Program, const char* expression, const char** lowered);  // valid as long as the program
using GetSize = Result(Program, std::size_t*);                                         // of the log, of the cubin
using GetBytes = Result(Program, char*);

}  // namespace tuner::compile::nvrtc_api
