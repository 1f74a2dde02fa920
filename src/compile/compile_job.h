// What a compile child is asked to do, as bytes on its stdin.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compile/render.h"

namespace tuner::compile {

struct CompileJob {
  std::string library;  // path of libnvrtc, or of nvcc
  std::string arch;     // "sm_90"; not used when the source's options name one
  Source source;
  std::string folder = {};  // for nvcc's files
};

std::string encode_job(const CompileJob& job);
std::optional<CompileJob> decode_job(std::string_view bytes);

}  // namespace tuner::compile
