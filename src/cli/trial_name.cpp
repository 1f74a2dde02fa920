#include "cli/trial_name.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/error.h"
#include "core/suggest.h"

namespace tuner::cli {
namespace {

const std::vector<std::string> layers{"user", "project", "site", "shipped"};

}  // namespace

std::optional<TrialName> trial_name(const std::string& text) {
  TrialName name;
  const std::size_t colon = text.find(':');
  const std::size_t digits = colon == std::string::npos ? 0 : colon + 1;
  if (digits > 0) name.layer = text.substr(0, colon);
  if (std::find(layers.begin(), layers.end(), name.layer) == layers.end()) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + digits, text.data() + text.size(), name.id);
  if (error != std::errc{} || end != text.data() + text.size() || name.id < 1) return std::nullopt;
  return name;
}

TrialName required_trial_name(const std::string& text, const std::string& where) {
  if (const auto name = trial_name(text)) return *name;
  const std::string what = "'" + text + "' is no trial: they are numbered from 1";
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw UserError(what, where, "of the database: 8; of results files: shipped:8");
  const std::string layer = text.substr(0, colon);
  if (std::find(layers.begin(), layers.end(), layer) != layers.end())
    throw UserError(what, where, "of the " + layer + " layer: " + layer + ":8");
  throw UserError("no layer is called '" + layer + "'", where, did_you_mean(layer, layers));
}

}  // namespace tuner::cli
