#include "golden/fixtures.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/hash.h"
#include "core/statistics.h"
#include "proc/child.h"
#include "spec/catalog.h"
#include "spec/resolve.h"
#include "store/store.h"

namespace tuner::golden {
namespace fs = std::filesystem;
namespace {

void write_text(const fs::path& path, const std::vector<std::string>& lines) {
  std::ofstream out(path, std::ios::binary);
  for (const std::string& line : lines) out << line << "\n";
}

void run_sql(const fs::path& path, const std::string& sql) {
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) != SQLITE_OK ||
      sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    throw std::runtime_error("a fixture cannot be made");
  sqlite3_close(database);
}

// 8 rows of 64 columns as GPTQ, all zero points 8, and two stacked matrices as MXFP4.
void quantised_model(const fs::path& path) {
  struct Part {
    const char *name, *type, *shape;
    std::string bytes;
  };
  std::string columns;  // those of the two groups in turn
  for (int k = 0; k < 64; ++k) columns += std::string{static_cast<char>(k % 2), 0, 0, 0};
  const Part parts[] = {{"layer.qweight", "I32", "[8,8]", std::string(256, '\x5a')},
                        {"layer.qzeros", "I32", "[2,1]", std::string(8, '\x77')},
                        {"layer.scales", "F16", "[2,8]", std::string(32, '\x20')},
                        {"layer.g_idx", "I32", "[64]", columns},
                        {"experts_blocks", "U8", "[2,1,1,16]", std::string(32, '\x5a')},
                        {"experts_scales", "U8", "[2,1,1]", std::string(2, '\x7f')},
                        {"norm", "F16", "[64]", std::string(128, '\x20')}};
  std::string header = "{", data;
  for (const Part& part : parts) {
    const std::size_t begin = data.size();
    data += part.bytes;
    header += fmt::format(R"({}"{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", begin == 0 ? "" : ",",
                          part.name, part.type, part.shape, begin, data.size());
  }
  header += "}";
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> (8 * i) & 255);
  std::ofstream(path, std::ios::binary) << length << header << data;
}

void foreign_database(const fs::path& path) {
  run_sql(path, "PRAGMA application_id = 12345; CREATE TABLE bookmarks (url TEXT);");
}

// Problems tuned on a GPU that does not exist: warp wins, a tie stands beside it, naive left early.
class ExampleDatabase {
 public:
  // `objective`: ranked by "min price = time_us * block_size".
  explicit ExampleDatabase(const fs::path& path, bool objective = false)
      : objective_(objective),
        catalog_(spec::Catalog::load({TUNER_SOURCE_DIR "/tests/golden/kernels"})),
        store_(store::Store::open(path.string(), store::Store::Mode::read_write)) {
    gpu_ = gpu_of_arch(90);
    gpu_.name = "Example GPU 9000";
    gpu_.sm_count = 100;
    gpu_.memory_bytes = std::int64_t{64} << 30;
    gpu_.memory_bus_bits = 4096;
    gpu_.memory_clock_khz = 2000000;
    begin("580.10");
  }

  void begin(const std::string& driver) {
    gpu_.driver = driver;
    RunFacts facts;
    facts.gpu = gpu_;
    facts.nvrtc = "13.0.88";
    facts.tool_version = TUNER_VERSION;
    facts.command = "tuner sweep example.yaml";
    run_ = store_.begin_run(facts);
  }

  void add(const std::vector<std::int64_t>& dims, double scale) {
    spec_ = &catalog_.at("example", "example");
    result_ = ProblemResult{};
    result_.problem = spec::make_problem(*spec_, dims, {}, "example");
    const Workload workload = spec::workload_of(*spec_, result_.problem, gpu_);
    result_.bytes_read = workload.bytes_read;
    result_.bytes_written = workload.bytes_written;
    result_.flops = workload.flops;
    const auto config = [](const char* variant, std::int64_t block_size) {
      return space::Partial{{"variant", {Name{variant}}}, {"block_size", {block_size}}};
    };
    result_.winner = save(config("warp", 128), 24, scale * 28.2, 32);
    const std::int64_t close = save(config("warp", 256), 24, scale * 28.25, 40);
    result_.tied = {result_.winner};
    if (objective_)
      result_.objective = "min price = time_us * block_size";
    else
      result_.tied.push_back(close);
    result_.default_trial = save(config("unrolled", 128), 24, scale * 31.5, 32);
    save(config("naive", 64), 1, scale * 212, 24);
    reject(config("unrolled", 256), Reason::wrong_result, "y[17] is 3.5, should be 4; bound 1e-4");
    result_.noise_floor = 0.002;
    result_.margin = 0.005;
    result_.ceiling.sustained_gb_per_s = 4600;
    result_.ceiling.probe_us = scale * 27.9;
    result_.ceiling.best_gb_per_s = 4200;
    result_.candidates = 5;
    result_.measured = 4;
    result_.rejected = 1;
    Baseline cublas;
    cublas.name = "cublas";
    cublas.time_us = scale * 31.2;
    cublas.detail = "op T";
    result_.baselines = {cublas};
    store_.save_result(run_, result_);
  }

  void finish() { store_.end_run(run_, "done"); }

 private:
  Trial trial_of(const space::Partial& wanted) {
    Trial trial;
    trial.problem = result_.problem;
    trial.config = spec_->space.complete(spec::base_scope(*spec_, result_.problem, gpu_), wanted).value();
    trial.steps = spec::resolve(*spec_, result_.problem, trial.config, gpu_).steps;
    trial.cubin_hash = content_hash(trial.config.label());
    return trial;
  }

  std::int64_t save(const space::Partial& wanted, int rounds, double us, int registers) {
    Trial trial = trial_of(wanted);
    trial.status = rounds > 1 ? Status::measured : Status::eliminated;
    trial.finalist = rounds > 1;
    trial.rounds = rounds;
    trial.registers = registers;
    for (int i = 0; i < rounds; ++i) trial.samples_us.push_back(static_cast<float>(us * (1 + 0.001 * (i % 3 - 1))));
    const std::vector<double> samples(trial.samples_us.begin(), trial.samples_us.end());
    trial.time_us = median(samples);
    trial.spread = spread(samples);
    if (objective_)
      trial.cost = trial.time_us * static_cast<double>(std::get<std::int64_t>(*trial.config.find("block_size")));
    trial.is_default = to_text(trial.config.params.front().second) == "unrolled";
    trial.max_err_over_bound = 0.02;
    trial.max_rel_err = 1e-5;
    return store_.save(run_, trial);
  }

  void reject(const space::Partial& wanted, Reason reason, const std::string& detail) {
    Trial trial = trial_of(wanted);
    trial.status = Status::rejected;
    trial.reason = reason;
    trial.detail = detail;
    store_.save(run_, trial);
  }

  bool objective_;
  spec::Catalog catalog_;
  store::Store store_;
  GpuFacts gpu_;
  std::int64_t run_ = 0;
  const spec::KernelSpec* spec_ = nullptr;
  ProblemResult result_;
};

void example_database(const fs::path& path) {
  ExampleDatabase database(path);
  database.add({4096, 14336}, 2);
  database.add({1024, 1024}, 0.1);
  database.finish();
}

// A third problem that only the first knows; the second run is 5 % slower at the first problem, the third 2.5 %.
void three_runs_database(const fs::path& path) {
  ExampleDatabase database(path);
  database.add({4096, 14336}, 2);
  database.add({1024, 1024}, 0.1);
  database.add({64, 64}, 0.01);
  database.finish();
  for (const auto& [driver, slower] : {std::pair("590.20", 1.05), {"590.30", 1.025}}) {
    database.begin(driver);
    database.add({4096, 14336}, 2 * slower);
    database.add({1024, 1024}, 0.1);
    database.finish();
  }
}

void objective_database(const fs::path& path) {
  ExampleDatabase database(path, true);
  database.add({4096, 14336}, 2);
  database.finish();
}

// Published times of a GEMV on a T4: with a warp a row 1024 x 1024 is slower than 2048 x 2048.
void t4_database(const fs::path& path) {
  const spec::Catalog catalog = spec::Catalog::load({TUNER_SOURCE_DIR "/kernel_templates"});
  const spec::KernelSpec& kernel = catalog.at("gemv_f32", "fixture");
  store::Store store = store::Store::open(path.string(), store::Store::Mode::read_write);
  RunFacts facts;
  facts.gpu = gpu_of_arch(75);
  facts.gpu.name = "Tesla T4";
  facts.gpu.sm_count = 40;
  facts.gpu.memory_bus_bits = 256;
  facts.gpu.memory_clock_khz = 5001000;
  facts.command = "tuner sweep configs/t4.yaml";
  const std::int64_t run = store.begin_run(facts);
  struct Row {
    std::int64_t n;
    const char* variant;
    float us;
  };
  for (const Row& row : {Row{1024, "warp", 109}, {1024, "naive", 401}, {2048, "warp", 75}, {2048, "naive", 567}}) {
    Trial trial;
    trial.problem = spec::make_problem(kernel, {row.n, row.n}, {}, "fixture");
    const space::Partial wanted{{"variant", {Name{row.variant}}}, {"block_size", {std::int64_t{256}}}};
    trial.config = kernel.space.complete(spec::base_scope(kernel, trial.problem, facts.gpu), wanted).value();
    trial.steps = spec::resolve(kernel, trial.problem, trial.config, facts.gpu).steps;
    trial.status = Status::measured;
    trial.registers = 32;
    trial.samples_us = {row.us};
    trial.time_us = row.us;
    store.save(run, trial);
  }
  store.end_run(run, "done");
}

// Of a version that this one cannot read.
void newer_database(const fs::path& path) {
  example_database(path);
  run_sql(path,
          "PRAGMA journal_mode = DELETE; UPDATE schema_info SET min_reader = 99, created_by = '9.0.0'; PRAGMA "
          "user_version = 99");
}

void truncated_database(const fs::path& path) {
  example_database(path);
  run_sql(path, "PRAGMA journal_mode = DELETE");
  fs::resize_file(path, fs::file_size(path) / 2);
}

// tests/helpers/fake_ncu.sh, with the library that it loads.
void fake_ncu(const fs::path& path) {
  std::ostringstream script;
  script << std::ifstream(TUNER_SOURCE_DIR "/tests/helpers/fake_ncu.sh").rdbuf();
  std::string text = script.str();
  const std::string mark = "@NVTX@";
  text.replace(text.find(mark), mark.size(), TUNER_FAKE_NVTX_LIBRARY);
  std::ofstream(path, std::ios::binary) << text;
  fs::permissions(path, fs::perms::owner_all);
}

// What `doctor` says of this machine.
bool doctor_says(const std::string& text) {
  const proc::Output output = proc::run({TUNER_PROGRAM, "doctor"}, "", std::chrono::minutes{2}, {});
  return output.out.find(text) != std::string::npos;
}

}  // namespace

void make_fixture(const fs::path& path, const std::vector<std::string>& lines) {
  const std::string name = path.filename().string();
  const std::size_t kind_at = name.find(" = ");
  const fs::path file = path.parent_path() / name.substr(0, kind_at);
  fs::create_directories(file.parent_path());
  if (kind_at == std::string::npos) return write_text(file, lines);
  const std::string kind = name.substr(kind_at + 3);
  if (kind == "example database") return example_database(file);
  if (kind == "three runs database") return three_runs_database(file);
  if (kind == "objective database") return objective_database(file);
  if (kind == "foreign database") return foreign_database(file);
  if (kind == "fake nvrtc") return fs::copy_file(TUNER_FAKE_NVRTC, file), void();
  if (kind == "ceilings database") return ceilings_database(file);
  if (kind == "fake ncu") return fake_ncu(file);
  if (kind == "quantised model") return quantised_model(file);
  if (kind == "t4 database") return t4_database(file);
  if (kind == "newer database") return newer_database(file);
  if (kind == "truncated database") return truncated_database(file);
  throw std::runtime_error("no such fixture: " + kind);
}

std::string missing(const std::string& need) {
  if (need == "nvrtc") return doctor_says("  taken") ? "" : "needs NVRTC";
  if (need == "no driver") return doctor_says("libcuda.so.1 not found") ? "" : need;
  return "unknown need: " + need;
}

}  // namespace tuner::golden
