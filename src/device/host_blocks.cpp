#include "device/host_blocks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace tuner::device {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ull;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

std::uint32_t volume(const tuner_simt::Index3& size) { return size.x * size.y * size.z; }

}  // namespace

HostBlocks::HostBlocks() {
  runtime_.position = &position_;
  runtime_.block_barrier = block_barrier;
  runtime_.warp_exchange = warp_exchange;
  runtime_.wide_barrier = wide_barrier;
  runtime_.peer_shared = peer_shared;
  runtime_.barrier_init = barrier_init;
  runtime_.barrier_arrive = barrier_arrive;
  runtime_.barrier_wait = barrier_wait;
  runtime_.bulk_copy = bulk_copy;
  runtime_.store_async = store_async;
  runtime_.misaligned = misaligned;
  runtime_.trap = trap;
  runtime_.wait_for_predecessor = wait_for_predecessor;
}

HostBlocks::~HostBlocks() = default;

void HostBlocks::begin(Work work) {
  work_ = std::move(work);
  threads_a_block_ = volume(work_.block_size);
  warps_a_block_ = (threads_a_block_ + warp_lanes - 1) / warp_lanes;
  blocks_a_cluster_ = volume(work_.cluster_size);
  const std::size_t blocks = work_.shared.dynamic.size(), threads = blocks * threads_a_block_;
  assert(threads_a_block_ >= 1 && threads <= HostStacks::most && blocks % blocks_a_cluster_ == 0);
  blocks_.resize(blocks);
  clusters_.resize(blocks / blocks_a_cluster_);
  threads_.resize(threads);
  ready_.resize(threads);
  arrived_.resize(blocks * warps_a_block_);
  shared_.begin(std::move(work_.shared));
  position_.block_size = work_.block_size;
  position_.grid_size = work_.grid_size;
  position_.cluster_size = work_.cluster_size;
  random_ = work_.order_seed;
  take_calls();
  in_thread_ = false;
  has_waited_ = false;
  is_open_ = true;
}

tuner_simt::Index3 HostBlocks::thread_index(std::uint32_t thread) const {
  const tuner_simt::Index3& size = work_.block_size;
  const std::uint32_t in_block = thread % threads_a_block_;
  return {in_block % size.x, in_block / size.x % size.y, in_block / size.x / size.y};
}

void HostBlocks::make_ready(std::uint32_t thread) {
  Block& block = block_of(thread);
  threads_[thread].state = State::ready;
  const std::uint32_t first = thread / threads_a_block_ * threads_a_block_;
  ready_[first + (block.first_ready + block.ready++) % threads_a_block_] = thread;
}

// In order; where shuffled: for every third seed the thread that became ready last, else any.
std::uint32_t HostBlocks::next_ready(std::uint32_t number) {
  Block& block = blocks_[number];
  std::uint32_t* const ring = &ready_[number * threads_a_block_];
  --block.ready;
  if (work_.order_seed % 3 == 1) return ring[(block.first_ready + block.ready) % threads_a_block_];
  if (work_.order_seed != 0) {
    const std::uint64_t pick = next_random(random_) % (block.ready + 1);
    std::swap(ring[block.first_ready], ring[(block.first_ready + pick) % threads_a_block_]);
  }
  const std::uint32_t thread = ring[block.first_ready];
  block.first_ready = (block.first_ready + 1) % threads_a_block_;
  return thread;
}

// One with threads that are ready; the number of blocks when there is none. In order, or odd: the last one first, or
// any.
std::uint32_t HostBlocks::next_block() {
  const auto count = static_cast<std::uint32_t>(blocks_.size());
  const std::uint32_t first =
      work_.order_seed == 0 || count == 1 ? 0 : static_cast<std::uint32_t>(next_random(random_) % count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t block = (work_.order_seed % 3 == 1 ? count - 1 - i : first + i) % count;
    if (blocks_[block].ready > 0) return block;
  }
  return count;
}

bool HostBlocks::run(int pattern) {
  stacks_.reclaim();
  shared_.overwrite(pattern);
  reason_ = Reason::none;
  what_ = "";
  finished_ = at_grid_ = 0;
  bulk_.begin(work_.order_seed);
  std::fill(arrived_.begin(), arrived_.end(), 0u);
  std::fill(clusters_.begin(), clusters_.end(), Cluster{});
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    threads_[i] = {};
    make_ready(i);
  }
  while (finished_ < blocks_.size()) {
    const std::uint32_t next = next_block();
    if (next < blocks_.size()) {
      if (!run_block(next)) return false;
    } else if (!release_grid() && !receive()) {
      reason_ = Reason::divergent_barrier;
      return false;
    }
  }
  if (bulk_.idle()) return true;
  reason_ = Reason::fault;
  what_ = "and all others left while bulk copies to their shared memory were on their way";
  return false;
}

// Until it ends, or waits for other blocks or for nothing that comes. False: something is wrong.
bool HostBlocks::run_block(std::uint32_t block) {
  shared_.enter(block);
  runtime_.dynamic_shared = shared_.dynamic();
  position_.block = blocks_[block].index;
  position_.cluster_rank = block % blocks_a_cluster_;
  blocks_[block].started = true;
  while (blocks_[block].ready > 0 || end_predecessor(block) || release_block(block)) {
    resume(next_ready(block));
    if (reason_ != Reason::none) return false;
  }
  return true;
}

void HostBlocks::resume(std::uint32_t thread) {
  Thread& next = threads_[thread];
  if (next.context == nullptr) {
    next.stack = stacks_.take();
    next.context = make_fcontext(stacks_.top(next.stack), HostStacks::stack_bytes, enter);
  }
  current_ = thread;
  position_.thread = thread_index(thread);
  position_.lane = lane_of(thread);
  set_gate(next.waited);
  in_thread_ = true;
  next.context = jump_fcontext(next.context, this).fctx;
  if (next.state != State::finished) return;
  Block& block = block_of(thread);
  if (++block.finished == threads_a_block_) ++finished_;
  stacks_.give_back(next.stack);
}

void HostBlocks::enter(transfer_t from) {
  auto& self = *static_cast<HostBlocks*>(from.data);
  self.scheduler_ = from.fctx;
  self.work_.call(self.work_.arguments);
  self.threads_[self.current_].state = State::finished;
  self.switch_out();
}

void HostBlocks::switch_out() {
  in_thread_ = false;
  scheduler_ = jump_fcontext(scheduler_, nullptr).fctx;
}

void HostBlocks::stop(Reason reason, const char* what) {
  reason_ = reason;
  what_ = what;
  switch_out();
  __builtin_unreachable();
}

}  // namespace tuner::device
