#include "compile/own_defines.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "compile/code_pieces.h"
#include "compile/integer_constants.h"
#include "core/identifier.h"

namespace tuner::compile {
namespace {

struct Directive {
  std::string word;       // "define"
  std::string_view rest;  // may hold continued lines
  std::size_t begin = 0, end = 0;
};

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

std::vector<Directive> directives_of(std::string_view code) {
  std::vector<Directive> all;
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = std::min(code.find('\n', at), code.size());
    const auto continues = [&] {
      std::size_t last = end;
      while (last > at && (code[last - 1] == ' ' || code[last - 1] == '\r')) --last;
      return last > at && code[last - 1] == '\\' && end < code.size();
    };
    while (continues()) end = std::min(code.find('\n', end + 1), code.size());
    const std::string_view text = without_blanks(code.substr(at, end - at));
    if (!text.empty() && text.front() == '#') {
      const std::string_view inner = without_blanks(text.substr(1));
      const std::string_view word = first_word(inner);
      all.push_back({std::string(word), without_blanks(inner.substr(word.size())), at, end});
    }
    at = end + 1;
  }
  return all;
}

// Whether this condition holds only where `name` is not defined.
bool asks_undefined(const Directive& directive, const std::string& name) {
  if (directive.word == "ifndef") return first_word(directive.rest) == name;
  if (directive.word != "if" && directive.word != "elif") return false;
  std::string text;
  for (const char c : directive.rest)
    if (!is_space(c)) text += c;
  if (text.find("||") != std::string::npos) return false;
  const std::size_t at = text.find("!defined(" + name + ")");
  const std::size_t bare = text.find("!defined" + name);
  return at != std::string::npos ||
         (bare != std::string::npos && first_word(std::string_view(text).substr(bare + 8)) == name);
}

bool asks_defined(const Directive& directive, const std::string& name) {
  return directive.word == "ifdef" && first_word(directive.rest) == name;
}

// Whether it opens, changes or closes a condition; keeps what guards `name` in `guards`.
bool follow(const Directive& directive, const std::string& name, std::vector<std::pair<bool, bool>>& guards) {
  const std::string& word = directive.word;
  if (word == "if" || word == "ifdef" || word == "ifndef") {
    guards.emplace_back(asks_undefined(directive, name), asks_defined(directive, name));
  } else if (word == "elif" || word == "else") {
    if (!guards.empty())
      guards.back() = {guards.back().second || asks_undefined(directive, name), guards.back().second};
  } else if (word == "endif") {
    if (!guards.empty()) guards.pop_back();
  } else {
    return false;
  }
  return true;
}

// The name that the text ends with, but for white space.
std::string_view last_name(std::string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && in_identifier(text[begin - 1])) --begin;
  return text.substr(begin);
}

// Every configuration is looked through, and hardly any source has one: only what may be one is read closely.
bool may_define(std::string_view text, const std::vector<std::string>& names) {
  const auto wanted = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  constexpr std::string_view word = "define";
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (wanted(first_word(without_blanks(text.substr(at + word.size()))))) return true;
  // How such a declaration begins, what stands behind its names, and how it ends.
  constexpr std::array<std::array<const char*, 3>, 2> kinds{{{"const", "={", ";"}, {"enum", "=,}", ";"}}};
  for (const auto& [start, behind_name, stop] : kinds)
    for (auto at = text.find(start); at != std::string_view::npos;) {
      const std::size_t end = std::min(text.find(stop, at), text.size());
      const std::string_view part = text.substr(at, end - at);
      for (auto i = part.find_first_of(behind_name); i != std::string_view::npos;
           i = part.find_first_of(behind_name, i + 1))
        if (wanted(last_name(part.substr(0, i)))) return true;
      at = text.find(start, end);
    }
  return false;
}

// own: what would replace or break what stands in front. fixed: what gives the name a value that no line in front does
// away with: at file scope, guarded or not.
enum class Which { own, fixed };

// What gives a name a value, or asks whether something did.
struct Definition {
  Directive directive;                               // of a constant: its word is "constant", its rest the name
  const ConstantDeclaration* declaration = nullptr;  // of a constant
  std::size_t index = 0;                             // in it
};

class Definitions {
 public:
  explicit Definitions(std::string_view text)
      : code_(comments_blanked(text)), plain_(plain_code(text, '#')), declarations_(integer_constants(plain_)) {
    for (Directive& each : directives_of(code_)) all_.push_back({std::move(each)});
    for (const ConstantDeclaration& declaration : declarations_)
      for (std::size_t i = 0; i < declaration.constants.size(); ++i) {
        const IntegerConstant& one = declaration.constants[i];
        if (one.name.empty()) continue;
        all_.push_back({{"constant", one.name, one.begin, one.end}, &declaration, i});
      }
    std::stable_sort(all_.begin(), all_.end(),
                     [](const Definition& a, const Definition& b) { return a.directive.begin < b.directive.begin; });
  }

  const std::string& code() const { return code_; }
  const std::vector<ConstantDeclaration>& declarations() const { return declarations_; }

  int line_of(const Definition& one) const {
    const auto begin = code_.begin();
    return 1 + static_cast<int>(std::count(begin, begin + static_cast<std::ptrdiff_t>(one.directive.begin), '\n'));
  }

  // Those of one name.
  std::vector<const Definition*> of(const std::string& name, Which which) const {
    std::vector<const Definition*> found;
    std::vector<std::pair<bool, bool>> guards;  // by open condition: not defined there; its #else is not
    bool undefined = false;
    for (const Definition& each : all_) {
      const Directive& directive = each.directive;
      if (follow(directive, name, guards) || first_word(directive.rest) != name) continue;
      const bool left = std::any_of(guards.begin(), guards.end(), [](const auto& guard) { return guard.first; });
      undefined |= directive.word == "undef" && which == Which::own;
      const bool defines = directive.word == "define" || each.declaration != nullptr;
      const bool local = each.declaration != nullptr && each.declaration->local;
      if (defines && (which == Which::fixed ? !local : !left)) found.push_back(&each);
    }
    return undefined ? std::vector<const Definition*>() : found;
  }

 private:
  std::string code_, plain_;
  std::vector<ConstantDeclaration> declarations_;
  std::vector<Definition> all_;
};

// A text from which parts go; every line keeps its number, comments stay.
class Without {
 public:
  Without(std::string_view text, const std::string& code) : out_(text), code_(code) {}

  void blank(std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin)
      if (code_[begin] != ' ' && code_[begin] != '\n') out_[begin] = ' ';
  }

  // A directive or a declaration. Where no comment is left in it, its lines alone are.
  void all_of(std::size_t begin, std::size_t end) {
    blank(begin, end);
    if (out_.find_first_not_of(" \n", begin) < end) return;
    const auto first = out_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto lines = std::count(first, first + static_cast<std::ptrdiff_t>(end - begin), '\n');
    edits_.push_back({begin, end - begin, std::string(static_cast<std::size_t>(lines), '\n')});
  }

  // Some of the constants of a declaration, each with the comma beside it.
  void some_of(const ConstantDeclaration& declaration, const std::vector<bool>& go) {
    const auto& constants = declaration.constants;
    bool kept = false;
    for (std::size_t i = 0; i < constants.size(); ++i) {
      const IntegerConstant& one = constants[i];
      if (!go[i]) {
        // The enumerator behind one that goes counts on from it.
        if (declaration.is_enum && i > 0 && go[i - 1] && one.value.empty())
          edits_.push_back({one.end, 0, " = " + constants[i - 1].name + " + 1"});
        kept = true;
        continue;
      }
      const std::size_t next = i + 1 < constants.size() ? constants[i + 1].begin : behind_comma(one.end);
      blank(kept ? constants[i - 1].end : one.begin, kept ? one.end : next);
    }
  }

  std::string result() {
    std::sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.at > b.at; });
    for (const Edit& edit : edits_) out_.replace(edit.at, edit.size, edit.text);
    return std::move(out_);
  }

 private:
  struct Edit {
    std::size_t at = 0, size = 0;
    std::string text;
  };

  // An enum may end with one.
  std::size_t behind_comma(std::size_t at) const {
    const std::size_t comma = code_.find_first_not_of(" \n", at);
    return comma != std::string::npos && code_[comma] == ',' ? comma + 1 : at;
  }

  std::string out_;
  const std::string& code_;
  std::vector<Edit> edits_;
};

std::vector<OwnDefine> defines_of(std::string_view text, const std::vector<std::string>& names, Which which) {
  std::vector<OwnDefine> all;
  if (!may_define(text, names)) return all;
  const Definitions definitions(text);
  for (const std::string& name : names)
    for (const Definition* each : definitions.of(name, which)) all.push_back({name, definitions.line_of(*each)});
  std::stable_sort(all.begin(), all.end(), [](const OwnDefine& a, const OwnDefine& b) { return a.line < b.line; });
  return all;
}

}  // namespace

std::vector<OwnDefine> own_defines(std::string_view text, const std::vector<std::string>& names) {
  return defines_of(text, names, Which::own);
}

std::vector<OwnDefine> fixed_defines(std::string_view text, const std::vector<std::string>& names) {
  return defines_of(text, names, Which::fixed);
}

std::string without_own_defines(std::string_view text, const std::vector<std::string>& names) {
  if (!may_define(text, names)) return std::string(text);
  const Definitions definitions(text);
  Without without(text, definitions.code());
  std::map<const ConstantDeclaration*, std::vector<bool>> go;
  for (const std::string& name : names)
    for (const Definition* each : definitions.of(name, Which::own)) {
      if (each->declaration == nullptr) {
        without.all_of(each->directive.begin, each->directive.end);
        continue;
      }
      std::vector<bool>& those = go[each->declaration];
      those.resize(each->declaration->constants.size());
      those[each->index] = true;
    }
  for (const auto& [declaration, those] : go) {
    const bool all = !declaration->named && std::find(those.begin(), those.end(), false) == those.end();
    all ? without.all_of(declaration->begin, declaration->end) : without.some_of(*declaration, those);
  }
  return without.result();
}

}  // namespace tuner::compile
