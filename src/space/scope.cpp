#include "space/scope.h"

#include "space/node.h"

namespace tuner::space {

Scope::Entry& Scope::at(std::string_view name) {
  const std::size_t hash = hash_of(name);
  if (const Entry* found = entry(name, hash)) return entries_[static_cast<std::size_t>(found - entries_.data())];
  Entry fresh;
  fresh.name = std::string(name);
  fresh.hash = hash;
  entries_.push_back(std::move(fresh));
  rebuild();
  return entries_.back();
}

void Scope::rebuild() {
  const auto insert = [this](std::size_t number) {
    const std::size_t mask = index_.size() - 1;
    std::size_t slot = entries_[number].hash & mask;
    while (index_[slot] >= 0) slot = (slot + 1) & mask;
    index_[slot] = static_cast<std::int32_t>(number);
  };
  if (entries_.size() * 2 <= index_.size()) return insert(entries_.size() - 1);
  index_.assign(index_.empty() ? 64 : index_.size() * 2, -1);
  for (std::size_t i = 0; i < entries_.size(); ++i) insert(i);
}

void Scope::set(std::string_view name, Value value) {
  Entry& entry = at(name);
  entry.kind = Entry::Kind::value;
  entry.value = std::move(value);
}

void Scope::set_inactive(std::string_view name) { at(name).kind = Entry::Kind::inactive; }

void Scope::set_let(std::string_view name, Expr expression) {
  Entry& entry = at(name);
  entry.kind = Entry::Kind::let;
  entry.expression = std::make_shared<const Expr>(std::move(expression));
}

const Scope::Entry* Scope::entry(std::string_view name, std::size_t hash) const {
  if (index_.empty()) return nullptr;
  const std::size_t mask = index_.size() - 1;
  for (std::size_t slot = hash & mask; index_[slot] >= 0; slot = (slot + 1) & mask) {
    const Entry& candidate = entries_[static_cast<std::size_t>(index_[slot])];
    if (candidate.hash == hash && candidate.name == name) return &candidate;
  }
  return nullptr;
}

const Scope::Entry* Scope::entry(std::string_view name) const { return entry(name, hash_of(name)); }

std::optional<Value> Scope::find(std::string_view name, int column) const {
  const Entry* found = entry(name);
  if (found == nullptr) return std::nullopt;
  if (found->kind == Entry::Kind::value) return found->value;
  if (found->kind == Entry::Kind::let) return found->expression->evaluate(*this);
  throw InactiveError("'" + found->name + "' is inactive here", column, found->name);
}

bool Scope::is_inactive(std::string_view name) const {
  const Entry* found = entry(name);
  return found != nullptr && found->kind == Entry::Kind::inactive;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const Entry& e : entries_) names.push_back(e.name);
  return names;
}

}  // namespace tuner::space
