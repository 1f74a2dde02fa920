#include "cli/compare_pairs.h"

#include <algorithm>

#include "cli/compare_sides.h"
#include "cli/knowledge.h"
#include "core/error.h"
#include "spec/resolve.h"
#include "store/gpu_choice.h"

namespace tuner::cli {
namespace {

// What the flags leave.
class Filter {
 public:
  explicit Filter(const Arguments& arguments)
      : kernel_(arguments.text("--kernel")),
        gpu_(arguments.text("--gpu")),
        regime_(arguments.text("--regime")),
        facts_(parse_assignments(arguments.all("--set"), "--set")) {
    if (arguments.has("--shape")) dims_ = parse_shape(arguments.text("--shape"), "--shape");
  }

  bool operator()(const Asked& asked) const {
    const auto has = [&asked](const auto& fact) {
      const Value* value = asked.problem.fact(fact.first);
      return value != nullptr && *value == fact.second;
    };
    return (kernel_.empty() || asked.problem.kernel == kernel_) && (dims_.empty() || asked.problem.dims == dims_) &&
           (regime_.empty() || asked.regime == regime_) && (gpu_.empty() || store::is_called(asked.gpu, gpu_)) &&
           std::all_of(facts_.begin(), facts_.end(), has);
  }

 private:
  std::string kernel_, gpu_, regime_;
  std::vector<std::int64_t> dims_;
  Facts facts_;
};

std::vector<Asked> known_of_here(const Known& known, const std::optional<GpuFacts>& here) {
  std::vector<Asked> all;
  for (const store::Entry& entry : known.layers.outlines()) {
    if (entry.emulated || entry.shared_gpu || (here && !store::same_model(entry.gpu, *here))) continue;
    const bool again = std::any_of(all.begin(), all.end(), [&entry](const Asked& asked) {
      return same_problem(asked.problem, entry.result.problem) && asked.regime == entry.result.regime &&
             store::same_model(asked.gpu, entry.gpu);
    });
    if (!again && known.catalog.find(entry.result.problem.kernel) != nullptr)
      all.push_back({entry.result.problem, entry.result.regime, entry.gpu});
  }
  return all;
}

// The problem of --kernel, --shape and --set on every GPU of --gpu that has results, else the one that is here.
std::vector<Asked> named_problem(const Known& known, const std::optional<GpuFacts>& here) {
  const Arguments& arguments = known.context.arguments;
  const std::string regime = arguments.text("--regime", spec::plain_regime);
  const spec::KernelSpec& kernel = spec::in_regime(
      kernel_named(known.context, known.catalog, arguments.required("--kernel"), "--kernel"), regime, "--regime");
  const Problem problem = spec::make_problem(kernel, parse_shape(arguments.required("--shape"), "--shape"),
                                             parse_assignments(arguments.all("--set"), "--set"), "--set");
  store::Query query;
  query.gpu = arguments.text("--gpu");
  query.here = here;
  std::vector<Asked> all;
  for (const GpuFacts& gpu : store::choose_gpus(query, known.layers.outlines())) all.push_back({problem, regime, gpu});
  return all;
}

std::vector<Asked> asked_of(const Side& a, const Side& b, const Known& known, const std::optional<GpuFacts>& here) {
  std::vector<Asked> all = a.known();
  if (all.empty()) all = b.known();
  if (!all.empty()) return all;
  if (known.context.arguments.has("--shape")) return named_problem(known, here);
  all = known_of_here(known, here && here->name != "host" ? here : std::nullopt);
  if (all.empty())
    throw UserError("which problem? neither side has results, and none are known", "tuner compare",
                    "name it: --kernel gemv_f16 --shape 4096x14336");
  return all;
}

std::string some_of(const Side& side) {
  const std::vector<Asked> all = side.known();
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 3); ++i)
    text += (i == 0 ? "" : ", ") + name_of(all[i].problem) +
            (all[i].regime == spec::plain_regime ? "" : " " + all[i].regime);
  return text + (all.size() > 3 ? ", ..." : "");
}

[[noreturn]] void nothing_in_common(const Side& a, const Side& b, const std::string& why) {
  std::string hint;
  if (!a.known().empty()) hint = "A has " + some_of(a);
  if (!b.known().empty()) hint += (hint.empty() ? "B has " : "; B has ") + some_of(b);
  throw NothingFound(
      "there is no problem that both " + a.title() + " and " + b.title() + " know" + (why.empty() ? "" : ": " + why),
      "tuner compare", hint);
}

}  // namespace

std::vector<Pair> pairs_of(const Side& a, const Side& b, const Known& known, const std::optional<GpuFacts>& here) {
  const Filter wanted(known.context.arguments);
  std::vector<Pair> pairs;
  std::string why;
  for (const Asked& asked : asked_of(a, b, known, here)) {
    if (!wanted(asked)) continue;
    Pair pair{asked, a.choose(asked), b.choose(asked)};
    const std::string& missing = pair.a.missing.empty() ? pair.b.missing : pair.a.missing;
    if (missing.empty())
      pairs.push_back(std::move(pair));
    else if (why.empty())
      why = missing;
  }
  if (pairs.empty()) nothing_in_common(a, b, why);
  return pairs;
}

}  // namespace tuner::cli
