#include "device/host_bulk.h"

#include <fmt/core.h>

#include <cstring>
#include <utility>

namespace tuner::device {
namespace {

// Reserved, so that nothing allocates while a thread runs: it may be left at any instruction.
constexpr std::size_t most_barriers = 1 << 16;
constexpr std::size_t most_copies = 1 << 16;

constexpr std::uint64_t mark = 0x6d62617200000000ull;  // in the upper half of every barrier
constexpr std::uint64_t number_bits = 0xffffffffull;
constexpr int on_its_way = 0x7f;  // fills the destination of a copy: a NaN of f16, large numbers of the other types

bool aligned(const void* address) { return reinterpret_cast<std::uint64_t>(address) % 16 == 0; }

}  // namespace

HostBulk::HostBulk() {
  barriers_.reserve(most_barriers);
  copies_.reserve(most_copies);
}

void HostBulk::begin(std::uint64_t seed) {
  barriers_.clear();
  copies_.clear();
  random_ = seed;
  shuffled_ = seed != 0;
  ended_ = false;
}

const char* HostBulk::init(std::uint64_t* barrier, unsigned arrivals) {
  if (reinterpret_cast<std::uint64_t>(barrier) % 8 != 0) return "has an mbarrier at no multiple of 8 bytes";
  if (arrivals == 0 || arrivals >= 1u << 20) return "makes an mbarrier of no arrivals, or of 2^20 and more";
  if (barriers_.size() == most_barriers) return "makes more mbarriers than the host device has";
  *barrier = mark | barriers_.size();
  barriers_.push_back({arrivals, arrivals, 0, 0});
  return nullptr;
}

void HostBulk::end_phase_of(Barrier& barrier) {
  if (barrier.left != 0 || barrier.bytes != 0) return;
  barrier.left = barrier.arrivals;
  barrier.parity ^= 1u;
  ended_ = true;
}

const char* HostBulk::find(const std::uint64_t* barrier, std::size_t& number) const {
  number = *barrier & number_bits;
  return (*barrier & ~number_bits) == mark && number < barriers_.size() ? nullptr
                                                                        : "uses an mbarrier that was not made";
}

const char* HostBulk::arrive(std::size_t barrier, std::uint64_t bytes) {
  Barrier& at = barriers_[barrier];
  if (at.left == 0) return "arrives at an mbarrier more often than a phase of it counts";
  at.bytes += static_cast<std::int64_t>(bytes);
  --at.left;
  end_phase_of(at);
  return nullptr;
}

const char* HostBulk::copy(void* to, const void* from, unsigned bytes, std::size_t barrier, std::size_t block) {
  if (!aligned(to) || !aligned(from) || bytes % 16 != 0)
    return "copies in bulk, but addresses and size are not all multiples of 16 bytes";
  if (copies_.size() == most_copies) return "has more bulk copies on their way than the host device can";
  if (bytes == 0) return nullptr;
  // Touched while the thread runs, so that an address that is wrong is its fault.
  const auto* first = static_cast<const volatile char*>(from);
  static_cast<void>(first[0]);
  static_cast<void>(first[bytes - 1]);
  std::memset(to, on_its_way, bytes);
  copies_.push_back({to, from, bytes, barrier, block, {}});
  return nullptr;
}

const char* HostBulk::store(void* to, void* now, const void* value, unsigned bytes, std::size_t barrier,
                            std::size_t block) {
  if (copies_.size() == most_copies) return "has more asynchronous stores on their way than the host device can";
  Copy store{to, nullptr, bytes, barrier, block, {}};
  std::memcpy(store.value.data(), value, bytes);
  std::memset(now, on_its_way, bytes);
  copies_.push_back(store);
  return nullptr;
}

bool HostBulk::take_ended() { return std::exchange(ended_, false); }

// In order; where shuffled: any.
bool HostBulk::choose(std::size_t& block) {
  if (copies_.empty()) return false;
  chosen_ = 0;
  if (shuffled_) {
    random_ = random_ * 6364136223846793005ull + 1442695040888963407ull;
    chosen_ = (random_ >> 33) % copies_.size();
  }
  block = copies_[chosen_].block;
  return true;
}

void HostBulk::deliver() {
  const Copy copy = copies_[chosen_];
  copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(chosen_));
  std::memcpy(copy.to, copy.from != nullptr ? copy.from : copy.value.data(), copy.bytes);
  Barrier& barrier = barriers_[copy.barrier];
  barrier.bytes -= copy.bytes;
  end_phase_of(barrier);
}

std::string HostBulk::missing(std::size_t barrier) const {
  const Barrier& at = barriers_[barrier];
  if (at.bytes < 0)
    return fmt::format("{} of {} arrivals are missing, {} bytes are not expected", at.left, at.arrivals, -at.bytes);
  return fmt::format("{} of {} arrivals and {} bytes are missing", at.left, at.arrivals, at.bytes);
}

}  // namespace tuner::device
