#include "worker/host_reference.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/problem.h"
#include "core/reference_abi.h"
#include "proc/child.h"
#include "proc/program.h"

namespace tuner::worker {
namespace {

using Json = nlohmann::json;

constexpr std::size_t border = 4096;

// Memory that a path names while this object lives.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes) : bytes_(bytes) {
    fd_ = ::memfd_create("tuner-reference", MFD_CLOEXEC);
    if (fd_ < 0 || ::ftruncate(fd_, static_cast<off_t>(bytes)) != 0)
      throw MachineError("out of memory for a reference");
    map();
  }
  explicit SharedMemory(const char* path) {
    fd_ = ::open(path, O_RDWR | O_CLOEXEC);
    struct stat info {};
    if (fd_ < 0 || ::fstat(fd_, &info) != 0) throw MachineError("the memory of a reference cannot be opened", path);
    bytes_ = static_cast<std::size_t>(info.st_size);
    map();
  }
  ~SharedMemory() {
    if (memory_ != nullptr) ::munmap(memory_, bytes_);
    if (fd_ >= 0) ::close(fd_);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* at(std::size_t offset) const { return memory_ + offset; }
  std::string path() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), fd_); }

 private:
  void map() {
    void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (memory == MAP_FAILED) throw MachineError("out of memory for a reference");
    memory_ = static_cast<std::byte*>(memory);
  }
  int fd_ = -1;
  std::size_t bytes_ = 0;
  std::byte* memory_ = nullptr;
};

// Where each argument lies; a page of its own before and behind each.
std::vector<std::size_t> offsets_of(const std::vector<measure::WideArgument>& arguments, std::size_t& total) {
  std::vector<std::size_t> offsets;
  total = border;
  for (const auto& argument : arguments) {
    offsets.push_back(total);
    total += (argument.bytes.size() + border - 1) / border * border + border;
  }
  return offsets;
}

std::string type_word(const measure::WideArgument& argument) {
  if (argument.is_struct) return "struct";
  const Type type = bits_of(argument.type) < 8 ? Type::u8 : argument.type;
  return std::string(to_text(type)) + (argument.is_buffer ? "*" : "");
}

std::string cpp_of(const std::string& word) {
  const bool pointer = !word.empty() && word.back() == '*';
  const auto type = type_from_text(pointer ? word.substr(0, word.size() - 1) : word);
  return (type ? std::string(cpp_name(*type)) : "a struct") + (pointer ? "*" : "");
}

// Empty: the function takes what it is given.
std::string mismatch(const tuner_reference::Function& function, const Json& arguments) {
  if (function.count != static_cast<int>(arguments.size()))
    return fmt::format("it takes {} arguments and is given {}", function.count, arguments.size());
  std::string all;
  for (int i = 0; i < function.count; ++i) {
    const Json& argument = arguments[static_cast<std::size_t>(i)];
    const std::string wanted = argument.at("type"), has = function.types[i], name = argument.at("name");
    const bool fits = wanted == "struct" ? function.bytes[i] == argument.at("bytes").get<int>() : wanted == has;
    if (fits) continue;
    if (!all.empty()) all += "; ";
    all += wanted == "struct" ? fmt::format("'{}' is {} bytes in it and {} in the manifest", name, function.bytes[i],
                                            argument.at("bytes").get<int>())
                              : fmt::format("'{}' is {} in it and must be {}", name, cpp_of(has), cpp_of(wanted));
  }
  return all;
}

}  // namespace

void call_host_reference(const Workload& workload, std::vector<measure::WideArgument>& arguments,
                         std::chrono::milliseconds deadline) {
  std::size_t total = 0;
  const std::vector<std::size_t> offsets = offsets_of(arguments, total);
  const SharedMemory memory(total);
  Json list = Json::array();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& argument = arguments[i];
    if (!argument.bytes.empty()) std::memcpy(memory.at(offsets[i]), argument.bytes.data(), argument.bytes.size());
    list.push_back({{"name", argument.name},
                    {"type", type_word(argument)},
                    {"buffer", argument.is_buffer},
                    {"bytes", argument.bytes.size()},
                    {"offset", offsets[i]}});
  }
  const Json job{{"file", workload.reference.file}, {"arguments", list}};
  const proc::Output output =
      proc::run({proc::own_program(), "reference-child", memory.path()}, job.dump(), deadline, {});
  const std::string what = "the reference '" + workload.reference.function + "' ";
  const std::string hint =
      "it takes the kernel's arguments without scratch: floating ones as double, the rest as they are";
  const std::string at = workload.dims.empty() ? std::string() : " at " + shape_text(workload.dims);
  if (output.timed_out)
    throw UserError(what + fmt::format("did not end within {} seconds", deadline.count() / 1000) + at, workload.kernel,
                    smaller_awkward(workload.dims.size()));
  if (output.status.exited && output.status.code == 2)
    throw UserError(what + "does not fit: " + output.err, workload.kernel, hint);
  if (!output.status.exited || output.status.code != 0)
    throw UserError(
        what + "ended with " + output.status.text() + at, workload.kernel,
        "it must take every shape that is verified, the awkward ones as well (`awkward: []`: none); " + hint);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].is_result && !arguments[i].bytes.empty())
      std::memcpy(arguments[i].bytes.data(), memory.at(offsets[i]), arguments[i].bytes.size());
}

int reference_child_main(const char* memory_path) {
  const std::string text((std::istreambuf_iterator<char>(std::cin)), {});
  const Json job = Json::parse(text, nullptr, false);
  if (!job.is_object()) {
    std::cerr << "no job on stdin; it is started by other commands";
    return 2;
  }
  const SharedMemory memory(memory_path);
  void* library = ::dlopen(job.at("file").get<std::string>().c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = library == nullptr ? nullptr : ::dlsym(library, "tuner_reference_function");
  if (symbol == nullptr) {
    std::cerr << "it cannot be loaded: " << ::dlerror();
    return 2;
  }
  const auto& function = *reinterpret_cast<tuner_reference::FunctionOf*>(symbol)();
  const Json& list = job.at("arguments");
  if (const std::string why = mismatch(function, list); !why.empty()) {
    std::cerr << why;
    return 2;
  }
  std::vector<void*> pointers(list.size()), arguments(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    pointers[i] = memory.at(list[i].at("offset"));
    arguments[i] = list[i].at("buffer").get<bool>() ? static_cast<void*>(&pointers[i]) : pointers[i];
  }
  function.call(arguments.data());
  return 0;
}

}  // namespace tuner::worker
