#include "measure/asked_on.h"

#include <fmt/core.h>

namespace tuner::measure {
namespace {

// Why the bound that `terms` and `chain` give may not be this kernel's.
std::string underived(const Reference& reference, std::int64_t terms) {
  constexpr const char* remedy = "`bound: {relative: ..., absolute: ..., why: ...}`";
  if (reference.lesser)
    return fmt::format(
        ": the kernel does not only add, its reference gives {:.3g} for the inputs' absolute values, so that `terms` "
        "and `chain` bound nothing: state {}",
        *reference.lesser, remedy);
  if (terms == 1)
    return fmt::format(
        ", with the bound of one value a result (`terms: 1`): a kernel that adds up more says how many in `terms`; one "
        "that clamps, rounds, compares, divides or takes min or max states {}",
        remedy);
  return fmt::format(
      ", with the bound of `terms` and `chain`, which holds for sums of products alone: a kernel that clamps, rounds, "
      "compares, divides or takes min or max states {}",
      remedy);
}

}  // namespace

std::string asked_on(DataSet set, const Expectation& expected, const Workload& workload) {
  const ReferencePlan& plan = workload.reference;
  const std::string on = set == DataSet::exact ? "; on small integers" : "; on what `fill` says";
  if (!is_floating(expected.reference->type)) return on + ": integers are compared exactly";
  if (plan.bound.kind == ErrorBound::Kind::exact) return on + ", with `bound: exact`";
  if (expected.exact) return on + ", where results are exact (else `exact_integers: false`)";
  return on + (expected.tolerance.steps ? underived(*expected.reference, workload.terms) : ", with the stated `bound`");
}

}  // namespace tuner::measure
