#include "spec/integer_fill.h"

namespace tuner::spec {

std::string_view integer_fill(Type type) {
  switch (type) {
    case Type::boolean:
      return "uniform(0, 2)";
    case Type::i4:
      return "uniform(-8, 8)";
    case Type::u4:
      return "uniform(0, 16)";
    case Type::i8:
      return "uniform(-128, 128)";
    case Type::u8:
      return "uniform(0, 256)";
    default:
      return is_signed(type) ? "uniform(-1000, 1000)" : "uniform(0, 1000)";
  }
}

}  // namespace tuner::spec
