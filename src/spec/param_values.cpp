#include "spec/param_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "core/suggest.h"

namespace tuner::spec {
namespace {

const space::Param& param_at(const KernelSpec& kernel, const Cursor& key) {
  std::vector<std::string> known;
  for (const space::Param& param : kernel.space.params) {
    if (param.name == key.text()) return param;
    known.push_back(param.name);
  }
  key.fail("'" + kernel.name + "' has no parameter '" + key.text() + "'", did_you_mean(key.text(), known));
}

}  // namespace

std::vector<Value> values_for(const KernelSpec& kernel, const Cursor& key, const Cursor& body) {
  const space::Param& param = param_at(kernel, key);
  std::vector<std::string> known;
  for (const Value& value : param.values) known.push_back(to_text(value));
  std::vector<Value> values;
  for (const Cursor& item : body.items_or_one()) {
    const Value value = item.value();
    if (std::find(param.values.begin(), param.values.end(), value) == param.values.end())
      item.fail(fmt::format("'{}' is not a value of '", to_text(value)) + param.name + "'",
                did_you_mean(to_text(value), known));
    values.push_back(value);
  }
  if (values.empty()) body.fail("'" + param.name + "' has no values");
  return values;
}

}  // namespace tuner::spec
