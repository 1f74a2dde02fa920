// The two failures that end a command. A bad candidate is neither: it is a Verdict (core/trial.h).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace tuner {

// What went wrong, where (file:line:column, a flag, a path; may be empty), and what to do about it (may be empty).
class Error : public std::runtime_error {
 public:
  Error(std::string what, std::string where, std::string hint)
      : std::runtime_error(what), where_(std::move(where)), hint_(std::move(hint)) {}
  const std::string& where() const noexcept { return where_; }
  const std::string& hint() const noexcept { return hint_; }

 private:
  std::string where_;
  std::string hint_;
};

// Something the user wrote: a flag, a manifest, a sweep file. Exit code 2.
class UserError : public Error {
 public:
  explicit UserError(std::string what, std::string where = {}, std::string hint = {})
      : Error(std::move(what), std::move(where), std::move(hint)) {}
};

// Something the machine lacks or that broke under us: no driver, disk full, database locked. Exit code 1.
class MachineError : public Error {
 public:
  explicit MachineError(std::string what, std::string where = {}, std::string hint = {})
      : Error(std::move(what), std::move(where), std::move(hint)) {}
};

// Ran, but nothing valid was found. Exit code 3.
class NothingFound : public Error {
 public:
  explicit NothingFound(std::string what, std::string where = {}, std::string hint = {})
      : Error(std::move(what), std::move(where), std::move(hint)) {}
};

// Ctrl-C or SIGTERM; everything measured so far is kept. Exit code 130.
class Interrupted : public Error {
 public:
  explicit Interrupted(std::string what = "interrupted", std::string where = {}, std::string hint = {})
      : Error(std::move(what), std::move(where), std::move(hint)) {}
};

}  // namespace tuner
