#include "store/state.h"

#include <algorithm>

#include "store/access.h"
#include "store/rows.h"
#include "store/time_text.h"

namespace tuner::store {
namespace {

bool differs(const std::string& now, const std::string& then, const std::string& found_again) {
  return !now.empty() && !then.empty() && now != then && now != found_again;
}

// Of "13.0.88, nvcc 13.0.88" the compiler of the kind that `now` is; empty where there is none.
std::string same_kind(const std::string& stored, const std::string& now) {
  const auto is_nvcc = [](const std::string& one) { return one.rfind("nvcc ", 0) == 0; };
  for (std::size_t at = 0; at < stored.size();) {
    const std::size_t end = std::min(stored.find(", ", at), stored.size());
    const std::string one = stored.substr(at, end - at);
    if (is_nvcc(one) == is_nvcc(now)) return one;
    at = end + 2;
  }
  return {};
}

}  // namespace

void judge_state(Answer& answer, const KernelHashes& now, const std::string& nvrtc) {
  if (answer.entry == nullptr) return;
  const Entry& entry = *answer.entry;
  if (differs(now.closure, entry.result.closure_hash, entry.found_again.closure)) answer.changed.push_back("template");
  if (differs(now.manifest, entry.result.manifest_hash, entry.found_again.manifest))
    answer.changed.push_back("manifest");
  if (!now.manifest.empty() && now.objective != entry.result.objective) answer.changed.push_back("objective");
  answer.state = answer.changed.empty() ? "current" : "changed";
  // Of another GPU model neither says anything.
  if (gpu_key(answer.gpu) != gpu_key(entry.gpu)) return;
  const std::string then = same_kind(entry.nvrtc, nvrtc);
  if (differs(nvrtc, then, same_kind(entry.found_with_nvrtc, nvrtc)))
    answer.changed.push_back("nvrtc " + then + " -> " + nvrtc);
  if (differs(answer.gpu.driver, entry.driver, {}))
    answer.changed.push_back("driver " + entry.driver + " -> " + answer.gpu.driver);
  if (answer.state == "current" && !answer.changed.empty()) answer.state = "elsewhere";
}

void record_same_binary(Store& store, const GpuFacts& gpu, const Problem& problem, const std::string& regime,
                        const KernelHashes& now, const std::string& nvrtc, const std::string& tuned_at) {
  Connection& db = StoreAccess::connection(store);
  StoreAccess::database(store).write(true, [&] {
    auto insert = db.prepare(
        "INSERT OR REPLACE INTO states (result, state, changed, checked_at, closure_hash, manifest_hash, nvrtc)"
        " SELECT r.id, 'current', '[]', ?, ?, ?, ? FROM results r JOIN runs u ON u.id = r.run"
        " JOIN gpus g ON g.id = u.gpu WHERE r.problem = ? AND r.regime = ? AND g.key = ?"
        " AND (?8 IS NULL OR r.saved_at = ?8) ORDER BY r.saved_at DESC, r.run DESC, r.id DESC LIMIT 1");
    insert.bind(1, now_text());
    bind_hash(insert, 2, now.closure);
    bind_hash(insert, 3, now.manifest);
    insert.bind(4, nvrtc).bind(5, find_problem(db, problem)).bind(6, regime).bind(7, gpu_key(gpu));
    insert.bind_or_null(8, tuned_at);
    insert.run();
  });
}

}  // namespace tuner::store
