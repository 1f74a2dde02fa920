// A YAML file as plain data, strictly read: no aliases, no anchors, no tags, no duplicate keys, one document. Private
// to spec/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::spec {

struct YamlNode {
  enum class Kind { null, scalar, list, map } kind = Kind::null;
  std::string text;  // of a scalar, as written: nothing is taken for a number or a boolean yet
  int line = 1;
  int column = 1;        // of the first character of the text, behind a quote
  bool one_line = true;  // the text stands in the file exactly as it is here
  std::vector<YamlNode> items;
  struct Field;
  std::vector<Field> fields;
};
struct YamlNode::Field {
  YamlNode key;  // a scalar
  YamlNode value;
};

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20U;

// Throws UserError with `path`:line:column. Text over 1 MB is refused before it is parsed.
YamlNode parse_yaml(std::string_view text, const std::string& path);
// Throws UserError when `path` is no readable file or over 1 MB.
std::string read_text(const std::string& path);

}  // namespace tuner::spec
