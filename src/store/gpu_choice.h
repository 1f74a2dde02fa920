// Which GPUs a look-up is about.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/lookup.h"

namespace tuner::store {

// Case-blind (ASCII).
bool contains_blind(std::string_view text, std::string_view part);

// The names of `here` and of every GPU that has rows, once each, without "host".
std::vector<std::string> gpu_names(const std::vector<Entry>& entries, const std::optional<GpuFacts>& here);

// What tells models of one name apart: "NVIDIA H200 (sm_90, 132 SMs, 141 GiB)", with its MIG profile where it has one.
std::string described(const GpuFacts& gpu);

// Whether this is a case-blind part of its name, or of its description with the bracket.
bool is_called(const GpuFacts& gpu, std::string_view part);

// Query::gpu over the GPUs of `entries` and `here`: a name or description that equals it, else the only one that
// contains it, else an architecture ("sm_90"). Without it: here, else every GPU that has rows. Emulated rows count only
// for "host". A GPU with no name stands for "none is known". Throws UserError that lists, for none and for several.
std::vector<GpuFacts> choose_gpus(const Query& query, const std::vector<Entry>& entries);

}  // namespace tuner::store
