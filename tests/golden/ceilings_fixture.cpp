#include <map>

#include "core/ceiling_probe.h"
#include "golden/fixtures.h"
#include "spec/resolve.h"
#include "store/store.h"
#include "tune/ceiling_plan.h"

namespace tuner::golden {
namespace {

GpuFacts example_gpu() {
  GpuFacts gpu = gpu_of_arch(90);
  gpu.name = "Example GPU 9000";
  gpu.sm_count = 100;
  gpu.memory_bytes = std::int64_t{64} << 30;
  gpu.memory_bus_bits = 4096;
  gpu.memory_clock_khz = 2000000;
  gpu.sm_clock_khz = 1500000;
  gpu.l2_bytes = std::int64_t{40} << 20;
  gpu.driver = "580.10";
  return gpu;
}

class Writer {
 public:
  explicit Writer(const std::string& path)
      : store_(store::Store::open(path, store::Store::Mode::read_write)), gpu_(example_gpu()) {
    RunFacts facts;
    facts.gpu = gpu_;
    facts.nvrtc = "13.0.88";
    facts.tool_version = TUNER_VERSION;
    facts.command = "tuner report --hierarchy";
    run_ = store_.begin_run(facts);
  }

  // 0: its only trial is rejected.
  void add(const spec::KernelSpec& kernel, const Problem& problem, double time_us) {
    const Workload workload = spec::workload_of(kernel, problem, gpu_);
    Trial trial;
    trial.problem = problem;
    trial.config = kernel.space.complete(spec::base_scope(kernel, problem, gpu_), {}).value();
    trial.steps = spec::resolve(kernel, problem, trial.config, gpu_).steps;
    trial.status = time_us > 0 ? Status::measured : Status::rejected;
    trial.reason = time_us > 0 ? Reason::none : Reason::implausible;
    trial.finalist = time_us > 0;
    trial.rounds = time_us > 0 ? 1 : 0;
    trial.registers = 32;
    trial.time_us = time_us;
    if (time_us > 0) trial.samples_us = {static_cast<float>(time_us)};
    ProblemResult result;
    result.problem = problem;
    result.bytes_read = workload.bytes_read;
    result.bytes_written = workload.bytes_written;
    result.flops = workload.flops;
    result.bound_by = kernel.bound_by;
    result.before.sm_clock_mhz = 1500;
    if (kernel.name == "probe_wgmma_f16") {
      result.after.sm_clock_mhz = 1300;
      result.after.throttle = "sw_power_cap";
    }
    const std::int64_t id = store_.save(run_, trial);
    if (time_us > 0) {
      result.winner = id;
      result.tied = {id};
    }
    store_.save_result(run_, result);
  }

  const GpuFacts& gpu() const { return gpu_; }
  void finish() { store_.end_run(run_, "done"); }

 private:
  store::Store store_;
  GpuFacts gpu_;
  std::int64_t run_ = 0;
};

// In the probe's unit; a fp16 FMA probe is there that was too fast to be true.
double value_of(std::string_view kernel) {
  static const std::map<std::string_view, double> values{
      {"probe_latency_register", 2}, {"probe_latency_constant", 6}, {"probe_latency_shared", 20},
      {"probe_latency_l1", 24},      {"probe_latency_l2", 160},     {"probe_latency_memory", 500},
      {"probe_shared", 19000},       {"probe_l1", 18000},           {"probe_l2", 5000},
      {"probe_read", 2000},          {"probe_copy", 1900},          {"probe_fma_f32", 36},
      {"probe_fma_f64", 18},         {"probe_fma_f16", 0},          {"probe_mma_f16", 400},
      {"probe_wgmma_f16", 560},
  };
  return values.at(kernel);
}

double time_of(const CeilingProbe& probe, const Problem& problem, const Workload& workload) {
  const double value = value_of(probe.kernel);
  if (value <= 0) return 0;
  const ProbeRun second{workload.bytes_read + workload.bytes_written, workload.flops,
                        static_cast<double>(problem.dims.at(1)), 1e6};
  return probe.unit == CeilingUnit::ns ? value / ceiling_value(probe, second) * 1e6
                                       : ceiling_value(probe, second) / value * 1e6;
}

}  // namespace

void ceilings_database(const std::filesystem::path& path) {
  const spec::Catalog probes = spec::Catalog::load({TUNER_SOURCE_DIR "/kernel_templates/probes"});
  const spec::Catalog kernels = spec::Catalog::load({TUNER_SOURCE_DIR "/kernel_templates"});
  Writer writer(path.string());
  for (const spec::PlannedProblem& planned : tune::ceiling_plan(probes, writer.gpu(), false).problems)
    writer.add(*planned.kernel, planned.problem,
               time_of(*ceiling_probe(planned.kernel->name), planned.problem,
                       spec::workload_of(*planned.kernel, planned.problem, writer.gpu())));
  const auto add = [&](const char* name, const std::vector<std::int64_t>& dims, double us) {
    const spec::KernelSpec& kernel = kernels.at(name, "fixture");
    writer.add(kernel, spec::make_problem(kernel, dims, {}, "fixture"), us);
  };
  add("gemv_f16", {4096, 4096}, 20);
  add("matmul_f16", {4096, 4096, 4096}, 400);
  add("matmul_f32", {4096, 4096, 4096}, 5000);
  add("transpose_f32", {16384, 16384}, 1200);
  writer.finish();
}

}  // namespace tuner::golden
