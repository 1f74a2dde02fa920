// Whose turn it is in a sweep: one device goes through the plan in its order, several share it (tune/several.h).
#pragma once

#include <functional>
#include <optional>

#include "tune/agenda.h"

namespace tuner::tune {

struct Turn {
  std::size_t problem = 0;  // of the agenda
  int index = 1;            // of those that were begun, from 1
  bool again = false;       // another device was lost over it
  double of_time = 1;       // its share of the time that is left
};

class Turns {
 public:
  virtual ~Turns() = default;
  // What there is to do on this GPU; `find` is called where nobody has found it for such a GPU before.
  virtual Agenda& open(const GpuFacts& gpu, const std::function<Agenda()>& find) = 0;
  // True for the first device of a model that asks: it tells the plan, and looks at what is finished.
  virtual bool speaks() = 0;
  // Empty: there is no more, or `stop` says so.
  virtual std::optional<Turn> next(const std::function<bool()>& stop) = 0;
  virtual void done(const Turn& turn) = 0;
  // The problem that is likely to be the next.
  virtual std::optional<std::size_t> ahead() const = 0;
  // There is no next. Whether no other device of this model is at it any more.
  virtual bool leave() = 0;
};

// One device.
class InOrder : public Turns {
 public:
  Agenda& open(const GpuFacts&, const std::function<Agenda()>& find) override { return agenda_ = find(); }
  bool speaks() override { return true; }
  std::optional<Turn> next(const std::function<bool()>& stop) override {
    if (at_ == agenda_.todo.size() || stop()) return {};
    const double of_time = 1.0 / static_cast<double>(agenda_.todo.size() - at_);
    ++at_;
    return Turn{at_ - 1, static_cast<int>(at_), false, of_time};
  }
  void done(const Turn&) override {}
  std::optional<std::size_t> ahead() const override {
    return at_ < agenda_.todo.size() ? std::optional(at_) : std::nullopt;
  }
  bool leave() override { return true; }

 private:
  Agenda agenda_;
  std::size_t at_ = 0;
};

}  // namespace tuner::tune
