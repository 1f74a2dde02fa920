#include "compile/host_lacks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>

#include "core/identifier.h"

namespace tuner::compile {
namespace {

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

bool ends(std::string_view text, std::string_view with) {
  return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}

// Words that CUDA brings. Those with two underscores in front are the compiler's, whichever it is.
bool is_word_of_cuda(std::string_view word) {
  for (const char* lead : {"__", "tex1D", "tex2D", "tex3D", "texCubemap", "surf1D", "surf2D", "surf3D", "cudaTexture",
                           "cudaSurface", "atomic"})
    if (begins(word, lead)) return true;
  constexpr std::array all{"clock",
                           "clock64",
                           "clusterIdx",
                           "clusterDim",
                           "cyl_bessel_i0",
                           "cyl_bessel_i1",
                           "erfcinv",
                           "erfcx",
                           "erfinv",
                           "free",
                           "j0",
                           "j1",
                           "jn",
                           "lgamma",
                           "llmax",
                           "llmin",
                           "malloc",
                           "norm",
                           "norm3d",
                           "norm4d",
                           "normcdfinv",
                           "rhypot",
                           "rnorm",
                           "rnorm3d",
                           "rnorm4d",
                           "sincospi",
                           "ullmax",
                           "ullmin",
                           "umax",
                           "umin",
                           "y0",
                           "y1",
                           "yn",
                           "nextafter",
                           "remquo",
                           "scalbln"};
  for (const std::string_view each : all)
    if (word == each || (ends(word, "f") && word.substr(0, word.size() - 1) == each)) return true;
  return false;
}

bool is_header_of_cuda(std::string_view name) {
  for (const char* lead : {"cuda", "cub/", "thrust/", "cooperative_groups", "mma.h", "nv/", "curand", "cublas",
                           "cutlass", "cute/", "vector_", "math_constants", "sm_", "device_"})
    if (begins(name, lead)) return true;
  return false;
}

// A name in the quotes of a message, whatever the locale makes of them.
constexpr const char* quoted = R"((?:'|‘)([^'’]+)(?:'|’))";

std::optional<std::string> found(const std::string& line, const std::string& pattern) {
  std::smatch match;
  if (!std::regex_search(line, match, std::regex(pattern))) return std::nullopt;
  return match[1];
}

std::string place_of(std::string_view line, const std::string& source) {
  if (begins(line, "<stdin>")) return source;  // a header that came to the front
  std::string place(line.substr(0, line.find(": ")));
  if (const auto column = place.rfind(':'); column != std::string::npos && place.find(':') < column)
    place.erase(column);
  return place;
}

// Of one line.
std::string lacks(const std::string& line, const std::string& source) {
  const std::string name(quoted);
  const std::string end = "; CUDA's compilers have it: use a GPU, or put another way under #ifdef TUNER_HOST";
  for (const std::string& pattern :
       {name + " was not declared", name + " does not name a type", name + " has not been declared",
        name + " is not a type", "undeclared identifier " + name, "unknown type name " + name}) {
    const auto word = found(line, pattern);
    if (word && is_word_of_cuda(*word)) return place_of(line, source) + ": the host device lacks '" + *word + "'" + end;
  }
  for (const std::string& pattern : {std::string("error: (\\S+): No such file"), name + " file not found"}) {
    const auto header = found(line, pattern);
    if (header && is_header_of_cuda(*header))
      return place_of(line, source) + ": the host device lacks the header '" + *header + "'" + end;
  }
  return {};
}

}  // namespace

std::string host_lacks(std::string_view log, const std::string& source) {
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    if (line.size() > 1000 || line.find("error: ") == std::string_view::npos) continue;
    if (std::string told = lacks(std::string(line), source); !told.empty()) return told;
  }
  return {};
}

}  // namespace tuner::compile
