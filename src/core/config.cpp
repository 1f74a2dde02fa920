#include "core/config.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "core/json_values.h"

namespace tuner {

const Value* Config::find(std::string_view name) const {
  for (const auto& [key, value] : params)
    if (key == name) return &value;
  return nullptr;
}

std::string Config::label() const {
  std::string text;
  for (const auto& [key, value] : params) {
    if (!text.empty()) text += ' ';
    text += key + "=" + to_text(value);
  }
  return text;
}

std::string to_json(const Config& config) {
  std::string text = "{";
  for (const auto& [key, value] : config.params) {
    if (text.size() > 1) text += ',';
    text += json_string(key) + ":" + json_text(value);
  }
  return text + "}";
}

namespace {

// Reads what to_json writes, without a tree: a look-up reads hundreds of these.
class PlainReader {
 public:
  explicit PlainReader(std::string_view text) : rest_(text) {}

  // Empty for anything but a flat object of plain keys, integers, booleans and names without escapes.
  std::optional<Config> read() {
    Config config;
    if (!take('{')) return std::nullopt;
    if (take('}')) return end(std::move(config));
    do {
      const auto key = quoted();
      if (!key || config.find(*key) != nullptr || !take(':')) return std::nullopt;
      auto value = this->value();
      if (!value) return std::nullopt;
      config.params.emplace_back(*key, std::move(*value));
    } while (take(','));
    return take('}') ? end(std::move(config)) : std::nullopt;
  }

 private:
  std::optional<Config> end(Config config) const {
    if (!rest_.empty()) return std::nullopt;
    return config;
  }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::string_view> quoted() {
    if (!take('"')) return std::nullopt;
    const std::size_t length = rest_.find('"');
    if (length == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(0, length);
    for (const char c : text)
      if (c < 0x20 || c > 0x7e || c == '\\') return std::nullopt;
    rest_.remove_prefix(length + 1);
    return text;
  }
  std::optional<Value> value() {
    if (!rest_.empty() && rest_.front() == '"') {
      const auto name = quoted();
      return name ? std::optional<Value>(Name{std::string(*name)}) : std::nullopt;
    }
    const std::string_view word = rest_.substr(0, rest_.find_first_of(",}"));
    rest_.remove_prefix(word.size());
    if (word == "true" || word == "false") return Value{word == "true"};
    std::int64_t number = 0;
    const auto [stop, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || fault != std::errc{} || stop != word.data() + word.size()) return std::nullopt;
    const bool odd = word.size() > 1 && (word[0] == '0' || word.substr(0, 2) == "-0");  // is no JSON, or no integer
    return odd ? std::nullopt : std::optional<Value>(number);
  }

  std::string_view rest_;
};

}  // namespace

Config config_from_json(std::string_view text) {
  if (auto config = PlainReader(text).read()) return std::move(*config);
  const auto object = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!object.is_object()) throw UserError("a configuration must be a JSON object", {}, "e.g. {\"block_size\": 256}");
  Config config;
  for (const auto& [key, value] : object.items()) {
    if (value.is_boolean()) {
      config.params.emplace_back(key, Value{value.get<bool>()});
    } else if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
      throw UserError("parameter '" + key + "' does not fit 64 bits");
    } else if (value.is_number_integer()) {
      config.params.emplace_back(key, Value{value.get<std::int64_t>()});
    } else if (value.is_string()) {
      config.params.emplace_back(key, Value{Name{value.get<std::string>()}});
    } else {
      throw UserError("parameter '" + key + "' must be an integer, a boolean or a string");
    }
  }
  return config;
}

}  // namespace tuner
