// What is wrong with a file, gathered instead of thrown. Private to spec/.
#pragma once

#include <utility>
#include <vector>

#include "core/error.h"
#include "spec/cursor.h"

namespace tuner::spec {

class Faults {
 public:
  void add(const UserError& fault);
  // A key that was meant to be `key` of the map at `where`: that `key` is missing is no second fault.
  void misspelt(const std::string& where, const std::string& key);
  bool is_misspelt(const std::string& where, const std::string& key) const;
  void add_missing(const MissingKey& fault);
  std::size_t count() const { return faults_.size(); }
  // By line and column; each once.
  std::vector<UserError> in_file_order() const;

 private:
  std::vector<UserError> faults_;
  std::vector<std::pair<std::string, std::string>> misspelt_;
};

// Runs `read`; what it throws goes to `faults`, or on where there are none. True when nothing was wrong in it.
template <class F>
bool attempt(Faults* faults, F&& read) {
  if (faults == nullptr) {
    read();
    return true;
  }
  const std::size_t before = faults->count();
  try {
    read();
  } catch (const MissingKey& fault) {
    faults->add_missing(fault);
    return false;
  } catch (const UserError& fault) {
    faults->add(fault);
  }
  return faults->count() == before;
}

// As Cursor::check_keys, each unknown key a fault of its own.
void check_all_keys(const Cursor& map, const std::vector<std::string>& known, Faults* faults);

}  // namespace tuner::spec
