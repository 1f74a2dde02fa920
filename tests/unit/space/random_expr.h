// Random well-formed expressions, integer or boolean, that may still fail when they are evaluated.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace tuner::space {

class RandomExpr {
 public:
  RandomExpr(unsigned seed, std::vector<std::string> integers) : random_(seed), integers_(std::move(integers)) {}

  std::string integer(int depth) {
    if (depth == 0) return pick(3) != 0 ? integers_[pick(integers_.size())] : std::to_string(pick(50));
    const auto a = [&] { return integer(depth - 1); };
    switch (pick(10)) {
      case 0:
        return a() + " + " + a();
      case 1:
        return a() + " - " + a();
      case 2:
        return a() + " * " + a();
      case 3:
        return "(" + a() + ") // (" + a() + ")";
      case 4:
        return "(" + a() + ") % (" + a() + ")";
      case 5:
        return "-" + ("(" + a() + ")");
      case 6:
        return "(" + boolean(depth - 1) + " ? " + a() + " : " + a() + ")";
      case 7:
        return (pick(2) != 0 ? "min(" : "max(") + a() + ", " + a() + ", " + a() + ")";
      case 8:
        return "ceil_div(" + a() + ", " + a() + ")";
      default:
        return (pick(2) != 0 ? "log2(" : "pow2(") + a() + ")";
    }
  }

  std::string boolean(int depth) {
    if (depth == 0) return pick(2) != 0 ? "true" : "variant == vec";
    static const char* const kCompare[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
    switch (pick(5)) {
      case 0:
        return "(" + boolean(depth - 1) + " && " + boolean(depth - 1) + ")";
      case 1:
        return "(" + boolean(depth - 1) + " || " + boolean(depth - 1) + ")";
      case 2:
        return "!(" + boolean(depth - 1) + ")";
      case 3:
        return "(" + integer(depth - 1) + " in (" + integer(depth - 1) + ", " + integer(depth - 1) + "))";
      default:
        return "(" + integer(depth - 1) + kCompare[pick(6)] + integer(depth - 1) + ")";
    }
  }

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }

  std::mt19937 random_;
  std::vector<std::string> integers_;
};

}  // namespace tuner::space
