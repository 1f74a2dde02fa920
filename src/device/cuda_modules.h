// The kernels loaded into a context, and how one is launched.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "device/cuda_context.h"

namespace tuner::device {

class CudaModules {
 public:
  explicit CudaModules(CudaContext& context) : context_(context) {}
  ~CudaModules();
  CudaModules(const CudaModules&) = delete;
  CudaModules& operator=(const CudaModules&) = delete;

  // Throws MachineError for an image that does not load; a missing entry is named.
  ModuleId load(const Artifact& artifact);
  void unload(ModuleId module);

  struct Outcome {
    cu::Result result = cu::kSuccess;
    std::string detail;  // empty when it succeeded
    bool ok() const { return detail.empty(); }
  };
  // Enqueues the copies into the module's __constant__ symbols; they stand before what is timed. Does not wait.
  Outcome set_symbols(const Timed& timed);
  // Enqueues every step in order; stops at the first that the driver refuses. Does not wait. `overlapping`: the first
  // step, if it is a launch, may start before what is in front of it has ended.
  Outcome enqueue(const Timed& timed, bool overlapping = false);

  cu::Function function(ModuleId module, const std::string& entry) const;

 private:
  struct Kernel {
    cu::Function function = nullptr;
    std::vector<int> parameter_bytes;
    std::int64_t dynamic_shared = 49152;  // bytes a launch may ask for without opting in again
    bool any_cluster = false;             // opted in to clusters that are not portable
  };
  struct Module {
    cu::Module handle = nullptr;
    std::map<std::string, Kernel> kernels;
  };

  Outcome set(const Step& step, const Timed& timed);
  Outcome launch(Kernel& kernel, const Step& step, bool overlapping, void** arguments);
  Outcome launch_with(Kernel& kernel, const Step& step, bool overlapping, void** arguments);
  Outcome allow_shared(Kernel& kernel, std::int64_t bytes);
  Outcome allow_cluster(Kernel& kernel, std::int64_t blocks);
  Outcome set_symbol(cu::Module module, const Argument& argument, Address from);
  Outcome refused(cu::Result result, const std::string& what) const;

  CudaContext& context_;
  std::map<ModuleId, Module> modules_;
  ModuleId next_ = 0;
};

}  // namespace tuner::device
