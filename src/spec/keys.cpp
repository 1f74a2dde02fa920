#include "spec/keys.h"

#include <cassert>

namespace tuner::spec {

const KeysOfMaps& manifest_keys() {
  static const KeysOfMaps kKeys = {
      {"manifest",
       {"tuner",     "kernel",        "family",    "dtype",           "doc",      "source",     "entry",
        "requires",  "target",        "dims",      "facts",           "params",   "where",      "default",
        "args",      "steps",         "let",       "traffic",         "flops",    "bound_by",   "reference",
        "chain",     "deterministic", "baselines", "bytes_in_flight", "compiler", "options",    "include_dirs",
        "defines",   "bound",         "terms",     "exact_integers",  "awkward",  "arithmetic", "metrics",
        "objective", "dependent",     "reread"}},
      {"param", {"values", "when"}},
      {"constraint", {"expr", "why"}},
      {"buffer", {"name", "type", "size", "role", "hot", "align", "fill", "edges", "set", "timed", "symbol", "when"}},
      {"scalar", {"name", "type", "value"}},
      {"struct", {"name", "fields"}},
      {"field", {"type", "value"}},
      {"memset", {"memset", "value", "when"}},
      {"launch",
       {"launch", "grid", "block", "shared", "when", "template", "args", "cluster", "cooperative", "repeat", "index"}},
      {"repeat", {"repeat", "index", "steps"}},
      {"option", {"option", "value", "when"}},
      {"traffic", {"read", "write"}},
      {"baseline", {"name", "function", "source", "libraries"}},
      {"kernel_baseline", {"kernel"}},
      {"bound", {"relative", "absolute", "why"}},
      {"objective", {"metric", "goal"}},
      {"dependent", {"when", "feeds"}},
      {"host_reference", {"host", "source"}},
      {"kernel_reference", {"kernel", "magnitude", "source", "grid", "block", "shared"}},
      {"data_reference", {"data"}}};
  return kKeys;
}

const KeysOfMaps& sweep_keys() {
  static const KeysOfMaps kKeys = {
      {"sweep", {"tuner", "gpu", "kernels", "anchors", "shapes", "facts", "regime", "search", "budget"}},
      {"sweep_gpu", {"name", "arch"}},
      {"sweep_kernel", {"kernel", "anchors", "shapes", "params", "facts"}},
      {"sweep_budget", {"time", "trials"}}};
  return kKeys;
}

const std::vector<std::string>& keys_of(std::string_view map) {
  for (const KeysOfMaps* language : {&manifest_keys(), &sweep_keys()})
    for (const auto& [name, keys] : *language)
      if (name == map) return keys;
  assert(false && "no such map");
  static const std::vector<std::string> kNone;
  return kNone;
}

}  // namespace tuner::spec
