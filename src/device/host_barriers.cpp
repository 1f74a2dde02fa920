// What kernels call, and which of their threads may go on then.
#include <fmt/core.h>

#include <algorithm>

#include "device/host_blocks.h"

namespace tuner::device {
namespace {

constexpr std::uint32_t warp_lanes = HostBlocks::warp_lanes;
constexpr std::uint64_t no_lane = 0xdeadbeefdeadbeefull;  // a shuffle from a lane that takes no part

// The blocks whose threads run here: what the shared object calls has no other way to them.
thread_local HostBlocks* running = nullptr;

std::string index_text(const tuner_simt::Index3& i) { return fmt::format("({},{},{})", i.x, i.y, i.z); }

}  // namespace

std::string position_text(const tuner_simt::Position& position) {
  return fmt::format("block {} thread {}", index_text(position.block), index_text(position.thread));
}

void HostBlocks::take_calls() { running = this; }

int HostBlocks::block_barrier(tuner_simt::BlockOp op, int predicate, int line) {
  HostBlocks& self = *running;
  Thread& thread = self.threads_[self.current_];
  thread.block_op = op;
  thread.value = predicate != 0;
  thread.line = line;
  thread.state = State::at_block;
  ++self.block_of(self.current_).at_block;
  self.switch_out();
  return static_cast<int>(thread.result);
}

// False when the barrier cannot open: somebody left, or waits elsewhere.
bool HostBlocks::release_block(std::uint32_t block) {
  const std::uint32_t begin = block * threads_a_block_, end = begin + threads_a_block_;
  const Thread& first = threads_[begin];
  if (blocks_[block].at_block != threads_a_block_) return false;
  std::uint64_t sum = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    if (threads_[i].line != first.line || threads_[i].block_op != first.block_op) return false;
    sum += threads_[i].value;
  }
  const std::uint64_t result = first.block_op == tuner_simt::block_count ? sum
                               : first.block_op == tuner_simt::block_and ? sum == threads_a_block_
                                                                         : sum != 0;
  blocks_[block].at_block = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    threads_[i].result = result;
    make_ready(i);
  }
  return true;
}

void HostBlocks::set_gate(bool open) {
  if (!work_.gate || open == is_open_) return;
  is_open_ = open;
  work_.gate(open);
}

// The threads of a block go on together, once nobody can run without: the gate then turns twice a block.
void HostBlocks::wait_for_predecessor() {
  HostBlocks& self = *running;
  Thread& thread = self.threads_[self.current_];
  self.has_waited_ = true;
  if (!self.work_.gate || thread.waited) return;
  thread.state = State::at_predecessor;
  ++self.block_of(self.current_).at_predecessor;
  self.switch_out();
}

bool HostBlocks::end_predecessor(std::uint32_t block) {
  if (blocks_[block].at_predecessor == 0) return false;
  blocks_[block].at_predecessor = 0;
  for (std::uint32_t i = block * threads_a_block_; i < (block + 1) * threads_a_block_; ++i) {
    if (threads_[i].state != State::at_predecessor) continue;
    threads_[i].waited = true;
    make_ready(i);
  }
  return true;
}

void HostBlocks::wide_barrier(tuner_simt::WideOp op, int line) {
  HostBlocks& self = *running;
  if (op == tuner_simt::cluster_arrive) return self.arrive_at_cluster(line);
  if (op == tuner_simt::cluster_wait) return self.wait_for_cluster();
  if (!self.work_.cooperative)
    self.stop(Reason::fault, "waits for the whole grid, which is not launched cooperatively");
  Thread& thread = self.threads_[self.current_];
  thread.line = line;
  thread.state = State::at_grid;
  ++self.at_grid_;
  self.switch_out();
}

bool HostBlocks::release_grid() {
  if (at_grid_ != threads_.size()) return false;
  for (const Thread& thread : threads_)
    if (thread.line != threads_[0].line) return false;
  at_grid_ = 0;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) make_ready(i);
  return true;
}

void HostBlocks::arrive_at_cluster(int line) {
  const std::uint32_t number = current_ / threads_a_block_ / blocks_a_cluster_;
  Cluster& cluster = clusters_[number];
  Thread& thread = threads_[current_];
  if (thread.arrived) stop(Reason::fault, "arrives at the cluster barrier again and has not waited for it");
  thread.arrived = true;
  thread.phase = cluster.opened;
  thread.cluster_line = line;
  const std::uint32_t threads = blocks_a_cluster_ * threads_a_block_, begin = number * threads;
  if (++cluster.arrived < threads) return;
  cluster.arrived = 0;
  ++cluster.opened;
  for (std::uint32_t i = begin; i < begin + threads; ++i) {
    const std::uint32_t lane = lane_of(i);
    if (threads_[i].cluster_line != threads_[i - lane].cluster_line) {
      position_.block = block_of(i).index;
      position_.thread = thread_index(i);
      stop(Reason::divergent_barrier, "arrives at the cluster barrier on another line than its warp");
    }
    if (threads_[i].state == State::at_cluster) make_ready(i);
  }
}

void HostBlocks::wait_for_cluster() {
  Thread& thread = threads_[current_];
  if (!thread.arrived) stop(Reason::fault, "waits for the cluster barrier and has not arrived at it");
  thread.arrived = false;
  if (clusters_[current_ / threads_a_block_ / blocks_a_cluster_].opened != thread.phase) return;
  thread.state = State::at_cluster;
  switch_out();
}

void* HostBlocks::peer_shared(const void* own, unsigned rank, int bytes) {
  HostBlocks& self = *running;
  if (rank >= self.blocks_a_cluster_) self.stop(Reason::fault, "names a block that its cluster does not have");
  const std::uint32_t block = self.current_ / self.threads_a_block_;
  const std::uint32_t peer = block - block % self.blocks_a_cluster_ + rank;
  if (!self.blocks_[peer].started)
    self.stop(Reason::missing_barrier, "touches the shared memory of a block of its cluster that may not have begun");
  if (self.blocks_[peer].finished == self.threads_a_block_)
    self.stop(Reason::missing_barrier, "touches the shared memory of a block of its cluster that may have ended");
  char* const there = self.shared_.of_block(own, peer, bytes);
  if (there == nullptr) self.stop(Reason::fault, "touches what is not all in the shared memory of its block");
  return there;
}

std::size_t HostBlocks::made(unsigned long long* barrier) {
  std::size_t number = 0;
  const char* const wrong = bulk_.find(reinterpret_cast<std::uint64_t*>(barrier), number);
  if (wrong != nullptr) stop(Reason::fault, wrong);
  return number;
}

void HostBlocks::barrier_init(unsigned long long* barrier, unsigned arrivals) {
  static_assert(sizeof *barrier == sizeof(std::uint64_t));
  const char* const wrong = running->bulk_.init(reinterpret_cast<std::uint64_t*>(barrier), arrivals);
  if (wrong != nullptr) running->stop(Reason::fault, wrong);
}

void HostBlocks::barrier_arrive(unsigned long long* barrier, unsigned long long expected_bytes) {
  const char* const wrong = running->bulk_.arrive(running->made(barrier), expected_bytes);
  if (wrong != nullptr) running->stop(Reason::fault, wrong);
  running->end_phases();
}

void HostBlocks::bulk_copy(void* to, const void* from, unsigned bytes, unsigned long long* barrier) {
  HostBlocks& self = *running;
  const std::size_t block = self.current_ / self.threads_a_block_;
  const char* const wrong = self.bulk_.copy(to, from, bytes, self.made(barrier), block);
  if (wrong != nullptr) self.stop(Reason::fault, wrong);
}

void HostBlocks::store_async(void* own, unsigned rank, const void* value, unsigned bytes, unsigned long long* barrier) {
  HostBlocks& self = *running;
  void* const now = peer_shared(own, rank, static_cast<int>(bytes));
  const std::size_t number = self.made(static_cast<unsigned long long*>(peer_shared(barrier, rank, sizeof *barrier)));
  const std::size_t block = self.current_ / self.threads_a_block_;
  const std::size_t peer = block - block % self.blocks_a_cluster_ + rank;
  const char* const wrong = self.bulk_.store(self.shared_.while_running(own, peer), now, value, bytes, number, peer);
  if (wrong != nullptr) self.stop(Reason::fault, wrong);
}

void HostBlocks::barrier_wait(unsigned long long* barrier, unsigned parity, int line) {
  HostBlocks& self = *running;
  Thread& thread = self.threads_[self.current_];
  thread.barrier = self.made(barrier);
  thread.parity = parity;
  thread.line = line;
  if (self.bulk_.passed(thread.barrier, parity)) return;
  thread.state = State::at_phase;
  self.switch_out();
}

// Whoever waits for a phase that is over goes on. False: nobody did.
bool HostBlocks::end_phases() {
  bool any = false;
  if (!bulk_.take_ended()) return any;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    const Thread& thread = threads_[i];
    if (thread.state != State::at_phase || !bulk_.passed(thread.barrier, thread.parity)) continue;
    make_ready(i);
    any = true;
  }
  return any;
}

// Lets copies arrive until a thread can go on. False: none can.
bool HostBlocks::receive() {
  for (std::size_t block = 0; bulk_.choose(block);) {
    shared_.enter(block);
    set_gate(true);  // whoever asked for it had waited
    bulk_.deliver();
    if (end_phases()) return true;
  }
  return false;
}

unsigned long long HostBlocks::warp_exchange(tuner_simt::WarpOp op, unsigned mask, unsigned long long value,
                                             unsigned source_lane) {
  HostBlocks& self = *running;
  const unsigned lane = self.position_.lane, warp = self.warp_of(self.current_);
  if ((mask >> lane & 1u) == 0) self.stop(Reason::fault, "is not in the mask that it gives to a warp operation");
  Thread& thread = self.threads_[self.current_];
  thread.warp_op = op;
  thread.mask = mask;
  thread.value = value;
  thread.source_lane = source_lane;
  thread.state = State::at_warp;
  self.arrived_[warp] |= 1u << lane;
  if (self.complete_warp(warp, mask)) self.release_warp(warp, mask);
  self.switch_out();
  return thread.result;
}

bool HostBlocks::complete_warp(unsigned warp, unsigned mask) const {
  if ((arrived_[warp] & mask) != mask) return false;
  const Thread& mine = threads_[current_];
  const Thread* const lanes = &threads_[current_ - position_.lane];
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    const Thread& other = lanes[lane];
    if (other.warp_op != mine.warp_op || other.mask != mask) return false;
  }
  return true;
}

void HostBlocks::release_warp(unsigned warp, unsigned mask) {
  const std::uint32_t first = current_ - position_.lane;
  Thread* const lanes = &threads_[first];
  std::uint64_t ballot = 0;
  for (unsigned lane = 0; lane < warp_lanes; ++lane)
    if ((mask >> lane & 1u) != 0 && lanes[lane].value != 0) ballot |= std::uint64_t{1} << lane;
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    Thread& thread = lanes[lane];
    const bool inside = thread.source_lane < warp_lanes && (mask >> thread.source_lane & 1u) != 0;
    thread.result = thread.warp_op == tuner_simt::warp_ballot ? ballot
                    : inside                                  ? lanes[thread.source_lane].value
                                                              : no_lane;
    make_ready(first + lane);
  }
  arrived_[warp] &= ~mask;
}

void HostBlocks::misaligned(const void* address, int bytes) {
  running->at_address_ = reinterpret_cast<std::uint64_t>(address);
  running->at_bytes_ = bytes;
  running->stop(Reason::fault, "");
}

void HostBlocks::trap(const char* what) { running->stop(Reason::fault, what); }

std::string HostBlocks::detail() const {
  if (what_[0] != '\0') return fmt::format("{} {}", position_text(position_), what_);
  if (reason_ == Reason::divergent_barrier) return divergence();
  return fmt::format("{} reads {} bytes at address {:#x}, which is not a multiple of {}", position_text(position_),
                     at_bytes_, at_address_, at_bytes_);
}

// Threads that wait within their block are the cause of those that wait for other blocks.
std::string HostBlocks::divergence() const {
  const auto is = [](State state) { return [state](const Thread& t) { return t.state == state; }; };
  const auto in_block = [](const Thread& t) {
    return t.state == State::at_block || t.state == State::at_warp || t.state == State::at_phase;
  };
  const auto in_any = [](const Thread& t) { return t.state != State::ready && t.state != State::finished; };
  auto first = std::find_if(threads_.begin(), threads_.end(), in_block);
  std::uint32_t together = threads_a_block_;
  if (first == threads_.end()) {
    first = std::find_if(threads_.begin(), threads_.end(), in_any);
    const bool at_cluster = std::any_of(threads_.begin(), threads_.end(), is(State::at_cluster));
    together = at_cluster ? blocks_a_cluster_ * threads_a_block_ : static_cast<std::uint32_t>(threads_.size());
    if (at_cluster) first = std::find_if(threads_.begin(), threads_.end(), is(State::at_cluster));
  }
  const auto number = static_cast<std::uint32_t>(first - threads_.begin());
  const Thread* const begin = &threads_[number / together * together];
  const auto count = [&](State state) { return std::count_if(begin, begin + together, is(state)); };
  std::string text =
      fmt::format("in block {}, thread {} and others wait for threads that do not come:",
                  index_text(blocks_[number / threads_a_block_].index), index_text(thread_index(number)));
  const auto barrier = [&](State state, const char* name, int line) {
    if (const auto there = count(state); there > 0)
      text += fmt::format(" {} of {} at {} (line {}),", there, together, name, line);
  };
  barrier(State::at_block, "a block barrier", first->line);
  barrier(State::at_cluster, "a cluster barrier", first->cluster_line);
  barrier(State::at_grid, "a barrier of the grid", first->line);
  if (const auto at_warp = count(State::at_warp); at_warp > 0) text += fmt::format(" {} in a warp operation,", at_warp);
  const auto at_phase = std::find_if(begin, begin + together, is(State::at_phase));
  if (at_phase != begin + together)
    text += fmt::format(" {} for a phase of an mbarrier (line {}: {}),", count(State::at_phase), at_phase->line,
                        bulk_.missing(at_phase->barrier));
  const auto left = count(State::finished);
  return text + (left > 0 ? fmt::format(" {} left", left) : " none left");
}

}  // namespace tuner::device
