// A vendor's shared library, opened while this process runs.
#pragma once

#include <string>

namespace tuner::device {

class SharedLibrary {
 public:
  SharedLibrary() = default;
  ~SharedLibrary();
  SharedLibrary(SharedLibrary&& other) noexcept;
  SharedLibrary& operator=(SharedLibrary&& other) noexcept;

  // False when the loader refuses; error() then says why. `global`: what it defines serves libraries opened later.
  bool open(const std::string& path, bool global = false);
  bool is_open() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }
  // Null when the library has no such symbol.
  void* symbol(const char* name) const;

  template <class F>
  bool find(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(symbol(name));
    return function != nullptr;
  }

  // Keeps the library for the life of the process: vendors' libraries do not like to be unloaded.
  void leak() { handle_ = nullptr; }

 private:
  void* handle_ = nullptr;
  std::string error_;
};

}  // namespace tuner::device
