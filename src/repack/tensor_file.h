// A model's file, of whichever kind, with its tensors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repack/tensor.h"

namespace tuner::repack {

class TensorFile {
 public:
  enum class Kind { safetensors, gguf };

  // Maps the file, which must not change while this lives, and reads its table. Throws UserError where it is neither
  // kind, damaged or cut short; MachineError where it cannot be read.
  explicit TensorFile(const std::string& path);
  // Of what would be in the file `path`; `bytes` must outlive this.
  TensorFile(std::string_view bytes, std::string path);
  ~TensorFile();
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;

  const std::string& path() const { return path_; }
  Kind kind() const { return kind_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  // Null where there is none.
  const Tensor* find(std::string_view name) const;

 private:
  void read(std::string_view bytes);
  std::string path_;
  void* mapped_ = nullptr;
  std::size_t size_ = 0;  // mapped
  Kind kind_ = Kind::safetensors;
  std::vector<Tensor> tensors_;
};

}  // namespace tuner::repack
