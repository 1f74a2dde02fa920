#include "spec/fills.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <vector>

#include "spec/integer_fill.h"

namespace tuner::spec {
namespace {

constexpr const char* hint =
    "write uniform(low, high), normal(mean, deviation), constant(value), iota(first, step) or file(PATH)";

[[noreturn]] void refuse(const Cursor& at) { at.fail("'" + at.text() + "' is not a fill", hint); }

// The numbers between the parentheses.
std::vector<double> numbers_in(const Cursor& at, std::string_view inside) {
  std::vector<double> numbers;
  const char *p = inside.data(), *const end = p + inside.size();
  for (;;) {
    while (p != end && *p == ' ') ++p;
    double number = 0;
    const auto [stop, fault] = std::from_chars(p, end, number);
    if (fault != std::errc{} || !(number >= -3e38 && number <= 3e38)) refuse(at);
    numbers.push_back(number);
    for (p = stop; p != end && *p == ' ';) ++p;
    if (p == end) return numbers;
    if (*p++ != ',') refuse(at);
  }
}

// Whether every value rounds toward zero to 0; below 0 there is nothing where the type has no sign.
bool stays_below_one(const Fill& fill, Type type) {
  constexpr double widest = 4.9;  // deviations, of the generator's normal numbers
  const bool normal = fill.kind == Fill::Kind::normal;
  if (!normal && fill.kind != Fill::Kind::uniform) return false;
  const double low = normal ? fill.low - widest * fill.high : fill.low;
  const double high = normal ? fill.low + widest * fill.high : fill.high;
  return high <= 1 && (low >= -1 || !is_signed(type));
}

}  // namespace

std::optional<Remedy> nothing_but_zero(const ArgSpec& arg, Type type) {
  if (!is_read(arg.role) || is_floating(type) || !stays_below_one(arg.fill, type)) return std::nullopt;
  const std::string held = "'" + arg.name + "' is read and holds integers (" + std::string(to_text(type)) + ")";
  const std::string example = std::string(integer_fill(type));
  if (!arg.given_fill)
    return Remedy{held + ": it needs a 'fill'",
                  "all of it would be 0, where a wrong kernel passes: e.g. fill: \"" + example +
                      "\"; an index must stay within what it indexes, at the awkward shapes as well"};
  return Remedy{held + ": its 'fill' gives nothing but 0",
                "integers are rounded toward zero: e.g. \"" + example + "\"; where 0 is meant, constant(0)"};
}

Fill fill_at(const Cursor& at) {
  const std::string& text = at.text();
  if (text == "iota") return {Fill::Kind::iota, 0, 1, {}};
  const std::size_t open = text.find('(');
  if (open == std::string::npos || text.back() != ')') refuse(at);
  const std::string kind = text.substr(0, open);
  const std::string inside = text.substr(open + 1, text.size() - open - 2);
  if (kind == "file") {
    if (inside.empty()) refuse(at);
    const std::filesystem::path folder = std::filesystem::absolute(at.file()).parent_path();
    return {Fill::Kind::file, 0, 0, (folder / inside).lexically_normal().string()};
  }
  const std::vector<double> numbers = numbers_in(at, inside);
  if (kind == "constant" && numbers.size() == 1) return {Fill::Kind::constant, numbers[0], numbers[0], {}};
  if (numbers.size() != 2) refuse(at);
  if (kind == "iota") return {Fill::Kind::iota, numbers[0], numbers[1], {}};
  if (kind == "normal") {
    if (numbers[1] <= 0) at.fail("the deviation of '" + text + "' is not above 0");
    return {Fill::Kind::normal, numbers[0], numbers[1], {}};
  }
  if (kind != "uniform") refuse(at);
  if (numbers[0] >= numbers[1]) at.fail("the low end of '" + text + "' is not below its high end");
  return {Fill::Kind::uniform, numbers[0], numbers[1], {}};
}

}  // namespace tuner::spec
