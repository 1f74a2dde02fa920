#include "spec/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "core/error.h"

namespace tuner::spec {
namespace {

constexpr std::size_t kMaxNesting = 64;
constexpr const char* kNoAliases = "aliases are not allowed";
constexpr const char* kNoAliasesHint = "write the value out; quote a text that begins with '*'";

std::string place(const std::string& path, int line, int column) {
  return path + ":" + std::to_string(line) + ":" + std::to_string(column);
}

std::string too_big(std::size_t bytes) {
  return "the file is too big: " + std::to_string(bytes) + " bytes, at most " + std::to_string(kMaxFileBytes);
}

// Builds the tree from the parser's events, so that an alias is refused before anything could expand it.
class Builder : public YAML::EventHandler {
 public:
  Builder(std::string_view text, const std::string& path) : text_(text), path_(path) {
    for (std::size_t at = 0; at != std::string_view::npos;) {
      line_starts_.push_back(at);
      at = text.find('\n', at);
      if (at != std::string_view::npos) ++at;
    }
  }

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add(node_at(mark, YamlNode::Kind::null));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { fail(mark, kNoAliases, kNoAliasesHint); }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse_anchor(mark, 1); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    const bool plain = tag == "?";
    if (!plain && tag != "!") refuse_tag(mark, tag);
    YamlNode node = node_at(mark, YamlNode::Kind::scalar);
    node.text = value;
    if (!plain) ++node.column;
    node.one_line = stands_at(node.line, node.column, value);
    if (!node.one_line && !plain) --node.column;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  // A container under construction; in a map a key waits for its value.
  struct Frame {
    YamlNode node;
    YamlNode key;
    bool has_key = false;
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what, const std::string& hint = {}) const {
    throw UserError(what, place(path_, mark.line + 1, mark.column + 1), hint);
  }
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor) fail(mark, "anchors are not allowed", "quote a text that begins with '&'");
  }
  [[noreturn]] void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    fail(mark, "the tag '" + tag.substr(0, 40) + "' is not allowed", "quote a text that begins with '!'");
  }

  static YamlNode node_at(const YAML::Mark& mark, YamlNode::Kind kind) {
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  bool stands_at(int line, int column, const std::string& value) const {
    if (line < 1 || static_cast<std::size_t>(line) > line_starts_.size()) return false;
    const std::size_t at = line_starts_[static_cast<std::size_t>(line) - 1] + static_cast<std::size_t>(column) - 1;
    return at <= text_.size() && text_.substr(at, value.size()) == value;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    refuse_anchor(mark, anchor);
    if (!tag.empty() && tag != "?" && tag != "!") refuse_tag(mark, tag);
    if (frames_.size() >= kMaxNesting)
      fail(mark, "the file is nested more than " + std::to_string(kMaxNesting) + " deep");
    if (!frames_.empty() && frames_.back().node.kind == YamlNode::Kind::map && !frames_.back().has_key)
      fail(mark, "a key must be a single word");
    frames_.push_back({node_at(mark, kind), {}, false});
  }

  void close() {
    YamlNode done = std::move(frames_.back().node);
    frames_.pop_back();
    add(std::move(done));
  }

  void add(YamlNode node) {
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == YamlNode::Kind::list) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.has_key) {
      check_key(frame, node);
      frame.key = std::move(node);
      frame.has_key = true;
    } else {
      frame.node.fields.push_back({std::move(frame.key), std::move(node)});
      frame.has_key = false;
    }
  }

  void check_key(const Frame& frame, const YamlNode& key) const {
    const std::string where = place(path_, key.line, key.column);
    if (key.kind != YamlNode::Kind::scalar) throw UserError("a key is empty", where);
    constexpr std::size_t limit = 1000;  // the search below is quadratic
    if (frame.node.fields.size() >= limit) throw UserError("a map has more than 1000 keys", where);
    for (const auto& [other, value] : frame.node.fields)
      if (other.text == key.text)
        throw UserError("'" + key.text + "' stands twice", where,
                        "it is also at line " + std::to_string(other.line) + "; keep one");
  }

  std::string_view text_;
  const std::string& path_;
  std::vector<std::size_t> line_starts_;
  std::vector<Frame> frames_;
  YamlNode root_;
};

void refuse_binary(std::string_view text, const std::string& path) {
  int line = 1;
  int column = 1;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0x7F || (byte < 0x20 && c != '\n' && c != '\r' && c != '\t'))
      throw UserError("not a text file: it holds a control character", place(path, line, column));
    ++column;
    if (c != '\n') continue;
    ++line;
    column = 1;
  }
}

}  // namespace

YamlNode parse_yaml(std::string_view text, const std::string& path) {
  if (text.size() > kMaxFileBytes) throw UserError(too_big(text.size()), path);
  refuse_binary(text, path);
  Builder builder(text, path);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) throw UserError("the file is empty", path, "its first line is 'tuner: 1'");
    YamlNode root = builder.take();
    Builder rest(text, path);
    if (parser.HandleNextDocument(rest)) throw UserError("the file holds more than one document", path);
    return root;
  } catch (const YAML::Exception& fault) {
    const bool alias = fault.msg.find("anchor is not defined") != std::string::npos;
    const std::string where = fault.mark.is_null() ? path : place(path, fault.mark.line + 1, fault.mark.column + 1);
    if (alias) throw UserError(kNoAliases, where, kNoAliasesHint);
    throw UserError("not YAML: " + fault.msg, where, "quote texts that hold any of : # , [ ] { }");
  }
}

std::string read_text(const std::string& path) {
  std::error_code fault;
  const auto status = std::filesystem::status(path, fault);
  if (!std::filesystem::exists(status)) throw UserError("no such file", path);
  if (!std::filesystem::is_regular_file(status)) throw UserError("not a file", path);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw UserError("cannot read the file: " + std::string(std::strerror(errno)), path);
  const auto size = std::filesystem::file_size(path, fault);
  if (!fault && size > kMaxFileBytes) throw UserError(too_big(static_cast<std::size_t>(size)), path);
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  if (text.size() > kMaxFileBytes) throw UserError(too_big(text.size()), path);
  return text;
}

}  // namespace tuner::spec
