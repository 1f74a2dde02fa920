#include "space/picker.h"

#include "space/walk.h"

namespace tuner::space {

struct Picker::State {
  Walk walk;
};

Picker::Picker(const Space& space, const Scope& base, const Partial& only)
    : state_(std::make_unique<State>(State{Walk(space, base, only)})) {}
Picker::Picker(Picker&&) noexcept = default;
Picker::~Picker() = default;

std::optional<Picker::Choice> Picker::first(const Order& order, std::size_t steps) {
  std::optional<Choice> found;
  state_->walk.run_in_order(order, steps, [&](const Choice& choice) {
    found = choice;
    return false;
  });
  return found;
}

}  // namespace tuner::space
