// Any text in any place of a small manifest: a letter says which place, the rest of its line is put there. Refused with
// a UserError, or resolved. Most of any text is no manifest at all, so that manifest_fuzz seldom comes this far.
#include <algorithm>
#include <string>
#include <string_view>

#include "fuzz/use_manifest.h"

namespace {

constexpr std::string_view manifest = R"(tuner: 1
kernel: k
source: k.cu
dims: [N]
facts: {f: $}
params: {a: [1, 2, $], b: {values: [x, y, $], when: $}}
where: ["$"]
reference: $
args:
  - {name: in, type: $, size: $, role: $, align: "$", fill: "$"}
  - {name: out, type: f32, size: "N", role: output}
  - {name: n, type: $, value: $}
steps: [{launch: k, grid: "$", block: "$", shared: "$", when: "$", repeat: $}]
traffic: {read: "$", write: 4}
metrics: {m: "$"}
bound: $
terms: $
)";

// What stands in the places otherwise.
constexpr std::string_view usual[] = {
    "1",   "3", "z",      "a > 1", "true", "none", "f32", "N",     "weight",      "4",     "uniform(0, 1)",
    "i32", "N", "N // 4", "256",   "0",    "true", "1",   "4 * N", "N / time_us", "exact", "N"};

std::string filled(std::string_view lines) {
  std::string texts[std::size(usual)];
  std::copy(std::begin(usual), std::end(usual), texts);
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (!line.empty()) texts[static_cast<unsigned char>(line[0] - 'a') % std::size(usual)] = line.substr(1);
  }
  std::string text;
  std::size_t place = 0;
  for (const char c : manifest)
    if (c == '$')
      text += texts[place++];
    else
      text += c;
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    tuner::use(tuner::spec::parse_kernel(filled({reinterpret_cast<const char*>(data), size}), "fuzz.yaml"));
  } catch (const tuner::UserError&) {
  }
  return 0;
}
