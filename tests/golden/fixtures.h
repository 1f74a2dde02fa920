// What a transcript needs beside the binary.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tuner::golden {

// Writes the file `NAME`, or for a `NAME = KIND` what is meant by KIND: `example database` (two tuned problems on a GPU
// that does not exist), `three runs database`, `foreign database` (another program's SQLite file), `ceilings database`,
// `quantised model`, `fake nvrtc` or `fake ncu` (tests/helpers).
void make_fixture(const std::filesystem::path& path, const std::vector<std::string>& lines);

// Every probe of the tool, a product and a GEMV on a GPU that does not exist, with round figures.
void ceilings_database(const std::filesystem::path& path);

// Why this machine lacks what a transcript needs; empty when it has it.
std::string missing(const std::string& need);

}  // namespace tuner::golden
