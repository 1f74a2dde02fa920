// read_cubin and code_hash take any bytes: they answer or throw std::runtime_error, and read nothing outside.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "compile/cubin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);  // on the heap: a read past it is seen
  try {
    tuner::compile::read_cubin(bytes);
    tuner::compile::code_hash(bytes);
  } catch (const std::runtime_error&) {
  }
  return 0;
}
