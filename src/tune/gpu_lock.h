// One sweep a GPU, between all users of a machine. The kernel lets the lock go when its process ends, however it does.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tuner::tune {

class GpuLock {
 public:
  struct Holder {
    std::string path;
    int pid = 0;  // 0 where its note cannot be read
    std::string user;
    std::string command;
  };

  GpuLock() = default;
  GpuLock(GpuLock&& other) noexcept : files_(std::exchange(other.files_, {})) {}
  GpuLock& operator=(GpuLock&& other) noexcept {
    std::swap(files_, other.files_);
    return *this;
  }
  ~GpuLock();

  // Takes a file named by the GPU in each of `folders`, and writes down who holds it: a user who may not write into the
  // first still meets the others in the second. Nothing is taken where somebody else holds one of them: who it is.
  std::optional<Holder> take(const std::string& gpu_uuid, const std::vector<std::string>& folders,
                             const std::string& command);
  // False after a take that met nobody: none of the folders could be used.
  bool held() const { return !files_.empty(); }
  static std::string file_name(const std::string& gpu_uuid);

 private:
  struct File {
    int fd = -1;
    std::string path;
  };
  std::vector<File> files_;
};

}  // namespace tuner::tune
