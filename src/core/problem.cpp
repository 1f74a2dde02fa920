#include "core/problem.h"

#include <algorithm>
#include <charconv>

#include "core/config.h"
#include "core/error.h"

namespace tuner {

const Value* Problem::fact(std::string_view name) const {
  for (const auto& [key, value] : facts)
    if (key == name) return &value;
  return nullptr;
}

std::string smaller_awkward(std::size_t dims) {
  constexpr std::int64_t odd[] = {37, 131, 5};
  std::vector<std::int64_t> some(dims, 2);
  for (std::size_t i = 0; i < dims && i < 3; ++i) some[i] = dims == 1 ? 131 : odd[i];
  return "`awkward: [" + shape_text(some) + ", " + shape_text(std::vector<std::int64_t>(dims, 1)) +
         "]` in the manifest names smaller shapes to verify at beside its own";
}

std::string shape_text(const std::vector<std::int64_t>& dims) {
  std::string text;
  for (auto dim : dims) {
    if (!text.empty()) text += 'x';
    text += std::to_string(dim);
  }
  return text;
}

std::vector<std::int64_t> parse_shape(std::string_view text, std::string_view where) {
  const auto refuse = [&](const std::string& why) -> UserError {
    return UserError("'" + std::string(text) + "' is not a shape: " + why, std::string(where),
                     "write rows x columns as whole numbers, e.g. 4096x14336");
  };
  std::vector<std::int64_t> dims;
  std::int64_t product = 1;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    if (part.empty()) throw refuse(dims.empty() ? "it does not begin with a number" : "a number is missing after 'x'");
    std::int64_t dim = 0;
    const auto [stop, fault] = std::from_chars(part.data(), part.data() + part.size(), dim, 10);
    if (fault == std::errc::result_out_of_range) throw refuse("'" + std::string(part) + "' does not fit 64 bits");
    if (fault != std::errc{} || stop != part.data() + part.size())
      throw refuse("'" + std::string(part) + "' is not a whole number");
    if (dim < 1) throw refuse("'" + std::string(part) + "' is less than 1");
    if (__builtin_mul_overflow(product, dim, &product)) throw refuse("it has more than 2^63 elements");
    dims.push_back(dim);
    if (end == text.size()) break;
    begin = end + 1;
  }
  return dims;
}

std::string facts_key(const Facts& facts) {
  Facts sorted = facts;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [name, value] : sorted) {
    if (!text.empty()) text += ' ';
    text += name + "=" + to_text(value);
  }
  return text;
}

std::string to_json(const Facts& facts) { return to_json(Config{facts}); }
Facts facts_from_json(std::string_view text) { return config_from_json(text).params; }

}  // namespace tuner
