#include "store/gpu_choice.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace tuner::store {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_blind(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string list(const std::vector<GpuFacts>& gpus, const char* quote = "") {
  std::string text;
  for (const GpuFacts& gpu : gpus) text += (text.empty() ? "" : ", ") + (quote + described(gpu)) + quote;
  return text;
}

bool same_facts(const GpuFacts& a, const GpuFacts& b) {
  return a.memory_bytes == b.memory_bytes && a.arch == b.arch && a.sm_count == b.sm_count && a.name == b.name &&
         a.mig_profile == b.mig_profile;
}

// Each model once; `here` first, so that of equal models the facts of this machine stand.
std::vector<GpuFacts> known_gpus(const Query& query, const std::vector<Entry>& entries, bool emulated) {
  std::vector<GpuFacts> gpus;
  const GpuFacts* last = nullptr;
  const auto add = [&](const GpuFacts& gpu) {
    // Rows of one machine have equal facts, and stand beside each other.
    if (last != nullptr && same_facts(*last, gpu)) return;
    last = &gpu;
    const auto same = [&](const GpuFacts& other) { return same_model(other, gpu); };
    if (std::none_of(gpus.begin(), gpus.end(), same)) gpus.push_back(gpu);
  };
  if (query.here && (query.here->name == "host") == emulated) add(*query.here);
  for (const Entry& entry : entries)
    if (entry.emulated == emulated) add(entry.gpu);
  return gpus;
}

}  // namespace

bool contains_blind(std::string_view text, std::string_view part) {
  return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(),
                                     [](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

std::vector<std::string> gpu_names(const std::vector<Entry>& entries, const std::optional<GpuFacts>& here) {
  Query query;
  query.here = here;
  std::vector<std::string> names;
  for (const GpuFacts& gpu : known_gpus(query, entries, false))
    if (std::find(names.begin(), names.end(), gpu.name) == names.end()) names.push_back(gpu.name);
  return names;
}

std::string described(const GpuFacts& gpu) {
  const auto gib = std::llround(static_cast<double>(gpu.memory_bytes) / (1024.0 * 1024.0 * 1024.0));
  std::string text = gpu.name + " (" + arch_text(gpu.arch) + ", " + std::to_string(gpu.sm_count) + " SMs, " +
                     std::to_string(gib) + " GiB";
  if (!gpu.mig_profile.empty()) text += ", MIG " + gpu.mig_profile;
  return text + ")";
}

bool is_called(const GpuFacts& gpu, std::string_view part) {
  if (contains_blind(gpu.name, part)) return true;
  return part.find('(') != std::string_view::npos && contains_blind(described(gpu), part);
}

std::vector<GpuFacts> choose_gpus(const Query& query, const std::vector<Entry>& entries) {
  const bool emulated =
      same_blind(query.gpu, "host") || (query.gpu.empty() && query.here && query.here->name == "host");
  const std::vector<GpuFacts> known = known_gpus(query, entries, emulated);
  if (emulated) {
    if (!known.empty()) return {known.front()};
    GpuFacts host = gpu_of_arch(90);
    host.name = "host";
    return {host};
  }
  if (query.gpu.empty()) {
    if (query.here) return {*query.here};
    if (!known.empty()) return known;
    GpuFacts none = gpu_of_arch(75);  // the narrowest limits
    none.name.clear();
    return {none};
  }
  std::vector<GpuFacts> exact;
  std::vector<GpuFacts> part;
  for (const GpuFacts& gpu : known) {
    if (same_blind(gpu.name, query.gpu) || same_blind(described(gpu), query.gpu)) exact.push_back(gpu);
    if (is_called(gpu, query.gpu)) part.push_back(gpu);
  }
  const std::vector<GpuFacts>& found = exact.empty() ? part : exact;
  if (found.size() == 1) return found;
  if (found.size() > 1) {
    // Several memory sizes or MIG profiles under one name: the one that is here is meant.
    if (query.here && gpu_key(found.front()) == gpu_key(*query.here) && !exact.empty()) return {found.front()};
    throw UserError("'" + query.gpu + "' is more than one GPU", "--gpu", "one of: " + list(found, "'"));
  }
  if (const auto arch = arch_from_text(query.gpu)) return {gpu_of_arch(*arch)};
  throw UserError("no GPU known here is called '" + query.gpu + "'", "--gpu",
                  known.empty() ? "no results are known for any GPU; an architecture such as sm_90 can be named"
                                : "known: " + list(known));
}

}  // namespace tuner::store
