// What `tuner repack` writes is what the kernels that it names take.
#include <gtest/gtest.h>

#include <algorithm>

#include "repack/output.h"
#include "spec/catalog.h"
#include "spec/resolve.h"

namespace tuner::cli {
namespace {

using repack::Codes;
using repack::Packed;
using repack::Zeros;

Facts given_facts(const Packed& packed) {
  Facts facts;
  for (const auto& [name, value] : repack::facts_of(packed)) facts.emplace_back(name, std::stoll(value));
  return facts;
}

void expect_taken(const spec::KernelSpec& kernel, const Packed& packed) {
  const Problem problem = spec::make_problem(kernel, {packed.rows, packed.columns}, given_facts(packed), kernel.name);
  const Workload workload = spec::workload_of(kernel, problem, gpu_of_arch(90));
  for (const repack::OutputFile& file : files_of(packed)) {
    if (file.of == "order") continue;
    const auto argument = std::find_if(workload.arguments.begin(), workload.arguments.end(),
                                       [&](const Argument& each) { return each.name == file.of; });
    ASSERT_NE(argument, workload.arguments.end()) << kernel.name << " has no argument " << file.of;
    const std::string header = file.bytes.substr(10, static_cast<unsigned char>(file.bytes[8]));
    EXPECT_EQ(static_cast<std::int64_t>(file.bytes.size() - 10 - header.size()), argument->bytes())
        << kernel.name << " " << file.of;
    const char* type = argument->type == Type::f16 ? "'<f2'" : argument->type == Type::i8 ? "'|i1'" : "'|u1'";
    EXPECT_NE(header.find(type), std::string::npos) << kernel.name << " " << file.of << ": " << header;
  }
}

TEST(RepackedWeights, AreTheArgumentsOfTheirKernels) {
  const spec::Catalog kernels = spec::Catalog::load({TUNER_SOURCE_DIR "/kernel_templates"});
  int found = 0;
  for (const auto& [kind, zeros, matrices] : {std::tuple{Codes::q4, Zeros::none, 1},
                                              {Codes::q4, Zeros::u4, 1},
                                              {Codes::q4, Zeros::offset, 1},
                                              {Codes::q8, Zeros::none, 1},
                                              {Codes::mxfp4, Zeros::none, 1},
                                              {Codes::q4, Zeros::none, 3},
                                              {Codes::mxfp4, Zeros::none, 3}})
    for (const std::int64_t group : {0, 32, 128}) {
      if (kind == Codes::mxfp4 && group != 32) continue;
      const Packed packed = repack::packed_of(kind, zeros, matrices, 37, 200, group);
      if (const spec::KernelSpec* kernel = kernels.find(kernel_of(packed))) {
        ++found;
        expect_taken(*kernel, packed);
      }
    }
  RecordProperty("kernels", found);
}

}  // namespace
}  // namespace tuner::cli
