#include "search/recording.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "search/recorded_sweep.h"

namespace tuner::search {
namespace {

constexpr const char* kernel_tuner = R"({"device_name": "GPU", "kernel_name": "k", "problem_size": [64, 32],
"tune_params_keys": ["block", "tile"], "tune_params": {"block": [64, 32], "tile": [1, 2]}, "objective": "time",
"cache": {
"64,1": {"block": 64, "tile": 1, "time": 2.0, "compile_time": 100, "verification_time": 0, "benchmark_time": 50},
"32,1": {"block": 32, "tile": 1, "time": 1.0, "compile_time": 100},
"32,2": {"block": 32, "tile": 2, "time": "CompilationFailedConfig", "compile_time": 10}}})";

constexpr const char* t4 = R"({"schema_version": "1.0.0", "metadata": {"timeunit": "milliseconds"}, "results": [
{"configuration": {"block": 64, "tile": "a"}, "times": {"compilation": 100, "runtimes": [1, 2]}, "invalidity": "correct",
 "correctness": 1, "measurements": [{"name": "time", "value": 2.0, "unit": "ms"}], "objectives": ["time"]},
{"configuration": {"block": 32, "tile": "b"}, "times": {"compilation": 100}, "invalidity": "runtime",
 "correctness": 0, "measurements": [{"name": "time", "value": "RuntimeFailedConfig"}], "objectives": ["time"]},
{"configuration": {"block": 64, "tile": "a"}, "times": {"compilation": 0}, "invalidity": "correct",
 "correctness": 1, "measurements": [{"name": "time", "value": 9.0}], "objectives": ["time"]}]})";

TEST(Recording, ReadsACacheFileOfKernelTuner) {
  const Recording recording = parse_recording(kernel_tuner, "folder/k-GPU.json.gz");
  EXPECT_EQ(recording.name, "k-GPU");
  EXPECT_EQ(recording.about, "k 64x32 on GPU");
  ASSERT_EQ(recording.axes.size(), 2U);
  EXPECT_EQ(recording.axes[0].values, (std::vector<Value>{std::int64_t{32}, std::int64_t{64}}));
  ASSERT_EQ(recording.rows.size(), 3U);
  EXPECT_EQ(recording.rows[0].point, (Point{1, 0}));
  EXPECT_DOUBLE_EQ(recording.rows[0].time, 2000);
  EXPECT_DOUBLE_EQ(recording.rows[0].seconds, 0.15);
  EXPECT_EQ(recording.rows[2].point, (Point{0, 1}));
  EXPECT_EQ(recording.rows[2].time, 0);
  EXPECT_EQ(recording.least(), 1000);
  EXPECT_EQ(recording.within(0.01), 1U);
  EXPECT_EQ(recording.within(1), 2U);
}

TEST(Recording, ReadsResultsInT4) {
  const Recording recording = parse_recording(t4, "a.json");
  ASSERT_EQ(recording.rows.size(), 2U);
  EXPECT_EQ(recording.axes[1].values, (std::vector<Value>{Name{"a"}, Name{"b"}}));
  EXPECT_DOUBLE_EQ(recording.rows[0].time, 2000);
  EXPECT_DOUBLE_EQ(recording.rows[0].seconds, 0.103);
  EXPECT_EQ(recording.rows[1].time, 0);
  EXPECT_EQ(recording.notes, "1 rows repeat a configuration and are left out");
}

Trial trial_of(const char* config, Status status, double us, Reason reason = Reason::none) {
  Trial trial;
  trial.config = config_from_json(config);
  trial.status = status;
  trial.reason = reason;
  trial.time_us = us;
  trial.spread = 0.0012;
  trial.seconds = 0.25;
  return trial;
}

RecordedSweep sample_sweep() {
  RecordedSweep sweep;
  sweep.problem = {"gemv", {4, 8}, {{"y", Name{"f16"}}}};
  sweep.gpu.name = "NVIDIA H200";
  sweep.gpu.arch = 90;
  sweep.nvrtc = "13.0.88";
  sweep.recorded_at = "2026-12-01T00:00:00Z";
  sweep.trials = {trial_of(R"({"variant":"vec","block":256,"unroll":2})", Status::measured, 12.3456),
                  trial_of(R"({"variant":"vec","block":64,"unroll":1})", Status::eliminated, 40),
                  trial_of(R"({"variant":"naive","block":64})", Status::rejected, 0, Reason::wrong_result),
                  trial_of(R"({"variant":"naive","block":256})", Status::duplicate, 12.5),
                  trial_of(R"({"variant":"naive","block":512})", Status::compiled, 0)};
  return sweep;
}

TEST(Recording, ReadsWhatIsExported) {
  const std::string text = recorded_text(sample_sweep());
  const Recording recording = parse_recording(text, "gemv.json");
  EXPECT_EQ(recording.about, "gemv 4x8 on NVIDIA H200");
  ASSERT_EQ(recording.rows.size(), 4U) << text;
  EXPECT_EQ(config_of(recording.axes, recording.rows[0].point), sample_sweep().trials[0].config);
  EXPECT_EQ(config_of(recording.axes, recording.rows[2].point), sample_sweep().trials[2].config);
  EXPECT_DOUBLE_EQ(recording.rows[0].time, 12.3456);
  EXPECT_DOUBLE_EQ(recording.rows[0].seconds, 0.25);
  EXPECT_DOUBLE_EQ(recording.rows[1].time, 40);
  EXPECT_EQ(recording.rows[2].time, 0);
  EXPECT_DOUBLE_EQ(recording.rows[3].time, 12.5);
}

TEST(Recording, IsRankedByTheObjective) {
  RecordedSweep sweep = sample_sweep();
  sweep.objective = "max a";
  sweep.trials[0].cost = 3;
  EXPECT_EQ(parse_recording(recorded_text(sweep), "a").rows[0].time, 3);
}

std::string fault_of(const std::string& text) {
  try {
    parse_recording(text, "a.json");
  } catch (const UserError& fault) {
    EXPECT_EQ(fault.where(), "a.json");
    EXPECT_NE(fault.hint(), "");
    return fault.what();
  }
  return "none";
}

TEST(Recording, SaysWhatItDoesNotUnderstand) {
  EXPECT_EQ(fault_of(""), "it is no recorded sweep");
  EXPECT_EQ(fault_of("{}"), "it is no recorded sweep");
  std::string text = kernel_tuner;
  EXPECT_NE(fault_of(text.substr(0, text.size() - 2)).find("no whole cache file of Kernel Tuner"), std::string::npos);
  text.replace(text.find("\"objective\": \"time\""), 19, "\"objective\": \"GFLOP/s\"");
  EXPECT_EQ(fault_of(text), "what was measured is 'GFLOP/s', not the time");
  text = t4;
  text.replace(text.find("\"objectives\": [\"time\"]"), 22, "\"objectives\": [\"energy\"]");
  EXPECT_EQ(fault_of(text), "what was measured is 'energy', not the time");
  text = recorded_text(sample_sweep());
  text.replace(text.find("\"tuner_replay\":1"), 16, "\"tuner_replay\":2");
  EXPECT_EQ(fault_of(text), "it is of version 2, known is 1");
  text = recorded_text(sample_sweep());
  text.replace(text.find("\n[0,"), 4, "\n[9,");
  EXPECT_NE(fault_of(text).find("a value that its parameter has not"), std::string::npos);
  RecordedSweep nothing = sample_sweep();
  nothing.trials = {nothing.trials[2]};
  EXPECT_EQ(fault_of(recorded_text(nothing)), "nothing in it was measured");
}

TEST(Recording, UnpacksWhatGzipPacked) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("tuner-recording-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string path = (folder / "-a b.json").string();
  std::ofstream(path) << kernel_tuner;
  ASSERT_EQ(std::system(("gzip -k -- '" + path + "'").c_str()), 0);
  EXPECT_EQ(read_recording(path + ".gz").rows.size(), 3U);
  EXPECT_EQ(read_recording(path + ".gz").name, "-a b");
  fs::resize_file(path + ".gz", 60);
  EXPECT_THROW(read_recording(path + ".gz"), UserError);
  EXPECT_THROW(read_recording(folder.string()), UserError);
  EXPECT_THROW(read_recording(path + ".none"), UserError);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tuner::search
