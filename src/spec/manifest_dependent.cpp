// Which configurations may be launched before their predecessor ends, and what it gives them.
#include <algorithm>

#include "core/suggest.h"
#include "spec/manifest_reader.h"

namespace tuner::spec {
namespace {

// A buffer of a role that `fits`; the others are no answer to a misspelling.
template <class Fits>
const ArgSpec& buffer_named(const std::vector<ArgSpec>& args, const std::string& name, const Cursor& at,
                            const std::string& what, const Fits& fits) {
  std::vector<std::string> known;
  for (const ArgSpec& arg : args) {
    const bool is = arg.size.has_value() && fits(arg);
    if (is && arg.name == name) return arg;
    if (is) known.push_back(arg.name);
  }
  at.fail("'" + name + "' is no " + what, known.empty() ? "there is none" : did_you_mean(name, known));
}

}  // namespace

void ManifestReader::dependent() {
  const auto body = root_.find("dependent");
  if (!body) return;
  keys(*body, "dependent");
  kernel_.dependent.emplace();
  kernel_.dependent->when = expression(*body, "when", Allowed::everything("'dependent'"));
  if (const auto feeds = body->find("feeds"))
    for (const auto& [input, output] : feeds->fields())
      attempt([&, &input = input, &output = output] { feed(input, output); });
}

void ManifestReader::feed(const Cursor& input, const Cursor& output) {
  if (!args_whole_) return;
  const ArgSpec& fed = buffer_named(kernel_.args, input.text(), input, "activation",
                                    [](const ArgSpec& arg) { return arg.role == Role::activation; });
  const ArgSpec& feeder = buffer_named(kernel_.args, output.text(), output, "result",
                                       [](const ArgSpec& arg) { return is_result(arg.role); });
  if (!fed.symbol.empty())
    input.fail("'" + fed.name + "' is a __constant__, which nothing on the GPU writes", "pass it as an argument");
  kernel_.dependent->feeds.emplace_back(fed.name, feeder.name);
}

}  // namespace tuner::spec
