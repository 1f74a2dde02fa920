// A place in a YAML file that is being read: typed access with errors that name the key and its position. Private to
// spec/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/value.h"
#include "space/expr.h"
#include "spec/yaml.h"

namespace tuner::spec {

// A map without a key it must have.
class MissingKey : public UserError {
 public:
  MissingKey(const std::string& what, const std::string& where, std::string key)
      : UserError(what, where), key_(std::move(key)) {}
  const std::string& key() const noexcept { return key_; }

 private:
  std::string key_;
};

// Cheap to copy; the node and the path must outlive it.
class Cursor {
 public:
  Cursor(const YamlNode& node, const std::string& path, std::string label)
      : node_(&node), path_(&path), label_(std::move(label)) {}

  std::string where() const;
  const std::string& file() const { return *path_; }
  const std::string& label() const { return label_; }
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const;

  bool is_list() const { return node_->kind == YamlNode::Kind::list; }
  bool is_map() const { return node_->kind == YamlNode::Kind::map; }

  // Maps. Keys that are not among `known` are an error.
  void check_keys(const std::vector<std::string>& known) const;
  // Of a key that is none of `known`.
  [[noreturn]] void fail_unknown(const std::vector<std::string>& known) const;
  std::optional<Cursor> find(std::string_view key) const;
  Cursor at(std::string_view key) const;  // throws MissingKey
  // In file order; the first is at the key.
  std::vector<std::pair<Cursor, Cursor>> fields() const;

  std::vector<Cursor> items() const;
  std::vector<Cursor> items_or_one() const;

  // Scalars.
  const std::string& text() const;
  std::string name() const;      // a letter or _, then letters, digits, _
  std::string function() const;  // a name, after those of its namespaces: filters::rows
  std::int64_t integer() const;
  double real() const;  // finite
  bool truth() const;
  Value value() const;
  space::Expr expression(space::Numbers numbers = space::Numbers::integers) const;

 private:
  [[noreturn]] void wrong(std::string_view wanted) const;

  const YamlNode* node_;
  const std::string* path_;
  std::string label_;  // "'dims'"
};

// "tuner: 1" must come first; throws UserError otherwise.
void check_version(const Cursor& root);

}  // namespace tuner::spec
