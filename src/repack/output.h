// What a repacked matrix is kept as: NumPy files that a manifest's `fill: file(...)` reads, and what they are.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repack/packed.h"

namespace tuner::repack {

// A .npy file, version 1, of `bytes` in C order: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
std::string npy(std::string_view descriptor, const std::vector<std::int64_t>& shape, std::string_view bytes);

struct OutputFile {
  std::string of;    // the kernel's argument, "w", "scale", ...; or "order"
  std::string name;  // "w.npy"
  std::string bytes;
};
std::vector<OutputFile> files_of(const Packed& packed);

// The facts of the problem that are the matrix's, by name, as --set takes them.
std::vector<std::pair<std::string, std::string>> facts_of(const Packed& packed);

// Where it is from.
struct Source {
  std::string file, name, format;
};
// One JSON document: kernel, shape and facts to ask for, the names of the files, what became of the source.
std::string description_json(const Packed& packed, const std::vector<OutputFile>& files, const Source& source);

// The kernel that reads it, "gemv_q4", of stacked matrices "moe_gemv_q4"; empty where there is none.
std::string kernel_of(const Packed& packed);

}  // namespace tuner::repack
