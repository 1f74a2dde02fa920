#include "scale/many_trials.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "core/hash.h"
#include "core/statistics.h"
#include "spec/catalog.h"
#include "spec/resolve.h"
#include "store/store.h"

namespace tuner::scale {
namespace {

constexpr std::size_t configurations = 600;  // a problem
constexpr std::size_t problems_a_run = 12;

struct Model {
  const char* name;
  int arch;
  int sm_count;
  int gib;
};
constexpr std::array<Model, 7> models{{{"NVIDIA H200", 90, 132, 141},
                                       {"NVIDIA H100 PCIe", 90, 114, 80},
                                       {"NVIDIA A100-SXM4-80GB", 80, 108, 80},
                                       {"NVIDIA L40S", 89, 142, 45},
                                       {"NVIDIA GeForce RTX 4090", 89, 128, 24},
                                       {"NVIDIA A10", 86, 72, 22},
                                       {"Tesla T4", 75, 40, 15}}};
constexpr std::array<std::int64_t, 8> sides{4096, 14336, 1024, 2048, 5120, 8192, 11008, 28672};

GpuFacts gpu_of(const Model& model) {
  GpuFacts gpu = gpu_of_arch(model.arch);
  gpu.name = model.name;
  gpu.sm_count = model.sm_count;
  gpu.memory_bytes = std::int64_t{model.gib} << 30;
  gpu.memory_bus_bits = 5120;
  gpu.memory_clock_khz = 2619000;
  gpu.driver = "580.159.04";
  gpu.uuid = "GPU-00000000-0000-0000-0000-000000000000";
  return gpu;
}

// Every few of the legal ones, so that all variants are among them.
std::vector<Config> some_configs(const spec::KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu) {
  std::vector<Config> all;
  kernel.space.for_each(spec::base_scope(kernel, problem, gpu), {}, [&all](const Config& config) {
    all.push_back(config);
    return true;
  });
  if (all.size() <= configurations) return all;
  std::vector<Config> some;
  for (std::size_t i = 0; i < configurations; ++i) some.push_back(all[i * all.size() / configurations]);
  return some;
}

class Generator {
 public:
  explicit Generator(const std::string& path)
      : catalog_(spec::Catalog::load({TUNER_SOURCE_DIR "/kernel_templates"})),
        store_(store::Store::open(path, store::Store::Mode::read_write)) {}

  std::int64_t fill(std::int64_t trials) {
    std::int64_t made = 0;
    while (made < trials)
      for (const Model& model : models)
        for (const std::string& kernel : catalog_.names())
          if (made < trials && catalog_.at(kernel, "kernel").family == "gemv")
            made += run(gpu_of(model), catalog_.at(kernel, "kernel"));
    return made;
  }

 private:
  std::int64_t run(const GpuFacts& gpu, const spec::KernelSpec& kernel) {
    RunFacts facts;
    facts.gpu = gpu;
    facts.nvrtc = "13.0.88";
    facts.tool_version = TUNER_VERSION;
    facts.command = "tuner sweep configs/many.yaml";
    const std::int64_t id = store_.begin_run(facts);
    const std::size_t first = (rounds_++ / (models.size() * 3)) * problems_a_run;
    std::int64_t made = 0;
    for (std::size_t i = 0; i < problems_a_run; ++i) {
      // 4096x14336 of every run; the other shapes change from run to run.
      const std::size_t at = i == 0 ? 1 : first + i + 1;
      made += problem(id, gpu, kernel, {sides[at / sides.size() % sides.size()], sides[at % sides.size()]});
    }
    store_.end_run(id, "done");
    return made;
  }

  std::int64_t problem(std::int64_t run, const GpuFacts& gpu, const spec::KernelSpec& kernel,
                       const std::vector<std::int64_t>& dims) {
    const Problem problem = spec::make_problem(kernel, dims, {}, "--shape");
    std::vector<Trial> trials;
    for (const Config& config : some_configs(kernel, problem, gpu))
      trials.push_back(trial(kernel, problem, config, gpu));
    const std::vector<std::int64_t> ids = store_.save_all(run, trials);
    ProblemResult result;
    result.problem = problem;
    std::vector<std::pair<double, std::int64_t>> order;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      result.measured += trials[i].status == Status::measured;
      result.rejected += trials[i].status == Status::rejected;
      if (trials[i].status == Status::measured) order.emplace_back(trials[i].time_us, ids[i]);
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i) result.tied.push_back(order[i].second);
    result.winner = order.front().second;
    result.default_trial = ids.front();
    result.candidates = static_cast<int>(ids.size());
    result.ceiling.sustained_gb_per_s = 4500;
    result.ceiling.probe_us = order.front().first * 0.98;
    result.baselines = {
        {"cublas", order.front().first * 1.2, 0.003, "cublasGemmEx, op T", samples(60, order.front().first * 1.2)}};
    result.bytes_read = 2.0 * static_cast<double>(dims[0] * dims[1]);
    result.flops = result.bytes_read;
    store_.save_result(run, result);
    return static_cast<std::int64_t>(ids.size());
  }

  // One in twelve rejected by the compiler with a log of its own, half of the others left early, one in sixty in the
  // final.
  Trial trial(const spec::KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu) {
    Trial trial;
    trial.problem = problem;
    trial.config = config;
    trial.steps = spec::resolve(kernel, problem, config, gpu).steps;
    trial.source_hash = content_hash(std::to_string(random_()));
    trial.registers = 32 + static_cast<int>(random_() % 96);
    const auto draw = random_() % 60;
    if (draw < 5) {
      trial.status = Status::rejected;
      trial.reason = Reason::compile_error;
      trial.detail = kernel.name + ".cu(217): error: a value of type \"const float *\" cannot be used here";
      trial.log = trial.detail + "\n" + config.label() + "\n1 error detected in the compilation of \"gemv.cu\".\n";
      return trial;
    }
    trial.cubin_hash = content_hash(std::to_string(random_()));
    trial.finalist = draw < 6;
    trial.status = draw < 32 ? Status::measured : Status::eliminated;
    const double base = static_cast<double>(problem.dims[0] * problem.dims[1]) / 2e6 *
                        (1 + 0.01 * static_cast<double>(random_() % 200));
    trial.samples_us = samples(trial.status == Status::eliminated ? 1 : trial.finalist ? 60 : 20, base);
    const std::vector<double> all(trial.samples_us.begin(), trial.samples_us.end());
    trial.time_us = median(all);
    trial.spread = trial.samples_us.size() > 1 ? spread(all) : 0;
    trial.max_err_over_bound = 0.02;
    trial.max_rel_err = 1e-5;
    return trial;
  }

  std::vector<float> samples(std::size_t count, double base) {
    std::vector<float> all;
    for (std::size_t i = 0; i < count; ++i)
      all.push_back(static_cast<float>(base * (1 + 1e-5 * static_cast<double>(random_() % 1000))));
    return all;
  }

  spec::Catalog catalog_;
  store::Store store_;
  std::mt19937 random_{7};
  std::size_t rounds_ = 0;
};

}  // namespace

std::int64_t make_many_trials(const std::string& path, std::int64_t trials) { return Generator(path).fill(trials); }

}  // namespace tuner::scale
