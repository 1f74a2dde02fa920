// The mbarriers of the blocks that live at once on the host device, and what completes on them: bulk copies, and stores
// to another block. Both arrive as late as they can: until then their destination holds a pattern, so that who reads
// too early, or still reads what is written over, gets a wrong result.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tuner::device {

class HostBulk {
 public:
  HostBulk();

  // Before the blocks: no barrier is known and nothing is on its way. The order in which copies arrive depends on
  // `seed`.
  void begin(std::uint64_t seed);

  // What a thread does; allocates nothing. Each gives what is wrong with it, null: nothing. A barrier in shared memory
  // holds its number.
  const char* init(std::uint64_t* barrier, unsigned arrivals);
  const char* find(const std::uint64_t* barrier, std::size_t& number) const;
  // One arrival; the phase also waits for `bytes` more that copies bring.
  const char* arrive(std::size_t barrier, std::uint64_t bytes);
  // `block`: whose shared memory it is.
  const char* copy(void* to, const void* from, unsigned bytes, std::size_t barrier, std::size_t block);

  // Of at most 16 bytes. `now`: where `to`, an address while block `block` runs, is at present.
  const char* store(void* to, void* now, const void* value, unsigned bytes, std::size_t barrier, std::size_t block);

  // Whether the phase of this parity is over.
  bool passed(std::size_t barrier, unsigned parity) const { return barriers_[barrier].parity != (parity & 1u); }
  // Whether a phase has ended since this was last asked.
  bool take_ended();
  // Picks one of the copies that are on their way, and whose memory it goes to. False: there is none.
  bool choose(std::size_t& block);
  // Completes the one that was picked.
  void deliver();
  bool idle() const { return copies_.empty(); }
  // "1 of 8 arrivals and 512 bytes are missing".
  std::string missing(std::size_t barrier) const;

 private:
  struct Barrier {
    unsigned arrivals = 0;  // of a phase
    unsigned left = 0;
    std::int64_t bytes = 0;  // expected less what has come
    unsigned parity = 0;     // of the phase that has not ended
  };
  struct Copy {
    void* to;
    const void* from;  // null: `value`
    unsigned bytes;
    std::size_t barrier, block;
    std::array<char, 16> value = {};
  };

  void end_phase_of(Barrier& barrier);

  std::vector<Barrier> barriers_;
  std::vector<Copy> copies_;
  std::size_t chosen_ = 0;
  std::uint64_t random_ = 0;
  bool shuffled_ = false;
  bool ended_ = false;
};

}  // namespace tuner::device
