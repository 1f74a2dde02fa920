// Loops over the CPUs that this process may use.
#pragma once

#include <cstdint>
#include <functional>

namespace tuner::measure {

// Calls body(i) for every i below `count`, in no order, on all usable CPUs, `grain` of them in a row on each.
void parallel(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t)>& body);

// The same in pieces of `elements`: body(piece, begin, end), none empty. Pieces are numbered from 0.
void parallel_pieces(std::int64_t elements,
                     const std::function<void(std::int64_t piece, std::int64_t begin, std::int64_t end)>& body);
inline constexpr std::int64_t piece_elements = std::int64_t{1} << 16;
constexpr std::int64_t pieces_of(std::int64_t elements) { return (elements + piece_elements - 1) / piece_elements; }

// Of this process, where it may use fewer CPUs than its affinity says; 0: as many as that.
void limit_threads(int threads);

}  // namespace tuner::measure
