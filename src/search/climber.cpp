#include "search/climber.h"

namespace tuner::search {

std::optional<Point> Climber::next(const Worth& worth) {
  if (starts_left_ == 0 && centre_) {
    if (auto point = neighbour(worth)) return propose(std::move(point));
    if (!pending_.empty()) return std::nullopt;  // one of them may be better
    restart();
  }
  if (starts_left_ == 0) {
    if (!pending_.empty()) return std::nullopt;
    restart();
  }
  --starts_left_;
  return propose(tried_.fresh(domain_, random_));
}

void Climber::tell(const Outcome& outcome) {
  if (pending_.erase(outcome.point) == 0 || !outcome.good()) return;
  if (!centre_ || outcome.ratio < centre_->ratio) move_to(outcome);
}

void Climber::move_to(const Outcome& outcome) {
  centre_ = outcome;
  around_.clear();
  if (pending_.empty()) starts_left_ = 0;
}

std::optional<Point> Climber::propose(std::optional<Point> point) {
  if (!point) return std::nullopt;
  tried_.mark(*point);
  pending_.insert(*point);
  return point;
}

std::optional<Point> Climber::neighbour(const Worth& worth) {
  if (around_.empty()) {
    around_ = domain_.neighbours(centre_->point, random_);
    random_.shuffle(around_);
  }
  const Point* best = nullptr;
  double least = 0;
  for (const Point& point : around_) {
    if (tried_.has(point)) continue;
    if (!worth) return point;
    const double value = worth(point);
    if (best != nullptr && value >= least) continue;
    best = &point;
    least = value;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

void Climber::restart() {
  centre_.reset();
  around_.clear();
  starts_left_ = starts_;
}

}  // namespace tuner::search
