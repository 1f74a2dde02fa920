#include "device/host_block.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>

namespace tuner::device {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr std::uint32_t warp_lanes = 32;
constexpr std::uint64_t no_lane = 0xdeadbeefdeadbeefull;  // a shuffle from a lane that takes no part

// The block whose threads run here: what the shared object calls has no other way to it.
thread_local HostBlock* running = nullptr;

std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ull;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

std::string index_text(const tuner_simt::Index3& i) { return fmt::format("({},{},{})", i.x, i.y, i.z); }

tuner_simt::Index3 thread_index(std::uint32_t thread, const tuner_simt::Index3& size) {
  return {thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
}

}  // namespace

std::string position_text(const tuner_simt::Position& position) {
  return fmt::format("block {} thread {}", index_text(position.block), index_text(position.thread));
}

HostBlock::HostBlock() : threads_(HostStacks::most), arrived_(HostStacks::most / warp_lanes), ready_(HostStacks::most) {
  runtime_.position = &position_;
  runtime_.block_barrier = block_barrier;
  runtime_.warp_exchange = warp_exchange;
  runtime_.misaligned = misaligned;
  runtime_.trap = trap;
}

HostBlock::~HostBlock() = default;

void HostBlock::begin(const Work& work) {
  work_ = work;
  count_ = work.block_size.x * work.block_size.y * work.block_size.z;
  assert(count_ >= 1 && count_ <= HostStacks::most);
  position_.block_size = work.block_size;
  position_.grid_size = work.grid_size;
  runtime_.dynamic_shared = work.dynamic_shared;
  random_ = work.order_seed;
  running = this;
  in_thread_ = false;
}

void HostBlock::make_ready(std::uint32_t thread) {
  threads_[thread].state = State::ready;
  ready_[(first_ready_ + ready_count_++) % count_] = thread;
}

// In order; where shuffled: for every third seed the thread that became ready last, else any.
std::uint32_t HostBlock::next_ready() {
  --ready_count_;
  if (work_.order_seed % 3 == 1) return ready_[(first_ready_ + ready_count_) % count_];
  if (work_.order_seed != 0) {
    const std::uint64_t pick = next_random(random_) % (ready_count_ + 1);
    std::swap(ready_[first_ready_], ready_[(first_ready_ + pick) % count_]);
  }
  const std::uint32_t thread = ready_[first_ready_];
  first_ready_ = (first_ready_ + 1) % count_;
  return thread;
}

bool HostBlock::run(tuner_simt::Index3 block) {
  stacks_.reclaim();
  position_.block = block;
  reason_ = Reason::none;
  first_ready_ = ready_count_ = finished_ = at_block_ = 0;
  std::fill(arrived_.begin(), arrived_.end(), 0u);
  for (std::uint32_t i = 0; i < count_; ++i) {
    threads_[i] = {};
    make_ready(i);
  }
  while (finished_ < count_) {
    if (ready_count_ == 0 && !release_block()) {
      reason_ = Reason::divergent_barrier;
      return false;
    }
    resume(next_ready());
    if (reason_ != Reason::none) return false;
  }
  return true;
}

void HostBlock::resume(std::uint32_t thread) {
  Thread& next = threads_[thread];
  if (next.context == nullptr) {
    next.stack = stacks_.take();
    next.context = make_fcontext(stacks_.top(next.stack), HostStacks::stack_bytes, enter);
  }
  current_ = thread;
  position_.thread = thread_index(thread, work_.block_size);
  position_.lane = thread % warp_lanes;
  in_thread_ = true;
  next.context = jump_fcontext(next.context, this).fctx;
  if (next.state != State::finished) return;
  ++finished_;
  stacks_.give_back(next.stack);
}

void HostBlock::enter(transfer_t from) {
  auto& self = *static_cast<HostBlock*>(from.data);
  self.scheduler_ = from.fctx;
  self.work_.call(self.work_.arguments);
  self.threads_[self.current_].state = State::finished;
  self.switch_out();
}

void HostBlock::switch_out() {
  in_thread_ = false;
  scheduler_ = jump_fcontext(scheduler_, nullptr).fctx;
}

void HostBlock::stop(Reason reason, const char* what) {
  reason_ = reason;
  what_ = what;
  switch_out();
  __builtin_unreachable();
}

int HostBlock::block_barrier(tuner_simt::BlockOp op, int predicate, int line) {
  HostBlock& self = *running;
  Thread& thread = self.threads_[self.current_];
  thread.block_op = op;
  thread.value = predicate != 0;
  thread.line = line;
  thread.state = State::at_block;
  ++self.at_block_;
  self.switch_out();
  return static_cast<int>(thread.result);
}

// False when the barrier cannot open: somebody left, or waits elsewhere.
bool HostBlock::release_block() {
  const Thread& first = threads_[0];
  if (at_block_ != count_) return false;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (threads_[i].line != first.line || threads_[i].block_op != first.block_op) return false;
    sum += threads_[i].value;
  }
  const std::uint64_t result = first.block_op == tuner_simt::block_count ? sum
                               : first.block_op == tuner_simt::block_and ? sum == count_
                                                                         : sum != 0;
  at_block_ = 0;
  for (std::uint32_t i = 0; i < count_; ++i) {
    threads_[i].result = result;
    make_ready(i);
  }
  return true;
}

unsigned long long HostBlock::warp_exchange(tuner_simt::WarpOp op, unsigned mask, unsigned long long value,
                                            unsigned source_lane) {
  HostBlock& self = *running;
  const std::uint32_t lane = self.current_ % warp_lanes;
  const unsigned warp = self.current_ / warp_lanes;
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

bool HostBlock::complete_warp(unsigned warp, unsigned mask) const {
  if ((arrived_[warp] & mask) != mask) return false;
  const Thread& mine = threads_[current_];
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    const Thread& other = threads_[warp * warp_lanes + lane];
    if (other.warp_op != mine.warp_op || other.mask != mask) return false;
  }
  return true;
}

void HostBlock::release_warp(unsigned warp, unsigned mask) {
  Thread* lanes = &threads_[warp * warp_lanes];
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
    make_ready(warp * warp_lanes + lane);
  }
  arrived_[warp] &= ~mask;
}

void HostBlock::misaligned(const void* address, int bytes) {
  running->at_address_ = reinterpret_cast<std::uint64_t>(address);
  running->at_bytes_ = bytes;
  running->stop(Reason::fault, "");
}

void HostBlock::trap(const char* what) { running->stop(Reason::fault, what); }

std::string HostBlock::detail() const {
  if (reason_ == Reason::divergent_barrier) return divergence();
  if (what_[0] != '\0') return fmt::format("{} {}", position_text(position_), what_);
  return fmt::format("{} reads {} bytes at address {:#x}, which is not a multiple of {}", position_text(position_),
                     at_bytes_, at_address_, at_bytes_);
}

std::string HostBlock::divergence() const {
  const auto of_state = [&](State state) {
    return std::count_if(threads_.begin(), threads_.begin() + count_,
                         [&](const Thread& t) { return t.state == state; });
  };
  const auto at_block = of_state(State::at_block), at_warp = of_state(State::at_warp), left = of_state(State::finished);
  const auto waits = [](const Thread& t) { return t.state == State::at_block || t.state == State::at_warp; };
  const auto first = std::find_if(threads_.begin(), threads_.begin() + count_, waits);
  std::string text =
      fmt::format("in block {}, thread {} and others wait for threads that do not come:", index_text(position_.block),
                  index_text(thread_index(static_cast<std::uint32_t>(first - threads_.begin()), work_.block_size)));
  if (at_block > 0) text += fmt::format(" {} of {} at a block barrier (line {}),", at_block, count_, first->line);
  if (at_warp > 0) text += fmt::format(" {} in a warp operation,", at_warp);
  text += left > 0 ? fmt::format(" {} left", left) : " none left";
  return text;
}

}  // namespace tuner::device
