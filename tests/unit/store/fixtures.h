// A scratch folder and the rows the tests of this folder store.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "core/trial.h"

namespace tuner::store::test {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tuner-store-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no scratch folder");
    path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

inline GpuFacts gpu_named(const std::string& name, int arch = 90, int sm_count = 132) {
  GpuFacts gpu = gpu_of_arch(arch);
  gpu.name = name;
  gpu.sm_count = sm_count;
  gpu.memory_bytes = std::int64_t{141} << 30;
  gpu.memory_bus_bits = 6144;
  gpu.memory_clock_khz = 3201000;
  gpu.driver = "580.159.04";
  gpu.uuid = "GPU-secret";
  return gpu;
}

inline RunFacts run_on(const GpuFacts& gpu) {
  RunFacts facts;
  facts.gpu = gpu;
  facts.nvrtc = "13.0.88";
  facts.tool_version = "0.1.0";
  facts.command = "tuner sweep";
  return facts;
}

inline Problem gemv(std::int64_t rows, std::int64_t columns) {
  return {"gemv_f16", {rows, columns}, {{"batch", std::int64_t{1}}, {"row_stride", columns}, {"y", Name{"f16"}}}};
}

inline Config config_of(const std::string& variant, std::int64_t block) {
  return {{{"variant", Name{variant}}, {"block_size", block}}};
}

inline Trial measured(const Problem& problem, const Config& config, std::vector<float> samples) {
  Trial trial;
  trial.problem = problem;
  trial.config = config;
  Step step;
  step.entry = "gemv";
  step.grid.x = 1024;
  step.block.x = 256;
  trial.steps = {step};
  trial.status = Status::measured;
  trial.source_hash = "0123456789abcdef0123456789abcdef";
  trial.cubin_hash = "fedcba9876543210fedcba9876543210";
  trial.registers = 40;
  trial.samples_us = std::move(samples);
  trial.time_us = trial.samples_us.empty() ? 0 : trial.samples_us.front();
  trial.max_err_over_bound = 0.25;
  trial.max_rel_err = 1e-4;
  return trial;
}

}  // namespace tuner::store::test
