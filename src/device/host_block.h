// The threads of one block, each a fiber, run in an order that can be shuffled; barriers and warp operations between
// them. One block at a time in a process thread.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/simt_abi.h"
#include "core/trial.h"
#include "device/host_stacks.h"

namespace tuner::device {

// "block (3,0,0) thread (5,0,0)".
std::string position_text(const tuner_simt::Position& position);

class HostBlock {
 public:
  struct Work {
    void (*call)(void* const* arguments) = nullptr;
    void* const* arguments = nullptr;
    tuner_simt::Index3 grid_size{}, block_size{};
    std::uint64_t order_seed = 0;  // 0: threads run in order; else in one that it picks
    char* dynamic_shared = nullptr;
  };

  HostBlock();
  HostBlock(const HostBlock&) = delete;
  HostBlock& operator=(const HostBlock&) = delete;
  ~HostBlock();

  // What a shared object calls; lives as long as this.
  const tuner_simt::Runtime* runtime() const { return &runtime_; }

  // Before the blocks of a launch; at most 1024 threads a block.
  void begin(const Work& work);
  // Runs one block to its end. False: it cannot end; see reason() and detail().
  bool run(tuner_simt::Index3 block);
  Reason reason() const { return reason_; }
  std::string detail() const;

  // The thread that runs, or ran last.
  const tuner_simt::Position& position() const { return position_; }
  // True while a thread's own code runs; read by signal handlers.
  const volatile bool& in_thread() const { return in_thread_; }
  const HostStacks& stacks() const { return stacks_; }

 private:
  enum class State : std::uint8_t { ready, at_block, at_warp, finished };
  struct Thread {
    boost::context::detail::fcontext_t context = nullptr;  // null before its first instruction
    int stack = -1;
    State state = State::ready;
    // What it waits for, what it brought and what it gets.
    tuner_simt::BlockOp block_op = tuner_simt::block_sync;
    tuner_simt::WarpOp warp_op = tuner_simt::warp_sync;
    int line = 0;
    unsigned mask = 0;
    unsigned source_lane = 0;
    std::uint64_t value = 0;
    std::uint64_t result = 0;
  };

  static void enter(boost::context::detail::transfer_t from);
  static int block_barrier(tuner_simt::BlockOp op, int predicate, int line);
  static unsigned long long warp_exchange(tuner_simt::WarpOp op, unsigned mask, unsigned long long value,
                                          unsigned source_lane);
  static void misaligned(const void* address, int bytes);
  static void trap(const char* what);

  void make_ready(std::uint32_t thread);
  std::uint32_t next_ready();
  void resume(std::uint32_t thread);
  void switch_out();
  [[noreturn]] void stop(Reason reason, const char* what);
  bool release_block();
  bool complete_warp(unsigned warp, unsigned mask) const;
  void release_warp(unsigned warp, unsigned mask);
  std::string divergence() const;

  tuner_simt::Runtime runtime_{};
  Work work_;
  HostStacks stacks_;
  std::vector<Thread> threads_;
  std::vector<unsigned> arrived_;     // by warp: lanes that wait in a warp operation
  std::vector<std::uint32_t> ready_;  // a ring
  std::uint32_t count_ = 0;           // threads of the block
  std::uint32_t first_ready_ = 0;
  std::uint32_t ready_count_ = 0;
  std::uint32_t finished_ = 0;
  std::uint32_t at_block_ = 0;
  std::uint32_t current_ = 0;
  std::uint64_t random_ = 0;
  boost::context::detail::fcontext_t scheduler_ = nullptr;
  tuner_simt::Position position_{};
  volatile bool in_thread_ = false;
  Reason reason_ = Reason::none;
  const char* what_ = "";
  std::uint64_t at_address_ = 0;
  int at_bytes_ = 0;
};

}  // namespace tuner::device
