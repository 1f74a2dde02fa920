#include "export/document.h"

#include <gtest/gtest.h>

#include "store/results_file.h"
#include "unit/store/fixtures.h"

namespace tuner::exporting {
namespace {

store::Entry entry_of(const std::string& layer, const std::string& tuned_at, float us) {
  store::Entry entry;
  entry.gpu = store::test::gpu_named("NVIDIA H200");
  entry.layer = layer;
  entry.tuned_at = tuned_at;
  entry.result.problem = store::test::gemv(64, 64);
  entry.trials = {store::test::measured(entry.result.problem, store::test::config_of("vec", 256), {us, us})};
  entry.trials[0].id = 1;
  entry.result.winner = 1;
  return entry;
}

std::string times(const std::vector<store::Entry>& entries) {
  std::string text;
  for (const store::Entry& entry : entries)
    text += entry.layer + " " + entry.tuned_at + (entry.shared_gpu ? " shared\n" : "\n");
  return text;
}

TEST(Chosen, AnImportedCopyStandsOnce) {
  const std::vector<store::Entry> both{entry_of("user", "2026-11-30T10:00:00Z", 3),
                                       entry_of("shipped", "2026-11-30T10:00:00Z", 3)};
  EXPECT_EQ(times(without_copies(both)), "user 2026-11-30T10:00:00Z\n");
  EXPECT_EQ(times(one_of_each(both)), "user 2026-11-30T10:00:00Z\n");
}

TEST(Chosen, AnotherResultOfTheSameProblemIsNoCopy) {
  const std::vector<store::Entry> both{entry_of("user", "2026-11-30T10:00:00Z", 3),
                                       entry_of("shipped", "2026-11-30T10:00:00Z", 4)};
  EXPECT_EQ(without_copies(both).size(), 2U);
  EXPECT_EQ(times(one_of_each(both)), "user 2026-11-30T10:00:00Z\n");
}

TEST(Chosen, OfOneLayerTheLaterAndAlwaysOneOnAGpuAlone) {
  std::vector<store::Entry> all{entry_of("site", "2026-11-30T10:00:00Z", 3),
                                entry_of("site", "2026-12-01T10:00:00Z", 4)};
  store::sort_entries(all);
  EXPECT_EQ(times(one_of_each(all)), "site 2026-12-01T10:00:00Z\n");
  all.insert(all.begin(), entry_of("user", "2026-12-02T10:00:00Z", 5));
  all[0].shared_gpu = true;
  EXPECT_EQ(times(one_of_each(all)), "site 2026-12-01T10:00:00Z\n");
  EXPECT_EQ(without_copies(all).size(), 3U);
}

// People's file in a results folder, and a name that hides its file.
TEST(Documents, NoGpuTakesTheFileOfPinsAndForbids) {
  for (const auto& [gpu, file] : {std::pair{"Overrules", "overrules_gpu.json"}, {"日本", "gpu.json"}}) {
    store::Entry entry = entry_of("user", "2026-11-30T10:00:00Z", 3);
    entry.gpu.name = gpu;
    const auto documents = results_documents({entry}, {});
    ASSERT_EQ(documents.size(), 1U);
    EXPECT_EQ(documents[0].path, file);
  }
}

}  // namespace
}  // namespace tuner::exporting
