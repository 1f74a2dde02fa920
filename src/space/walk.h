// Depth-first enumeration of a space: a constraint is asked as soon as every parameter it uses is bound. Private to
// space/.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "space/scope.h"
#include "space/space.h"

namespace tuner::space {

// For each parameter which of its values is chosen; kInactive when its `when` is false.
using Choice = std::vector<int>;
constexpr int kInactive = -1;

Config config_of(const Space& space, const Choice& choice);
// Throws UserError when `only` names no parameter of the space.
void check_names(const Space& space, const Partial& only);

class Walk {
 public:
  enum class Unasked {
    skip,     // a parameter that `only` names and that is inactive is not asked
    exclude,  // ... has no value that agrees
  };
  Walk(const Space& space, const Scope& base, const Partial& only, Unasked unasked = Unasked::skip);

  // `visit` returns false to stop.
  void run(const std::function<bool(const Choice&)>& visit);
  // `excluded` gets the constraint's number and how many configurations it cut off (at most INT64_MAX).
  void run(const std::function<bool(const Choice&)>& visit,
           const std::function<void(std::size_t, std::int64_t)>& excluded);
  // Values as `order` puts them (space/picker.h); ends when `steps` of them were tried.
  void run_in_order(const std::function<void(std::size_t, std::vector<int>&)>& order, std::size_t steps,
                    const std::function<bool(const Choice&)>& visit);

 private:
  bool descend(std::size_t level);
  bool assign_and_descend(std::size_t level, int value);
  bool active(std::size_t level);
  bool passes(std::size_t level);
  void place_constraints(const Scope& base);
  std::int64_t completions(std::size_t level);

  const Space& space_;
  Scope scope_;
  Choice choice_;
  std::vector<std::vector<int>> allowed_;        // by parameter: the values `only` leaves
  std::vector<bool> named_;                      // by parameter: `only` names it
  std::vector<bool> decides_when_;               // by parameter: a later `when` uses it
  std::vector<std::vector<std::size_t>> asked_;  // by number of bound parameters: constraints that can be asked then
  Unasked unasked_;
  const std::function<bool(const Choice&)>* visit_ = nullptr;
  const std::function<void(std::size_t, std::int64_t)>* excluded_ = nullptr;
  const std::function<void(std::size_t, std::vector<int>&)>* order_ = nullptr;
  std::size_t steps_left_ = 0;  // with an order
};

}  // namespace tuner::space
