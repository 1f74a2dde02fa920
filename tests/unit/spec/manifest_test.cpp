#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "expect_error.h"
#include "manifest_text.h"
#include "spec/catalog.h"
#include "spec/kernel_spec.h"
#include "spec/resolve.h"

namespace tuner::spec {
namespace {

namespace fs = std::filesystem;

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tuner_manifest_test." + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, std::string_view text) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  fs::path folder_;
};
using Manifest = Folder;
using CatalogOf = Folder;

TEST(ManifestText, TheUnitThatCalculatesIsThatOfTheTypeUnlessItIsSaid) {
  const auto arithmetic = [](const std::string& dtype, const std::string& bound) {
    std::string text(kGemv);
    text.replace(text.find("dtype: f16"), 10, "dtype: " + dtype);
    text.replace(text.find("bound_by: memory"), 16, bound);
    return parse_kernel(text, "/k/gemv_f16.yaml").arithmetic;
  };
  EXPECT_EQ(arithmetic("f16", "bound_by: compute"), "tensor_f16");
  EXPECT_EQ(arithmetic("bf16", "bound_by: compute"), "tensor_f16");
  EXPECT_EQ(arithmetic("f32", "bound_by: compute"), "fma_f32");
  EXPECT_EQ(arithmetic("f64", "bound_by: compute"), "fma_f64");
  EXPECT_EQ(arithmetic("f32", "bound_by: compute\narithmetic: fma_f16"), "fma_f16");
}

// A parameter of one regime is inactive in the other; without the key the name means nothing.
TEST(ManifestText, ExpressionsKnowTheDependentRegime) {
  const std::string with = edited(edited(kGemv, "bound_by: memory\n", "dependent: {}\n"),
                                  "where:", "  trigger: {values: [start, end], when: dependent}\nwhere:");
  const KernelSpec kernel = parse_kernel(with, "k.yaml");
  const Problem problem = make_problem(kernel, {64, 64}, {}, "");
  const auto triggers = [&](const std::string& regime) {
    const KernelSpec& launched = in_regime(kernel, regime, "");
    std::set<std::string> found;
    for (const Config& config : launched.space.all(base_scope(launched, problem, gpu_of_arch(90))))
      found.insert(config.find("trigger") == nullptr ? "-" : to_text(*config.find("trigger")));
    return found;
  };
  EXPECT_EQ(triggers("plain"), (std::set<std::string>{"-"}));
  EXPECT_EQ(triggers("dependent"), (std::set<std::string>{"end", "start"}));
  expect_error([&] { (void)parse_kernel(edited(with, "dependent: {}\n", ""), "k.yaml"); },
               "unknown name 'dependent' in 'dependent'", "k.yaml:20:41",
               "known: M, N, arch, batch, bf16, block_size, bool, cache_hint, coalesced, end, f16, f32, ...");
  expect_error([&] { (void)parse_kernel(edited(with, "trigger: {", "dependent: {"), "k.yaml"); },
               "'dependent' has two meanings: the dependent regime and a parameter", "k.yaml:20:3",
               "give one of them another name");
}

// Those of a configuration alone may come and go, at the end of the list.
TEST(ManifestText, SomeConfigurationsLackAnArgument) {
  const char* const tickets = "  - {name: tickets, type: u32, size: M, role: zeroed, when: variant == vec}\nsteps:";
  const KernelSpec kernel = parse_kernel(edited(kGemv, "steps:", tickets), "k.yaml");
  const Problem problem = make_problem(kernel, {64, 64}, {}, "");
  const auto scope = base_scope(kernel, problem, gpu_of_arch(90));
  const auto has = [&](const char* variant) {
    const auto config = kernel.space.complete(scope, {{"variant", {Name{variant}}}});
    const Execution execution = resolve(kernel, problem, *config, gpu_of_arch(90));
    return execution.arguments.back().name == "tickets" && execution.arguments.back().role == Role::zeroed;
  };
  EXPECT_TRUE(has("vec"));
  EXPECT_FALSE(has("naive"));
  const KernelSpec named = parse_kernel(
      edited(edited(kGemv, "steps:", tickets), "steps:\n", "steps:\n  - {memset: tickets, value: 0}\n"), "k.yaml");
  const auto naive = named.space.complete(scope, {{"variant", {Name{"naive"}}}});
  expect_error([&] { (void)resolve(named, problem, *naive, gpu_of_arch(90)); },
               "a step names 'tickets', which its 'when' leaves out of this configuration", "gemv_f16 64x64", "");
}

TEST(ManifestText, InTheDependentRegimeItHasOneConstraintMore) {
  const KernelSpec kernel = parse_kernel(
      edited(kGemv, "bound_by: memory\n", "bound_by: memory\ndependent: {when: variant == vec, feeds: {x: y}}\n"),
      "k.yaml");
  ASSERT_TRUE(kernel.dependent);
  EXPECT_EQ(kernel.dependent->when->text(), "variant == vec");
  EXPECT_EQ(kernel.dependent->feeds, (std::vector<std::pair<std::string, std::string>>{{"x", "y"}}));
  EXPECT_EQ(&in_regime(kernel, "plain", ""), &kernel);
  EXPECT_EQ(kernel.regime, "plain");
  const KernelSpec& dependent = in_regime(kernel, "dependent", "");
  EXPECT_EQ(dependent.regime, "dependent");
  EXPECT_EQ(dependent.name, kernel.name);
  EXPECT_EQ(dependent.path, kernel.path);
  ASSERT_EQ(dependent.space.constraints.size(), kernel.space.constraints.size() + 1);
  EXPECT_EQ(dependent.space.constraints.back().why, "not launched dependently: variant == vec");
  const Problem problem = make_problem(kernel, {64, 64}, {}, "");
  EXPECT_FALSE(resolve(kernel, problem, *default_config(kernel, problem, gpu_of_arch(90)), gpu_of_arch(90)).dependent);
  EXPECT_TRUE(workload_of(kernel, problem, gpu_of_arch(90)).feeds.empty());
  EXPECT_FALSE(default_config(dependent, problem, gpu_of_arch(90)));  // both are of other variants
  const auto config = dependent.space.complete(base_scope(dependent, problem, gpu_of_arch(90)), {});
  ASSERT_TRUE(config);
  EXPECT_TRUE(resolve(dependent, problem, *config, gpu_of_arch(90)).dependent);
  EXPECT_EQ(workload_of(dependent, problem, gpu_of_arch(90)).feeds, kernel.dependent->feeds);
  EXPECT_EQ(why_not_on(dependent, problem, gpu_of_arch(90)), std::nullopt);
  EXPECT_EQ(why_not_on(dependent, problem, gpu_of_arch(80)), "the dependent regime needs sm_90, this GPU has sm_80");
  EXPECT_EQ(why_not_on(kernel, problem, gpu_of_arch(80)), std::nullopt);
}

TEST(ManifestText, WithoutTheKeyThereIsNoDependentRegime) {
  const KernelSpec kernel = parse_kernel(kGemv, "k.yaml");
  expect_error([&] { (void)in_regime(kernel, "dependent", "--regime"); }, "'gemv_f16' has no regime 'dependent'",
               "--regime",
               "its manifest has no key `dependent: {when: ..., feeds: {x: y}}`; leave --regime out for 'plain'");
  const KernelSpec everywhere = parse_kernel(edited(kGemv, "bound_by: memory\n", "dependent: {}\n"), "k.yaml");
  EXPECT_EQ(in_regime(everywhere, "dependent", "").space.constraints.size(), kernel.space.constraints.size());
}

TEST(ManifestText, EverythingIsRead) {
  const KernelSpec kernel = parse_kernel(kGemv, "/k/gemv_f16.yaml");
  EXPECT_EQ(kernel.name, "gemv_f16");
  EXPECT_EQ(kernel.family, "gemv");
  EXPECT_EQ(kernel.dtype, "f16");
  EXPECT_EQ(kernel.doc, "y = A x");
  EXPECT_EQ(kernel.source_path, "/k/gemv.cu");
  EXPECT_EQ(kernel.path, "/k/gemv_f16.yaml");
  EXPECT_EQ(kernel.text, kGemv);
  EXPECT_EQ(kernel.entry, "gemv");
  EXPECT_EQ(kernel.requires_->text(), "arch >= 75");
  EXPECT_EQ(kernel.dims, (std::vector<std::string>{"M", "N"}));
  ASSERT_EQ(kernel.facts.size(), 3U);
  EXPECT_EQ(kernel.facts[2].first, "row_stride");
  EXPECT_EQ(kernel.facts[2].second.text(), "N");
  ASSERT_EQ(kernel.space.params.size(), 8U);
  EXPECT_EQ(kernel.space.params[0].values[1], Value{Name{"warp"}});
  EXPECT_FALSE(kernel.space.params[1].when);
  EXPECT_EQ(kernel.space.params[2].when->text(), "variant in (warp, vec)");
  ASSERT_EQ(kernel.space.constraints.size(), 2U);
  EXPECT_EQ(kernel.space.constraints[0].why, "warps_per_row * warp_size <= block_size");
  EXPECT_EQ(kernel.space.constraints[1].why, "a vector load needs an aligned row");
  ASSERT_EQ(kernel.defaults.size(), 2U);
  EXPECT_EQ(kernel.defaults[0][1].first, "block_size");
  EXPECT_EQ(kernel.defaults[0][1].second, std::vector<Value>{std::int64_t{256}});
  EXPECT_EQ(kernel.choices("cache_hint"), (std::vector<std::pair<std::string, int>>{{"none", 0}, {"streaming", 1}}));
  EXPECT_TRUE(kernel.choices("block_size").empty());
}

TEST(ManifestText, ArgumentsStepsAndCosts) {
  const KernelSpec kernel = parse_kernel(kGemv, "/k/gemv_f16.yaml");
  ASSERT_EQ(kernel.args.size(), 7U);
  EXPECT_EQ(kernel.args[0].fill, (Fill{Fill::Kind::uniform, -1, 1}));
  EXPECT_EQ(kernel.args[1].fill, (Fill{Fill::Kind::constant, 0.5, 0.5}));
  EXPECT_EQ(kernel.args[1].role, Role::activation);
  EXPECT_EQ(kernel.args[2].type, "y");
  EXPECT_EQ(kernel.args[3].role, Role::scratch);
  EXPECT_FALSE(kernel.args[4].size);
  EXPECT_EQ(kernel.args[6].fields.at(0).value->text(), "row_stride");
  ASSERT_EQ(kernel.steps.size(), 3U);
  EXPECT_EQ(kernel.steps[0].kind, Step::Kind::memset);
  EXPECT_EQ(kernel.steps[0].target, "acc");
  EXPECT_EQ(kernel.steps[2].target, "store");
  EXPECT_EQ(kernel.steps[2].when->text(), "variant == coalesced");
  EXPECT_EQ(kernel.traffic_read->text(), "2 * M * N + 2 * N * batch");
  EXPECT_EQ(kernel.reference.kind, ReferencePlan::Kind::gemv);
  EXPECT_EQ(kernel.bound_by, "memory");
  EXPECT_EQ(kernel.arithmetic, "fma_f32");
  EXPECT_EQ(kernel.baselines, std::vector<std::string>{"cublas"});
}

TEST(ManifestText, ValuesAreReadByUs) {
  const std::string text =
      edited(edited(kGemv, "[64, 128, 256, 512]", "[010, 0128, 256]"), "[none, streaming]", "[y_es, no, on, off, n]");
  const std::string without_default =
      edited(edited(text, "block_size: 256}", "block_size: 10}"), "block_size: 64}", "block_size: 128}");
  const KernelSpec kernel = parse_kernel(without_default, "k.yaml");
  EXPECT_EQ(kernel.space.params[1].values,
            (std::vector<Value>{std::int64_t{10}, std::int64_t{128}, std::int64_t{256}}));
  EXPECT_EQ(kernel.space.params[6].values[2], Value{Name{"on"}});
  EXPECT_EQ(kernel.space.params[6].values[4], Value{Name{"n"}});
  const KernelSpec flags = parse_kernel(edited(kGemv, "[none, streaming]", "[true, false]"), "k.yaml");
  EXPECT_EQ(flags.space.params[6].values, (std::vector<Value>{true, false}));
}

TEST(ManifestText, OneChoiceInTwoParametersIsOneName) {
  const std::string text = edited(kGemv, "min_blocks_per_sm: [1, 2]", "store_hint: [none, streaming]");
  EXPECT_EQ(parse_kernel(text, "k.yaml").space.params[7].values[0], Value{Name{"none"}});
}

TEST(ManifestText, LittleIsEnough) {
  const KernelSpec kernel = parse_kernel(
      "tuner: 1\nkernel: k\nsource: k.cu\ndims: [N]\nreference: none\n"
      "args: [{name: a, type: f32, size: N, role: output}]\nsteps: [{launch: k, grid: N, block: 1}]\n",
      "k.yaml");
  EXPECT_EQ(kernel.family, "k");
  EXPECT_EQ(kernel.entry, "k");
  EXPECT_TRUE(kernel.space.params.empty());
}

TEST_F(Manifest, MissingSource) {
  const std::string path = write("gemv_f16.yaml", kGemv);
  expect_error([&] { (void)read_kernel(path); }, "the source '" + (folder_ / "gemv.cu").string() + "' does not exist",
               path + ":6:9", "its path is relative to the manifest's folder");
  write("gemv.cu", "");
  EXPECT_EQ(read_kernel(path).name, "gemv_f16");
}

TEST_F(Manifest, FilesThatAreNone) {
  const std::string path = (folder_ / "absent.yaml").string();
  expect_error([&] { (void)read_kernel(path); }, "no such file", path, "");
  expect_error([&] { (void)read_kernel(folder_.string()); }, "not a file", folder_.string(), "");
}

TEST_F(Manifest, TwoMegabytes) {
  const std::string path = write("big.yaml", std::string(kGemv) + "# " + std::string(2 << 20, 'x'));
  const auto bytes = std::to_string(fs::file_size(path));
  expect_error([&] { (void)read_kernel(path); }, "the file is too big: " + bytes + " bytes, at most 1048576", path, "");
}

// Refused by its size, unread.
TEST_F(Manifest, FiftyMegabytes) {
  const std::string path = write("huge.yaml", kGemv);
  fs::resize_file(path, std::uintmax_t{50} << 20);
  const auto began = std::chrono::steady_clock::now();
  expect_error([&] { (void)read_kernel(path); }, "the file is too big: 52428800 bytes, at most 1048576", path, "");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds{200});
}

TEST_F(CatalogOf, Folders) {
  write("one/gemv.cu", "");
  write("one/b.yaml", kGemv);
  write("one/a.yaml", edited(kGemv, "gemv_f16", "gemv_bf16"));
  write("one/notes.txt", "not a manifest");
  const std::string one = (folder_ / "one").string();
  const Catalog catalog = Catalog::load({one, one});
  EXPECT_EQ(catalog.names(), (std::vector<std::string>{"gemv_bf16", "gemv_f16"}));
  EXPECT_EQ(catalog.at("gemv_f16", "").name, "gemv_f16");
  EXPECT_EQ(catalog.find("gemv"), nullptr);
  expect_error([&] { (void)catalog.at("gemv_f61", "--kernel"); }, "unknown kernel 'gemv_f61'", "--kernel",
               "did you mean 'gemv_f16'?");
}

TEST_F(CatalogOf, ABrokenManifestStopsWhatNamesIt) {
  write("one/gemv.cu", "");
  write("one/good.yaml", kGemv);
  const std::string bad =
      write("one/bad.yaml", edited(kGemv, "kernel: gemv_f16", "kernel: 'mine' # of mine\nsoruce: x"));
  write("one/sweep.yaml", "tuner: 1\nkernels: [gemv_f16]\nshapes: [64x64]\n");
  write("one/compose.yaml", "services: {a: b}\n");
  const std::string one = (folder_ / "one").string();
  const Catalog catalog = Catalog::load({one, one});
  EXPECT_EQ(catalog.names(), std::vector<std::string>{"gemv_f16"});
  ASSERT_EQ(catalog.broken().size(), 1u);
  EXPECT_EQ(catalog.broken()[0].kernel, "mine");
  EXPECT_EQ(catalog.broken()[0].path, bad);
  EXPECT_THROW((void)catalog.at("mine", "--kernel"), UserError);
  try {
    (void)catalog.at("mine", "--kernel");
  } catch (const UserError& fault) {
    EXPECT_EQ(fault.where().rfind(bad, 0), 0u) << fault.where();
  }
  for (const char* text : {"tuner: 1\n  x: [", "tuner: 1\nkernel: [\n", ""}) {
    write("two/broken.yaml", text);
    EXPECT_EQ(Catalog::load({(folder_ / "two").string()}).broken().size(), 1u) << text;
  }
}

TEST_F(CatalogOf, TwoOfOneName) {
  write("one/gemv.cu", "");
  write("two/gemv.cu", "");
  const std::string a = write("one/a.yaml", kGemv);
  const std::string b = write("two/b.yaml", kGemv);
  expect_error(
      [&] {
        (void)Catalog::load({(folder_ / "one").string(), (folder_ / "two").string()});
      },
      "two manifests are named 'gemv_f16': " + a + " and " + b, b, "give one of them another 'kernel'");
  const std::string none = (folder_ / "none").string();
  expect_error([&] { (void)Catalog::load({none}); }, "no such folder of kernels", none, "");
}

TEST(BuiltIn, ManifestsOfTheTree) {
  const std::string root = TUNER_SOURCE_DIR;
  const Catalog catalog = Catalog::load({root + "/kernel_templates", root + "/kernel_templates/probes"});
  EXPECT_NE(catalog.find("gemv_f16"), nullptr);
  EXPECT_NE(catalog.find("probe_read"), nullptr);
}

// What the kernel before left in L2 is not read from memory: rows, their residual, and the copy that they are held to.
TEST(BuiltIn, AHotInputIsAnActivation) {
  const std::string root = TUNER_SOURCE_DIR "/kernel_templates/";
  for (const std::string name : {"softmax_f16", "softmax_bf16", "softmax_f32", "rmsnorm_f16", "rmsnorm_bf16",
                                 "rmsnorm_f32", "probes/probe_copy"}) {
    const KernelSpec kernel = read_kernel(root + name + ".yaml");
    for (const bool hot : {false, true}) {
      const Problem problem = make_problem(kernel, {64, 256}, {{"hot_input", hot}}, "");
      int cold = 0, inputs = 0;
      for (const Argument& argument : workload_of(kernel, problem, gpu_of_arch(90)).arguments) {
        cold += argument.is_buffer && argument.role == Role::weight ? 1 : 0;
        inputs += argument.is_buffer && is_read(argument.role) ? 1 : 0;
      }
      EXPECT_EQ(cold, hot ? 0 : name.substr(0, 7) == "rmsnorm" ? 2 : 1) << name;
      EXPECT_EQ(inputs, name.substr(0, 7) == "rmsnorm" ? 3 : 1) << name;
    }
  }
}

TEST(ManifestText, BaselinesAreBuiltInOrFunctionsOfAFile) {
  const KernelSpec kernel = read_kernel(TUNER_SOURCE_DIR "/kernel_templates/matmul_f16.yaml");
  EXPECT_TRUE(kernel.baselines.empty());
  ASSERT_EQ(kernel.own_baselines.size(), 1U);
  const BaselineSpec& baseline = kernel.own_baselines.front();
  EXPECT_EQ(baseline.name, "cublas");
  EXPECT_EQ(baseline.function, "matmul_cublas_f16");
  EXPECT_EQ(baseline.source_path, TUNER_SOURCE_DIR "/kernel_templates/baselines/matmul_cublas.cu");
  EXPECT_EQ(baseline.libraries, std::vector<std::string>{"cublas"});
  EXPECT_EQ(read_kernel(TUNER_SOURCE_DIR "/kernel_templates/gemv_q8.yaml").rivals,
            std::vector<std::string>{"gemv_f16"});
}

}  // namespace
}  // namespace tuner::spec
