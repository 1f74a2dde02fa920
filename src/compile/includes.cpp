#include "compile/includes.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "compile/code_pieces.h"
#include "core/error.h"

namespace tuner::compile {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 64;

// Goes through the lines of a text. A directive in a comment is none.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text), code_(comments_blanked(text)) {}

  bool next() {
    if (next_ >= text_.size()) return false;
    const auto size = std::min(text_.find('\n', next_), text_.size()) - next_;
    line_ = text_.substr(next_, size);
    code_line_ = std::string_view(code_).substr(next_, size);
    next_ += size + 1;
    ++number_;
    return true;
  }
  std::string_view line() const { return line_; }
  int number() const { return number_; }

  // The words of `# directive rest`, or nothing.
  std::optional<std::pair<std::string_view, std::string_view>> directive() const {
    auto text = trimmed(code_line_);
    if (text.empty() || text.front() != '#') return std::nullopt;
    text = trimmed(text.substr(1));
    std::size_t size = 0;
    while (size < text.size() && std::isalpha(static_cast<unsigned char>(text[size])) != 0) ++size;
    return std::pair(text.substr(0, size), trimmed(text.substr(size)));
  }

 private:
  static std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
  }

  std::string_view text_;
  std::string code_;
  std::size_t next_ = 0;
  std::string_view line_, code_line_;
  int number_ = 0;
};

std::optional<std::string> included_name(const Lines& lines, char open = '"', char close = '"') {
  const auto directive = lines.directive();
  if (!directive || directive->first != "include" || directive->second.empty() || directive->second.front() != open)
    return std::nullopt;
  const auto name = directive->second.substr(1);
  const auto end = name.find(close);
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  return std::string(name.substr(0, end));
}

bool is_pragma_once(const Lines& lines) {
  const auto directive = lines.directive();
  return directive && directive->first == "pragma" && directive->second.substr(0, 4) == "once";
}

class Closure {
 public:
  explicit Closure(const IncludePlaces& places) : places_(places) {}

  void add(std::string_view text, const std::string& path) {
    for (const auto& include : includes_of(text)) add_one(include, path);
  }
  std::vector<Header> headers;

 private:
  void add_one(const IncludeLine& include, const std::string& path) {
    const std::string where = path + ":" + std::to_string(include.line);
    const std::string file = find(include.name, path, where);
    if (file.empty()) return;
    const auto [known, fresh] = files_.emplace(include.name, file);
    if (!fresh && known->second != file)
      throw UserError("'" + include.name + "' means two files: " + known->second + " and " + file, where,
                      "rename one of them");
    if (!fresh) return;
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (!(text << stream.rdbuf()) && stream.peek() != std::ifstream::traits_type::eof())
      throw UserError("cannot read '" + file + "'", where);
    headers.push_back({include.name, text.str()});
    add(text.str(), file);
  }

  // Empty: the compiler finds it.
  std::string find(const std::string& name, const std::string& path, const std::string& where) const {
    std::vector<std::string> folders{fs::path(path).parent_path().string()};
    folders.insert(folders.end(), places_.folders.begin(), places_.folders.end());
    std::string looked;
    for (const auto& folder : folders) {
      const fs::path candidate = fs::path(folder) / name;
      std::error_code error;
      if (fs::is_regular_file(candidate, error)) return fs::weakly_canonical(candidate).string();
      if (looked.find(folder) == std::string::npos) looked += (looked.empty() ? "" : ", ") + folder;
    }
    if (places_.compiler_has_others || !find_include(name, places_.outside).empty()) return {};
    for (const auto& folder : places_.outside) looked += ", " + folder;
    throw UserError("header '" + name + "' is not found", where, "looked in " + looked);
  }

  const IncludePlaces& places_;
  std::map<std::string, std::string> files_;  // by name as included
};

class Inliner {
 public:
  explicit Inliner(const std::vector<Header>& headers) : headers_(headers) {}

  void add(std::string_view text, int depth) {
    for (Lines lines(text); lines.next();) {
      if (depth > 0 && is_pragma_once(lines)) continue;
      const auto name = included_name(lines);
      const auto* header = name ? find(*name) : nullptr;
      if (header == nullptr || depth >= kMaxDepth) {
        result += lines.line();
        result += '\n';
      } else if (done_.count(header->name) == 0) {
        if (has_pragma_once(header->text)) done_.insert(header->name);
        add(header->text, depth + 1);
      }
    }
  }
  std::string result;

 private:
  const Header* find(const std::string& name) const {
    for (const auto& header : headers_)
      if (header.name == name) return &header;
    return nullptr;
  }
  static bool has_pragma_once(std::string_view text) {
    for (Lines lines(text); lines.next();)
      if (is_pragma_once(lines)) return true;
    return false;
  }

  const std::vector<Header>& headers_;
  std::set<std::string> done_;
};

}  // namespace

std::vector<IncludeLine> includes_of(std::string_view text) {
  std::vector<IncludeLine> all;
  for (Lines lines(text); lines.next();)
    if (auto name = included_name(lines)) all.push_back({std::move(*name), lines.number()});
  return all;
}

std::vector<IncludeLine> angle_includes_of(std::string_view text) {
  std::vector<IncludeLine> all;
  for (Lines lines(text); lines.next();)
    if (auto name = included_name(lines, '<', '>')) all.push_back({std::move(*name), lines.number()});
  return all;
}

bool has_angle_includes(const Source& source) {
  // Most texts have no such line, and every configuration is asked: they are told by one word.
  const auto has = [](std::string_view text) {
    constexpr std::string_view word = "include";
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const auto next = text.find_first_not_of(" \t", at + word.size());
      if (next != std::string_view::npos && text[next] == '<') return !angle_includes_of(text).empty();
    }
    return false;
  };
  return has(source.text) ||
         std::any_of(source.headers.begin(), source.headers.end(), [&](const Header& h) { return has(h.text); });
}

std::string find_include(const std::string& name, const std::vector<std::string>& folders) {
  for (const auto& folder : folders) {
    const fs::path candidate = fs::path(folder) / name;
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) return candidate.string();
  }
  return {};
}

std::vector<Header> include_closure(std::string_view text, const std::string& path, const IncludePlaces& places) {
  Closure closure(places);
  closure.add(text, path);
  return std::move(closure.headers);
}

std::string inline_headers(std::string_view text, const std::vector<Header>& headers) {
  Inliner inliner(headers);
  inliner.add(text, 0);
  return std::move(inliner.result);
}

}  // namespace tuner::compile
