// Pins and forbids for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "report/style.h"
#include "store/lookup.h"

namespace tuner::report {

// "gemv_f16 4096x4096 batch=4 on h200": facts that are not plain left out.
std::string pin_title(const store::Pin& pin);
std::string forbid_title(const store::Forbid& forbid);

// What was pinned, and what it answers on every GPU it is known for; `origin` says where the configuration comes from,
// `unused` why it is not in force, if so.
std::string pin_text(const store::Pin& pin, const std::vector<store::Answer>& answers, const std::string& origin,
                     const std::string& unused, const Style& style);
std::string pin_json(const store::Pin& pin, const std::vector<store::Answer>& answers, const std::string& origin,
                     const std::string& unused);
std::string unpin_text(const store::Pin& pin, const Style& style);
std::string unpin_json(const store::Pin& pin);
std::string forbid_text(const store::Forbid& forbid, bool removed, const std::string& unused, const Style& style);
std::string forbid_json(const store::Forbid& forbid, bool removed, const std::string& unused);

// "4.2% against the best known", "nothing against the best known", "not known".
std::string cost_text(const std::optional<double>& cost);

// Both lists, a row each; empty where there is none.
std::string overrules_text(const std::vector<store::Pin>& pins, const std::vector<store::Forbid>& forbids,
                           const Style& style);
// JSON arrays.
std::string pins_json(const std::vector<store::Pin>& pins);
std::string forbids_json(const std::vector<store::Forbid>& forbids);

}  // namespace tuner::report
