// The shared memory of the blocks that live at once on the host device. A module's static shared memory is in one
// place: it holds that of the block whose threads run, and that of the others is kept beside it.
#pragma once

#include <cstdint>
#include <vector>

namespace tuner::device {

class HostShared {
 public:
  struct Memory {
    char* static_begin = nullptr;
    std::int64_t static_bytes = 0;
    std::vector<char*> dynamic;  // of each block that lives at once
    std::int64_t dynamic_bytes = 0;
  };

  // Before the blocks of a launch; the other functions allocate nothing.
  void begin(Memory memory);
  // All of it, of all blocks.
  void overwrite(int byte);
  // From here on block `block` of those that live is the one that runs.
  void enter(std::size_t block);
  char* dynamic() const { return memory_.dynamic[current_]; }
  // The address that `own`, which is one of the block that runs, has while block `block` does.
  char* while_running(void* own, std::size_t block);
  // What block `block` has at the address that `own` is in the shared memory of the block that runs, until another
  // block runs; null where the `bytes` from there on are not all in one of its memories.
  char* of_block(const void* own, std::size_t block, std::int64_t bytes);

 private:
  char* kept(std::size_t block) { return first_kept_ + block * stride_; }

  Memory memory_;
  std::vector<char>
      kept_;  // the static memory of every block, aligned as in its place; the current one's is out of date
  char* first_kept_ = nullptr;
  std::size_t stride_ = 0;
  std::size_t current_ = 0;
};

}  // namespace tuner::device
