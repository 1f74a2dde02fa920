// The threads of the blocks that live at once, each a fiber, run in an order that can be shuffled; barriers and warp
// operations between them. Blocks live at once where they can wait for each other: those of a cluster, and all of a
// cooperative grid. One such set at a time in a process thread.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/simt_abi.h"
#include "core/trial.h"
#include "device/host_bulk.h"
#include "device/host_shared.h"
#include "device/host_stacks.h"

namespace tuner::device {

// "block (3,0,0) thread (5,0,0)".
std::string position_text(const tuner_simt::Position& position);

class HostBlocks {
 public:
  static constexpr std::uint32_t warp_lanes = 32;

  struct Work {
    void (*call)(void* const* arguments) = nullptr;
    void* const* arguments = nullptr;
    tuner_simt::Index3 grid_size{}, block_size{}, cluster_size{1, 1, 1};
    bool cooperative = false;
    std::uint64_t order_seed = 0;  // 0: threads run in order; else in one that it picks
    HostShared::Memory shared;     // its dynamic memories are as many as blocks live at once
    // Shuts (false) and opens what only threads that have waited for the predecessor may touch; it is open at first.
    // Empty: there is no predecessor.
    std::function<void(bool open)> gate = {};
  };

  HostBlocks();
  HostBlocks(const HostBlocks&) = delete;
  HostBlocks& operator=(const HostBlocks&) = delete;
  ~HostBlocks();

  // What a shared object calls; lives as long as this.
  const tuner_simt::Runtime* runtime() const { return &runtime_; }

  // Before the blocks of a launch: at most 1024 threads a block, HostStacks::most in all that live at once.
  void begin(Work work);
  // Which block of the grid is number `block` of those that live: cluster after cluster, in order of their ranks.
  void place(std::int64_t block, tuner_simt::Index3 index) { blocks_[static_cast<std::size_t>(block)] = {index}; }
  // Runs the blocks, each placed anew, to their end. False: they cannot end; see reason() and detail(). `pattern` is
  // the byte that shared memory holds before.
  bool run(int pattern);
  Reason reason() const { return reason_; }
  std::string detail() const;

  // Whether a thread has waited for the predecessor, since begin().
  bool has_waited() const { return has_waited_; }
  // Whether the thread that runs, or ran last, may touch what is gated.
  bool is_open() const { return is_open_; }

  // The thread that runs, or ran last.
  const tuner_simt::Position& position() const { return position_; }
  // True while a thread's own code runs; read by signal handlers.
  const volatile bool& in_thread() const { return in_thread_; }
  const HostStacks& stacks() const { return stacks_; }

 private:
  enum class State : std::uint8_t { ready, at_block, at_warp, at_cluster, at_grid, at_phase, at_predecessor, finished };
  struct Thread {
    boost::context::detail::fcontext_t context = nullptr;  // null before its first instruction
    int stack = -1;
    State state = State::ready;
    bool arrived = false;  // at the cluster barrier, which it has not waited for
    bool waited = false;   // for the predecessor
    // What it waits for, what it brought and what it gets.
    tuner_simt::BlockOp block_op = tuner_simt::block_sync;
    tuner_simt::WarpOp warp_op = tuner_simt::warp_sync;
    int line = 0;
    int cluster_line = 0;
    unsigned mask = 0;
    unsigned source_lane = 0;
    std::size_t barrier = 0;  // the mbarrier, the phase of this parity of which it waits for
    unsigned parity = 0;
    unsigned phase = 0;  // of the cluster barrier: how many of them had opened when it arrived
    std::uint64_t value = 0;
    std::uint64_t result = 0;
  };
  // One of the blocks that live; its threads are those from number * threads_a_block_ on.
  struct Block {
    tuner_simt::Index3 index{};
    std::uint32_t first_ready = 0;  // in its part of ready_
    std::uint32_t ready = 0;
    std::uint32_t finished = 0;
    std::uint32_t at_block = 0;
    std::uint32_t at_predecessor = 0;
    bool started = false;
  };
  struct Cluster {
    std::uint32_t arrived = 0;
    unsigned opened = 0;
  };

  static void enter(boost::context::detail::transfer_t from);
  static int block_barrier(tuner_simt::BlockOp op, int predicate, int line);
  static unsigned long long warp_exchange(tuner_simt::WarpOp op, unsigned mask, unsigned long long value,
                                          unsigned source_lane);
  static void wide_barrier(tuner_simt::WideOp op, int line);
  static void* peer_shared(const void* own, unsigned rank, int bytes);
  static void barrier_init(unsigned long long* barrier, unsigned arrivals);
  static void barrier_arrive(unsigned long long* barrier, unsigned long long expected_bytes);
  static void barrier_wait(unsigned long long* barrier, unsigned parity, int line);
  static void store_async(void* own, unsigned rank, const void* value, unsigned bytes, unsigned long long* barrier);
  static void bulk_copy(void* to, const void* from, unsigned bytes, unsigned long long* barrier);
  static void misaligned(const void* address, int bytes);
  static void trap(const char* what);
  static void wait_for_predecessor();

  Block& block_of(std::uint32_t thread) { return blocks_[thread / threads_a_block_]; }
  std::uint32_t lane_of(std::uint32_t thread) const { return thread % threads_a_block_ % warp_lanes; }
  unsigned warp_of(std::uint32_t thread) const {
    return thread / threads_a_block_ * warps_a_block_ + thread % threads_a_block_ / warp_lanes;
  }
  tuner_simt::Index3 thread_index(std::uint32_t thread) const;
  void take_calls();  // what the shared objects call comes here
  void make_ready(std::uint32_t thread);
  std::uint32_t next_ready(std::uint32_t number);
  std::uint32_t next_block();
  bool run_block(std::uint32_t block);
  void resume(std::uint32_t thread);
  void switch_out();
  [[noreturn]] void stop(Reason reason, const char* what);
  bool release_block(std::uint32_t block);
  bool end_predecessor(std::uint32_t block);
  void set_gate(bool open);
  bool release_grid();
  std::size_t made(unsigned long long* barrier);
  bool end_phases();
  bool receive();
  void arrive_at_cluster(int line);
  void wait_for_cluster();
  bool complete_warp(unsigned warp, unsigned mask) const;
  void release_warp(unsigned warp, unsigned mask);
  std::string divergence() const;

  tuner_simt::Runtime runtime_{};
  Work work_;
  HostStacks stacks_;
  HostShared shared_;
  HostBulk bulk_;
  std::vector<Block> blocks_;
  std::vector<Cluster> clusters_;
  std::vector<Thread> threads_;
  std::vector<unsigned> arrived_;     // by warp: lanes that wait in a warp operation
  std::vector<std::uint32_t> ready_;  // a ring for each block
  std::uint32_t threads_a_block_ = 0;
  std::uint32_t warps_a_block_ = 0;
  std::uint32_t blocks_a_cluster_ = 1;
  std::uint32_t finished_ = 0;  // blocks
  std::uint32_t at_grid_ = 0;
  std::uint32_t current_ = 0;  // thread
  bool has_waited_ = false;
  bool is_open_ = true;
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
