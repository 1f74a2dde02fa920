// Finished problems when the template has changed since.
#include "tune/finished.h"

#include "unit/tune/tune_fixture.h"

namespace tuner::tune {
namespace {

using Finished = TuneProblem;

void write_template(const fs::path& folder, const std::string& body) {
  std::ofstream(folder / "fake.cu") << "extern \"C\" __global__ void gemv() {" << body << "}\n";
}

TEST_F(Finished, TheSameBinaryHoldsAndAnotherIsSaid) {
  store::Store store = database();
  run({"fast", "close"}, store, {});
  const auto warnings_with = [&](const std::string& cubin_hash) {
    Session here = session();
    for (const auto& source : render_all(planned({"fast"}), enumerate(planned({"fast"}), here.gpu()))) {
      Artifact artifact = fake_artifact("gemv@5");
      artifact.cubin_hash = cubin_hash;
      here.builder->adopt(source.hash, artifact);
    }
    Warnings warnings;
    check_finished({planned({})}, "plain", here, store, warnings);
    return warnings.texts;
  };
  write_template(folder_, "  /* a comment is no change */ ");
  EXPECT_TRUE(warnings_with("other").empty());
  write_template(folder_, "int mended;");
  EXPECT_TRUE(warnings_with("gemv@5.0").empty());  // fast's binary
  ASSERT_EQ(warnings_with("other").size(), 1U);
  EXPECT_EQ(warnings_with("other")[0],
            "1 finished problem was tuned with another template, manifest or NVRTC; --again repeats it");
}

}  // namespace
}  // namespace tuner::tune
