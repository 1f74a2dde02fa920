// Every key of the manifest and sweep languages, by the map it stands in. One table: the readers ask it, and a test
// holds it against schemas/.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner::spec {

using KeysOfMaps = std::vector<std::pair<std::string, std::vector<std::string>>>;

// "manifest" is the whole file, the others maps within it.
const KeysOfMaps& manifest_keys();
// "sweep" is the whole file.
const KeysOfMaps& sweep_keys();
// Of one map of either; `map` must be one of theirs.
const std::vector<std::string>& keys_of(std::string_view map);

}  // namespace tuner::spec
