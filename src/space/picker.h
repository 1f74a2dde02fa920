// Legal configurations one at a time, of spaces that are too large to enumerate.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "space/space.h"

namespace tuner::space {

class Picker {
 public:
  // For each parameter which of its values; -1 where it is inactive.
  using Choice = std::vector<int>;
  // Puts the values of one parameter that may be taken (indices, in their order) into the order in which they are to be
  // tried; what it takes out is not tried.
  using Order = std::function<void(std::size_t param, std::vector<int>& values)>;

  // `space` must outlive it. Throws UserError when `only` names no parameter of the space.
  Picker(const Space& space, const Scope& base, const Partial& only);
  Picker(Picker&&) noexcept;
  ~Picker();

  // The first legal one, where parameters come in their order and values as `order` says; empty where there is none or
  // `steps` values were tried.
  std::optional<Choice> first(const Order& order, std::size_t steps);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tuner::space
