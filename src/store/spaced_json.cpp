#include "store/spaced_json.h"

namespace tuner::store {

std::string spaced_json(std::string_view compact) {
  std::string text;
  bool in_string = false;
  for (std::size_t i = 0; i < compact.size(); ++i) {
    const char c = compact[i];
    text += c;
    if (in_string && c == '\\' && i + 1 < compact.size()) text += compact[++i];
    if (c == '"') in_string = !in_string;
    if (!in_string && (c == ',' || c == ':')) text += ' ';
  }
  return text;
}

}  // namespace tuner::store
