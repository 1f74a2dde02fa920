#include "repack/tensor_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "repack/gguf.h"
#include "repack/safetensors.h"

namespace tuner::repack {
namespace {

// Closes what was opened on every way out.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

TensorFile::TensorFile(const std::string& path) : path_(path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) throw UserError(std::string("cannot read the file: ") + std::strerror(errno), path);
  struct stat status {};
  if (::fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode)) throw UserError("this is no file", path);
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) throw UserError("the file is empty", path);
  void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (mapped == MAP_FAILED) throw MachineError(std::string("cannot map the file: ") + std::strerror(errno), path);
  mapped_ = mapped;
  try {
    read({static_cast<const char*>(mapped), size_});
  } catch (...) {
    ::munmap(mapped_, size_);
    throw;
  }
}

TensorFile::TensorFile(std::string_view bytes, std::string path) : path_(std::move(path)) { read(bytes); }

void TensorFile::read(std::string_view bytes) {
  kind_ = is_gguf(bytes) ? Kind::gguf : Kind::safetensors;
  if (kind_ == Kind::safetensors && !is_safetensors(bytes))
    throw UserError("this is neither a safetensors nor a GGUF file", path_);
  tensors_ = kind_ == Kind::gguf ? read_gguf(bytes, path_) : read_safetensors(bytes, path_);
}

TensorFile::~TensorFile() {
  if (mapped_ != nullptr) ::munmap(mapped_, size_);
}

const Tensor* TensorFile::find(std::string_view name) const {
  for (const Tensor& tensor : tensors_)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

}  // namespace tuner::repack
