#include "export/header_text.h"

namespace tuner::exporting {

const std::string_view header_sized = R"text(
// Whole numbers that know whether a result of theirs fitted 64 bits, for sizes that only a hopeless problem has.
namespace tuner_expr {

  struct Sized {
    long long value = 0;
    bool known = true;
    TUNER_EXPORT_HD constexpr Sized(long long n, bool k = true) : value(n), known(k) {}
  };

  TUNER_EXPORT_HD constexpr Sized operator+(Sized a, Sized b) {
    constexpr long long most = 9223372036854775807ll;
    const bool fits = b.value > 0 ? a.value <= most - b.value : a.value >= -most - 1 - b.value;
    return a.known && b.known && fits ? Sized{a.value + b.value} : Sized{0, false};
  }
  TUNER_EXPORT_HD constexpr Sized operator-(Sized a) {
    return a.known && a.value != -9223372036854775807ll - 1 ? Sized{-a.value} : Sized{0, false};
  }
  TUNER_EXPORT_HD constexpr Sized operator-(Sized a, Sized b) { return a + -b; }
  TUNER_EXPORT_HD constexpr Sized operator*(Sized a, Sized b) {
    if (!a.known || !b.known) return {0, false};
    if (a.value == 0 || b.value == 0) return {0};
    const bool negative = (a.value < 0) != (b.value < 0);
    const auto size = [](long long n) {
      return n < 0 ? 0ull - static_cast<unsigned long long>(n) : static_cast<unsigned long long>(n);
    };
    const unsigned long long most = negative ? 1ull << 63 : (1ull << 63) - 1;
    return size(a.value) > most / size(b.value) ? Sized{0, false} : Sized{a.value * b.value};
  }
  TUNER_EXPORT_HD constexpr bool operator==(Sized a, Sized b) { return a.value == b.value; }
  TUNER_EXPORT_HD constexpr bool operator!=(Sized a, Sized b) { return a.value != b.value; }
  TUNER_EXPORT_HD constexpr bool operator<(Sized a, Sized b) { return a.value < b.value; }
  TUNER_EXPORT_HD constexpr bool operator<=(Sized a, Sized b) { return a.value <= b.value; }
  TUNER_EXPORT_HD constexpr bool operator>(Sized a, Sized b) { return a.value > b.value; }
  TUNER_EXPORT_HD constexpr bool operator>=(Sized a, Sized b) { return a.value >= b.value; }

  TUNER_EXPORT_HD constexpr bool divides(Sized a, Sized b) {
    return a.known && b.known && a.value >= 0 && b.value > 0;
  }
  TUNER_EXPORT_HD constexpr Sized div(Sized a, Sized b) {
    return divides(a, b) ? Sized{a.value / b.value} : Sized{0, false};
  }
  TUNER_EXPORT_HD constexpr Sized mod(Sized a, Sized b) {
    return divides(a, b) ? Sized{a.value % b.value} : Sized{0, false};
  }
  TUNER_EXPORT_HD constexpr Sized ceil_div(Sized a, Sized b) {
    return divides(a, b) ? Sized{a.value / b.value + (a.value % b.value != 0 ? 1 : 0)} : Sized{0, false};
  }
  TUNER_EXPORT_HD constexpr Sized min(Sized a, Sized b) {
    return {b.value < a.value ? b.value : a.value, a.known && b.known};
  }
  TUNER_EXPORT_HD constexpr Sized max(Sized a, Sized b) {
    return {a.value < b.value ? b.value : a.value, a.known && b.known};
  }
  template <class... Rest>
  TUNER_EXPORT_HD constexpr Sized min(Sized a, Sized b, Rest... rest) {
    return min(min(a, b), Sized{rest}...);
  }
  template <class... Rest>
  TUNER_EXPORT_HD constexpr Sized max(Sized a, Sized b, Rest... rest) {
    return max(max(a, b), Sized{rest}...);
  }
  TUNER_EXPORT_HD constexpr Sized pow2(Sized n) {
    return n.known && n.value >= 0 && n.value <= 62 ? Sized{1ll << n.value} : Sized{0, false};
  }
  TUNER_EXPORT_HD constexpr Sized log2(Sized n) {
    return n.known && n.value >= 1 ? Sized{log2(n.value)} : Sized{0, false};
  }

  // Whether the value is one of low to high.
  TUNER_EXPORT_HD constexpr bool is_between(Sized n, long long low, long long high) {
    return n.known && n.value >= low && n.value <= high;
  }

}  // namespace tuner_expr
)text";

}  // namespace tuner::exporting
