#include "store/time_text.h"

#include <array>
#include <ctime>

namespace tuner::store {

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

bool is_time_text(std::string_view text) {
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  if (text.size() != form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return false;
  const auto number = [&text](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  const auto within = [&number](std::size_t at, int least, int most) {
    return number(at) >= least && number(at) <= most;
  };
  return within(5, 1, 12) && within(8, 1, 31) && within(11, 0, 23) && within(14, 0, 59) && within(17, 0, 60);
}

}  // namespace tuner::store
