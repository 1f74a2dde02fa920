// The exported header against look-up over the same rows, and under every compiler it is for.
#include "export/header.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "compile/nvrtc_library.h"
#include "compile/nvrtc_paths.h"
#include "core/error.h"
#include "export/best_answers.h"
#include "export/kernel_code.h"
#include "spec/kernel_spec.h"
#include "store/distance.h"
#include "unit/export/header_fixture.h"

namespace tuner::exporting::test {
namespace {

// One of each kind: what a compiler other than the first is asked to take. The first takes every kernel, in the long
// tests all of them do.
const std::vector<std::string> a_few =
    std::getenv("TUNER_LONG_TESTS") != nullptr
        ? std::vector<std::string>{}
        : std::vector<std::string>{"gemv_f16", "gemv_q4", "moe_gemv_q4", "softmax_f16", "scan_f32", "odd_3d"};

constexpr const char* flags = "-std=c++17 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror";

std::string quoted(const std::string& text) { return "'" + text + "'"; }

// 0, and in `log` what it printed.
int run(const std::string& command, const std::string& log_path, std::string& log) {
  const int status = std::system((command + " >" + quoted(log_path) + " 2>&1").c_str());
  log = store::test::read_file(log_path);
  return status;
}

bool has_program(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

std::string nvcc() {
  if (const char* home = std::getenv("CUDA_HOME");
      home != nullptr && has_program(quoted(std::string(home) + "/bin/nvcc")))
    return std::string(home) + "/bin/nvcc";
  if (has_program("nvcc")) return "nvcc";
  return has_program("/usr/local/cuda/bin/nvcc") ? "/usr/local/cuda/bin/nvcc" : "";
}

std::string value_text(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  return to_text(value);
}

std::string answer_text(const store::Answer& answer) {
  std::string text = std::string(to_text(answer.match)) + fmt::format(" {} {}", answer.distance[0], answer.distance[1]);
  if (answer.match != store::Match::pinned && answer.match != store::Match::by_default)
    text += fmt::format(" {} {} {}", answer.layer, answer.tuned_gpu, answer.tuned_dims[0]);
  if (answer.match == store::Match::pinned) text += " " + answer.layer;
  text += fmt::format(" loss {}",
                      static_cast<long long>((answer.match == store::Match::pinned ? -1 : answer.expected_loss) * 1e9));
  text += " " + answer.regime;
  for (const auto& [name, value] : answer.config.params) text += " " + name + "=" + value_text(value);
  for (const Step& step : answer.steps) {
    if (step.kind == Step::Kind::memset) {
      text += fmt::format(" memset({},{})", step.argument, step.byte);
    } else {
      text += fmt::format(" {}<{},{},{};{},{},{};{};{},{},{};{};{}>", step.entry, step.grid.x, step.grid.y, step.grid.z,
                          step.block.x, step.block.y, step.block.z, step.shared_bytes, step.cluster.x, step.cluster.y,
                          step.cluster.z, step.cooperative ? 1 : 0, fmt::join(step.arguments, ","));
    }
  }
  return text;
}

std::string question_text(const store::Query& query, const GpuFacts& gpu) {
  const auto gib = std::llround(static_cast<double>(gpu.memory_bytes) / (1024.0 * 1024.0 * 1024.0));
  std::string text = fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|", query.gpu.empty() ? "facts" : "name",
                                 query.gpu.empty() ? gpu.name : query.gpu, gpu.arch, gpu.sm_count, gib, gpu.warp_size,
                                 gpu.shared_max, store::bandwidth_of(gpu), query.kernel, query.dims.size());
  for (const auto dim : query.dims) text += fmt::format("{}|", dim);
  text += fmt::format("{}|", query.facts.size());
  for (const auto& [name, value] : query.facts)
    text += fmt::format("{}|{}|{}|", name, std::holds_alternative<Name>(value) ? "word" : "number", value_text(value));
  return text + query.regime + "|\n";
}

// Every row's own problem, and random ones on GPUs with and without rows.
std::vector<std::pair<store::Query, GpuFacts>> questions(HeaderFixture& fixture, const store::Layers& layers,
                                                         std::size_t random) {
  std::vector<std::pair<store::Query, GpuFacts>> all;
  const auto add = [&](store::Query query, const GpuFacts& gpu) {
    if (query.gpu.empty()) query.here = gpu;
    all.emplace_back(std::move(query), gpu);
  };
  for (const store::Entry& entry : layers.entries()) {
    store::Query query;
    query.kernel = entry.result.problem.kernel;
    query.dims = entry.result.problem.dims;
    query.facts = entry.result.problem.facts;
    query.regime = entry.result.regime;
    query.gpu = entry.gpu.name;
    add(query, entry.gpu);
  }
  for (const store::Pin& pin : layers.pins()) {
    for (const GpuFacts& gpu : gpus()) {
      store::Query query;
      query.kernel = pin.problem.kernel;
      query.dims = pin.problem.dims;
      query.facts = pin.problem.facts;
      add(query, gpu);
    }
  }
  std::vector<GpuFacts> models = gpus();
  models.push_back(store::test::gpu_named("NVIDIA GH200", 90, 120));
  models.push_back(store::test::gpu_named("NVIDIA A30", 80, 56));
  models.push_back(gpu_of_arch(90));
  models.push_back(gpu_of_arch(75));
  for (std::size_t i = 0; i < random; ++i) {
    const auto& kernel = fixture.one_of(fixture.kernels());
    store::Query query;
    query.kernel = kernel.name;
    query.dims = fixture.shape(kernel);
    query.facts = fixture.facts(kernel, query.dims);
    query.regime = fixture.below(10) == 0 ? "dependent" : "plain";
    add(query, fixture.one_of(models));
  }
  return all;
}

// Builds the driver with `compiler` over `text`, and asks it.
std::vector<std::string> ask(const HeaderFixture& fixture, const std::string& compiler, const std::string& text,
                             const std::string& questions) {
  const std::string base = fixture.folder().file("");
  write_file(base + "tuner_best.h", text);
  write_file(base + "driver.cpp",
             store::test::read_file(std::string(TUNER_SOURCE_DIR) + "/tests/unit/export/driver.cpp.txt"));
  write_file(base + "questions", questions);
  std::string log;
  EXPECT_EQ(run(fmt::format("{} {} -I'{}' '{}driver.cpp' -o '{}driver'", compiler, flags, base, base, base),
                base + "log", log),
            0)
      << log;
  EXPECT_EQ(run(fmt::format("'{}driver' <'{}questions'", base, base), base + "answers", log), 0);
  std::vector<std::string> lines;
  std::istringstream in(log);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void expect_agreement(HeaderFixture& fixture, const std::string& compiler, std::size_t random) {
  const store::Layers layers = fixture.layers();
  const auto knowledge = [&](const std::string& regime) { return knowledge_of(fixture.catalog(), regime); };
  const auto asked = questions(fixture, layers, random);
  std::string input;
  for (const auto& [query, gpu] : asked) input += question_text(query, gpu);
  const auto answers =
      ask(fixture, compiler, header(layers.entries(), layers.pins(), layers.forbids(), fixture.catalog()), input);
  ASSERT_EQ(answers.size(), asked.size());
  std::map<std::string, int> rungs;
  int wrong = 0;
  int gave_way = 0, dependent = 0, instead = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::vector<const store::Forbid*> in_the_way;
    const auto best = best_answers(layers, fixture.catalog(), knowledge, asked[i].first, in_the_way).answers;
    const std::string expected = best.empty() ? "none 0 0 loss -1000000000" : answer_text(best.front());
    ++rungs[expected.substr(0, expected.find(' '))];
    gave_way += !best.empty() && best.front().passed != nullptr ? 1 : 0;
    const bool is_dependent = asked[i].first.regime != "plain";
    dependent += is_dependent && !best.empty() && best.front().regime != "plain" ? 1 : 0;
    instead += is_dependent && !best.empty() && best.front().regime == "plain" ? 1 : 0;
    if (answers[i] == expected) continue;
    ++wrong;
    if (wrong <= 5)
      ADD_FAILURE() << question_text(asked[i].first, asked[i].second) << "look-up " << expected << "\nheader  "
                    << answers[i];
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(gave_way, 3);
  EXPECT_GE(dependent, 3);
  EXPECT_GE(instead, 3);
  for (const char* rung : {"pinned", "exact", "near_shape", "near_gpu", "default"}) EXPECT_GE(rungs[rung], 3) << rung;
}

TEST(Header, AgreesWithLookUpOnEveryRowAndRandomProblems) {
  HeaderFixture fixture(11);
  fixture.fill(8);
  expect_agreement(fixture, "g++", 2000);
}

TEST(Header, AnswersNothingForAProblemThatLookUpRefuses) {
  HeaderFixture fixture(17, {"gemv_f16", "gemv_f32", "odd_3d"});
  fixture.fill(1);
  const store::Layers layers = fixture.layers();
  const auto knowledge = knowledge_of(fixture.catalog());
  const std::int64_t large = std::int64_t{1} << 31;
  const std::vector<std::pair<std::string, std::pair<std::vector<std::int64_t>, Facts>>> problems{
      {"gemv_f16", {{64, 64}, {{"row_stride", std::int64_t{63}}}}},
      {"gemv_f16", {{large, large}, {}}},      // 2^63 bytes
      {"gemv_f16", {{large, large * 2}, {}}},  // 2^63 elements
      {"gemv_f32", {{64, 64}, {{"batch", std::int64_t{1} << 62}}}},
      {"gemv_f32", {{64, 64}, {{"row_stride", std::int64_t{1} << 60}}}},
      {"gemv_f32", {{64, 64}, {{"batch", std::int64_t{0}}}}},
      {"gemv_f32", {{64, 64}, {{"row_stride", std::int64_t{-5}}}}},
      {"gemv_f32", {{64, 64}, {{"y", Name{"f31"}}}}},
      {"gemv_f32", {{64, 64}, {{"y", std::int64_t{1}}}}},
      {"gemv_f32", {{64, 64}, {{"batch", Name{"f32"}}}}},
      {"gemv_f32", {{0, 64}, {}}},
      {"odd_3d", {{4, 4, 4}, {{"fast", std::int64_t{2}}}}},
      {"odd_3d", {{large, large, 1}, {}}}};
  std::string input;
  const GpuFacts gpu = gpus().front();
  for (const auto& [kernel, problem] : problems) {
    const auto look_up = [&] {
      parse_shape(shape_text(problem.first), "test");
      knowledge.problem(kernel, problem.first, problem.second);
    };
    EXPECT_THROW(look_up(), UserError) << input;
    store::Query query;
    query.kernel = kernel;
    query.dims = problem.first;
    query.facts = problem.second;
    query.here = gpu;
    input += question_text(query, gpu);
  }
  const auto answers =
      ask(fixture, "g++", header(layers.entries(), layers.pins(), layers.forbids(), fixture.catalog()), input);
  ASSERT_EQ(answers.size(), problems.size());
  for (std::size_t i = 0; i < answers.size(); ++i)
    EXPECT_EQ(answers[i].rfind("none", 0), 0U) << input << "\n" << i << ": " << answers[i];
}

TEST(Header, AgreesUnderClang) {
  if (!has_program("clang++")) GTEST_SKIP() << "needs clang++";
  HeaderFixture fixture(12, a_few);
  fixture.fill(8);
  expect_agreement(fixture, "clang++", 1000);
}

TEST(Header, IsAConstantExpression) {
  HeaderFixture fixture(13);
  {
    store::Store store = store::Store::open(fixture.folder().file("user.db"), store::Store::Mode::read_write);
    fixture.store_result(store, fixture.catalog().at("gemv_f16", "test"), gpus().front());
  }
  const store::Layers layers = fixture.layers();
  const auto& problem = layers.entries().at(0).result.problem;
  const std::string base = fixture.folder().file("");
  write_file(base + "tuner_best.h", header(layers.entries(), {}, {}, fixture.catalog()));
  write_file(
      base + "use.cpp",
      fmt::format(
          "#include \"tuner_best.h\"\n#include \"tuner_best.h\"\nconstexpr long long shape[] = {{{}, {}}};\n"
          "constexpr auto best = tuner_export::find(\"h200\", \"gemv_f16\", shape);\n"
          "static_assert(best.match != tuner_export::Match::none);\nstatic_assert(best.get(\"block_size\") > 0);\n"
          "static_assert(!tuner_export::find(\"h200\", \"gemv_f17\", shape));\n"
          "static_assert(!tuner_export::find(\"T4\", \"gemv_f16\", shape));\n"
          "constexpr tuner_export::Fact facts[] = {{{{\"batch\", 2}}}};\n"
          "static_assert(tuner_export::find(\"h200\", \"gemv_f16\", shape, facts).match != "
          "tuner_export::Match::exact);\n"
          "int main() {{ return best.steps[0].grid.x > 0 ? 0 : 1; }}\n",
          problem.dims[0], problem.dims[1]));
  std::string log;
  for (const char* compiler : {"g++", "clang++"}) {
    if (!has_program(compiler)) continue;
    EXPECT_EQ(
        run(fmt::format("{} {} -I'{}' -fsyntax-only '{}use.cpp'", compiler, flags, base, base), base + "log", log), 0)
        << log;
  }
}

constexpr const char* device_use = R"text(
  extern "C" __global__ void ask(long long m, long long n, long long* out) {
    const long long dims[] = {m, n};
    const tuner_export::Choice best = tuner_export::find("NVIDIA H200", "gemv_f16", dims);
    out[0] = static_cast<long long>(best.match);
    out[1] = best.steps[0].grid.x;
    out[2] = tuner_export::same_text(best.word("variant"), "vec");
  }
)text";

TEST(Header, CompilesWithNvcc) {
  const std::string compiler = nvcc();
  if (compiler.empty()) GTEST_SKIP() << "needs nvcc";
  HeaderFixture fixture(14, a_few);
  fixture.fill(1);
  const store::Layers layers = fixture.layers();
  const std::string base = fixture.folder().file("");
  write_file(base + "tuner_best.h", header(layers.entries(), layers.pins(), layers.forbids(), fixture.catalog()));
  write_file(base + "use.cu", std::string("#include \"tuner_best.h\"\n") + device_use +
                                  "int main() { const long long d[] = {4096, 4096}; return tuner_export::find(\"NVIDIA "
                                  "H200\", \"gemv_f16\", d).param_count; }\n");
  std::string log;
  const auto compiles = [&](const char* quickly) {
    return run(fmt::format(
                   "'{}' -std=c++17 -x cu -arch=sm_90 {} -Werror all-warnings -c -I'{}' '{}use.cu' -o '{}use.o'",
                   compiler, quickly, base, base, base),
               base + "log", log) == 0;
  };
  // Whether it compiles is asked, not how well. Older ones do not know how to be quick.
  const bool quick = compiles("--Ofast-compile=max -Xptxas --suppress-stack-size-warning");
  EXPECT_TRUE(quick || (log.find("nknown option") != std::string::npos && compiles(""))) << log;
}

TEST(Header, CompilesWithNvrtc) {
  const auto files = compile::nvrtc_files(compile::nvrtc_folders());
  if (files.empty()) GTEST_SKIP() << "needs NVRTC";
  HeaderFixture fixture(15, a_few);
  fixture.fill(1);
  const store::Layers layers = fixture.layers();
  const std::string text = header(layers.entries(), layers.pins(), layers.forbids(), fixture.catalog());
  const compile::NvrtcLibrary nvrtc(files.front());
  // Whether it compiles is asked, not how well. Older ones do not know how to be quick.
  std::vector<std::string> options = {"--std=c++17", "--gpu-architecture=sm_90", "--Ofast-compile=max"};
  auto result = nvrtc.compile("use.cu", text + device_use, {}, options);
  if (!result.ok && result.log.find("Ofast-compile") != std::string::npos) {
    options.pop_back();
    result = nvrtc.compile("use.cu", text + device_use, {}, options);
  }
  EXPECT_TRUE(result.ok) << result.log;
  EXPECT_FALSE(result.cubin.empty());
}

// What the header says of these steps; `from` is replaced in the odd manifest.
std::string refusal(const std::string& from, const std::string& to) {
  std::string text = odd_manifest;
  text.replace(text.find(from), from.size(), to);
  const spec::KernelSpec kernel = spec::parse_kernel(text, "/k/odd.yaml");
  try {
    (void)KernelCode(kernel).definition();
  } catch (const UserError& fault) {
    EXPECT_EQ(fault.where(), "/k/odd.yaml");
    return fault.what();
  }
  return "held";
}

TEST(Header, StepsThatItCannotHoldAreRefused) {
  const std::string turn =
      "a header cannot hold the steps of 'odd_3d': 'pass' changes with the index 'turn' of its 'repeat'";
  EXPECT_EQ(refusal("grid: P,", "grid: P + turn,"), turn);
  EXPECT_EQ(refusal("when: plan == column", "when: turn == 1"), turn);
  EXPECT_EQ(refusal("P % 7]", "turn]"), turn);
  EXPECT_EQ(refusal("threads, template", "threads, shared: turn * 4, template"), turn);
  EXPECT_EQ(refusal("P % 7]", "\"fast ? f32 : f16\"]"),
            "a header cannot hold the template argument 'fast ? f32 : f16' of 'pass'");
  EXPECT_EQ(refusal("P % 7]", "P % 8]"), "held");
}

TEST(Header, RefusesNothing) {
  const HeaderFixture fixture(16);
  EXPECT_THROW(header({}, {}, {}, fixture.catalog()), UserError);
}

}  // namespace
}  // namespace tuner::exporting::test
