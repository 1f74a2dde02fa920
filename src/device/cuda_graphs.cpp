#include "device/cuda_graphs.h"

#include <fmt/core.h>

#include <cassert>

#include "core/error.h"

namespace tuner::device {

CudaGraphs::~CudaGraphs() {
  if (context_.lost()) return;
  for (auto& [id, recorded] : graphs_) destroy(recorded);
}

std::string CudaGraphs::record(const Enqueue& before, const Enqueue& timed, GraphId& graph) {
  const Driver& driver = context_.driver();
  Recorded recorded;
  cu::Graph captured = nullptr;
  try {
    context_.check(driver.event_create(&recorded.start, cu::kEventDefault), "create an event");
    context_.check(driver.event_create(&recorded.end, cu::kEventDefault), "create an event");
    if (std::string why = capture(before, timed, recorded, captured); !why.empty()) {
      if (captured) driver.graph_destroy(captured);
      destroy(recorded);
      return why;
    }
    instantiate(captured, recorded);
  } catch (const Error&) {
    if (captured && !context_.lost()) driver.graph_destroy(captured);
    if (!context_.lost()) destroy(recorded);
    throw;
  }
  // The executable graph keeps a copy of its own.
  driver.graph_destroy(captured);
  graphs_.emplace(next_, recorded);
  graph = next_++;
  return {};
}

std::string CudaGraphs::capture(const Enqueue& before, const Enqueue& timed, const Recorded& recorded,
                                cu::Graph& graph) {
  const Driver& driver = context_.driver();
  const cu::Stream stream = context_.stream();
  context_.check(driver.stream_begin_capture(stream, cu::kCaptureRelaxed), "start recording a graph");
  // Whatever fails from here on, the stream must leave its capture.
  std::string why = before();
  const cu::Result start = driver.event_record_with_flags(recorded.start, stream, cu::kEventRecordExternal);
  if (why.empty() && start == cu::kSuccess) why = timed();
  const cu::Result end = driver.event_record_with_flags(recorded.end, stream, cu::kEventRecordExternal);
  const cu::Result ended = driver.stream_end_capture(stream, &graph);
  if (!why.empty()) return why;
  context_.check(start, "record an event in a graph");
  context_.check(end, "record an event in a graph");
  context_.check(ended, "end the recording of a graph");
  return {};
}

void CudaGraphs::instantiate(cu::Graph graph, Recorded& recorded) {
  const Driver& driver = context_.driver();
  context_.check(driver.graph_instantiate(&recorded.exec, graph, 0), "instantiate a graph");
  context_.check(driver.graph_upload(recorded.exec, context_.stream()), "upload a graph");
}

void CudaGraphs::destroy(const Recorded& recorded) {
  const Driver& driver = context_.driver();
  if (recorded.exec) driver.graph_exec_destroy(recorded.exec);
  if (recorded.start) driver.event_destroy(recorded.start);
  if (recorded.end) driver.event_destroy(recorded.end);
}

void CudaGraphs::drop(GraphId graph) {
  const auto found = graphs_.find(graph);
  assert(found != graphs_.end());
  if (!context_.lost()) destroy(found->second);
  graphs_.erase(found);
}

std::vector<double> CudaGraphs::replay(std::span<const GraphId> graphs, Clock::time_point deadline) {
  const Driver& driver = context_.driver();
  const auto start = Clock::now();
  for (GraphId id : graphs)
    context_.check(driver.graph_launch(graphs_.at(id).exec, context_.stream()), "replay a graph");
  const cu::Result waited = context_.wait(deadline);
  if (waited == cu::kNotReady) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
    throw DeviceFault(Reason::timeout, fmt::format("{} graphs did not end within {} ms", graphs.size(), ms));
  }
  context_.check(waited, "replay graphs");
  std::vector<double> microseconds;
  microseconds.reserve(graphs.size());
  for (GraphId id : graphs) {
    float ms = 0;
    const Recorded& recorded = graphs_.at(id);
    context_.check(driver.event_elapsed(&ms, recorded.start, recorded.end), "read a graph's time");
    microseconds.push_back(static_cast<double>(ms) * 1000.0);
  }
  return microseconds;
}

}  // namespace tuner::device
