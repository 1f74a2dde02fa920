// Recorded graphs, each timed by two event records inside it.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "device/cuda_context.h"

namespace tuner::device {

class CudaGraphs {
 public:
  explicit CudaGraphs(CudaContext& context) : context_(context) {}
  ~CudaGraphs();
  CudaGraphs(const CudaGraphs&) = delete;
  CudaGraphs& operator=(const CudaGraphs&) = delete;

  // Puts work on the stream; returns why it could not, or an empty text.
  using Enqueue = std::function<std::string()>;
  // Captures both; only `timed` lies between the graph's events. Returns why it could not.
  std::string record(const Enqueue& before, const Enqueue& timed, GraphId& graph);
  void drop(GraphId graph);
  // Microseconds a graph between its two events. Throws DeviceFault.
  std::vector<double> replay(std::span<const GraphId> graphs, Clock::time_point deadline);

 private:
  struct Recorded {
    cu::GraphExec exec = nullptr;
    cu::Event start = nullptr;
    cu::Event end = nullptr;
  };
  std::string capture(const Enqueue& before, const Enqueue& timed, const Recorded& recorded, cu::Graph& graph);
  void instantiate(cu::Graph graph, Recorded& recorded);
  void destroy(const Recorded& recorded);

  CudaContext& context_;
  std::map<GraphId, Recorded> graphs_;
  GraphId next_ = 0;
};

}  // namespace tuner::device
