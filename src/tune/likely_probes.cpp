#include "tune/likely_probes.h"

#include <initializer_list>

namespace tuner::tune {
namespace {

std::vector<Value> numbers(std::initializer_list<std::int64_t> list) { return {list.begin(), list.end()}; }

std::vector<Value> names(std::initializer_list<const char*> list) {
  std::vector<Value> values;
  for (const char* text : list) values.push_back(Name{text});
  return values;
}

space::Partial flat(std::int64_t block_size, std::int64_t unroll, std::int64_t blocks_per_sm) {
  return {{"layout", names({"flat"})},
          {"block_size", numbers({block_size})},
          {"unroll", numbers({unroll})},
          {"blocks_per_sm", numbers({blocks_per_sm})}};
}

space::Partial rows(std::int64_t block_size, std::int64_t unroll, std::int64_t warps_per_row,
                    std::int64_t rows_per_warp) {
  return {{"layout", names({"rows"})},
          {"block_size", numbers({block_size})},
          {"unroll", numbers({unroll})},
          {"warps_per_row", numbers({warps_per_row})},
          {"rows_per_warp", numbers({rows_per_warp})},
          {"blocks_per_sm", numbers({0})}};
}

}  // namespace

space::Partial likely_at_large(std::string_view probe) {
  if (probe == "probe_read")
    return {{"block_size", numbers({256, 512})},
            {"unroll", numbers({2, 4})},
            {"warps_per_row", numbers({4, 8})},
            {"rows_per_warp", numbers({1})}};
  if (probe == "probe_copy")
    return {{"method", names({"tile", "bulk"})},
            {"block_size", numbers({128, 256})},
            {"unroll", numbers({1, 2})},
            {"load_hint", names({"plain", "no_allocate"})},
            {"store_hint", names({"plain", "no_allocate"})},
            {"stages", numbers({4, 8})},
            {"stage_bytes", numbers({8192, 16384})}};
  if (probe == "probe_mma_f16") return {{"chains", numbers({4, 8})}, {"block_size", numbers({128, 256})}};
  if (probe == "probe_l2") return {{"block_size", numbers({512, 1024})}, {"unroll", numbers({2, 4})}};
  return {};
}

std::vector<space::Partial> likely_at_size(std::string_view probe, int arch) {
  if (probe != "probe_read" || arch != 90) return {};
  return {flat(128, 2, 8),    flat(256, 4, 4),     flat(512, 2, 1),    flat(512, 2, 4),    flat(512, 8, 2),
          flat(512, 8, 4),    flat(1024, 8, 1),    rows(256, 2, 8, 1), rows(256, 4, 8, 1), rows(512, 1, 16, 4),
          rows(512, 2, 8, 1), rows(512, 2, 16, 1), rows(512, 4, 16, 1)};
}

}  // namespace tuner::tune
