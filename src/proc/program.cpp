#include "proc/program.h"

#include <utility>

namespace tuner::proc {
namespace {

std::string& path() {
  static std::string value = "/proc/self/exe";
  return value;
}

}  // namespace

const std::string& own_program() { return path(); }
void set_own_program(std::string value) { path() = std::move(value); }

}  // namespace tuner::proc
