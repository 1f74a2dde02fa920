#include "measure/reference.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "measure/dot_rows.h"
#include "measure/parallel.h"

namespace tuner::measure {
namespace {

constexpr std::int64_t segment = std::int64_t{1} << 17;  // columns one task sums, so that a single long row is shared

struct GemvArguments {
  std::size_t a = 0, x = 0, y = 0;
  std::int64_t rows = 0, columns = 0, batch = 1, row_stride = 0;
};

std::size_t first_with(const Workload& workload, Role role) {
  for (std::size_t i = 0; i < workload.arguments.size(); ++i)
    if (workload.arguments[i].is_buffer && workload.arguments[i].role == role) return i;
  throw UserError(
      "reference 'gemv' of kernel '" + workload.kernel + "' needs an argument of role " + std::string(to_text(role)),
      "", "it computes output[batch][M] = weight[M][row_stride] activation[batch][N]");
}

void need(bool holds, const Workload& workload, const std::string& what) {
  if (!holds)
    throw UserError("reference 'gemv' does not fit kernel '" + workload.kernel + "': " + what, "",
                    "it computes output[batch][M] = weight[M][row_stride] activation[batch][N]");
}

GemvArguments gemv_arguments(const Workload& workload) {
  need(workload.dims.size() == 2, workload, "it needs two dimensions");
  GemvArguments found;
  found.a = first_with(workload, Role::weight);
  found.x = first_with(workload, Role::activation);
  found.y = first_with(workload, Role::output);
  found.rows = workload.dims[0];
  found.columns = workload.dims[1];
  found.batch = workload.batch;
  found.row_stride = workload.row_stride == 0 ? found.columns : workload.row_stride;
  const auto elements = [&](std::size_t i) { return workload.arguments[i].elements; };
  need(found.row_stride >= found.columns, workload, "the row stride is below N");
  need(elements(found.a) >= (found.rows - 1) * found.row_stride + found.columns, workload, "the weights are too few");
  need(elements(found.x) >= found.columns * found.batch, workload, "the activations are too few");
  for (const std::size_t i : {found.a, found.x}) {
    const Argument& argument = workload.arguments[i];
    need(argument.fill.kind == Fill::Kind::uniform || argument.fill.kind == Fill::Kind::constant, workload,
         "'" + argument.name + "' is filled neither uniform nor constant");
    need(is_signed(argument.type) && bits_of(argument.type) >= 8 && argument.type != Type::f8_e4m3 &&
             argument.type != Type::f8_e5m2,
         workload, "'" + argument.name + "' is of type " + std::string(to_text(argument.type)));
  }
  need(elements(found.y) == found.rows * found.batch, workload, "the outputs are not M * batch");
  return found;
}

std::vector<double> activations(const device::FillRequest& request) {
  std::vector<float> floats(static_cast<std::size_t>(request.count));
  parallel((request.count + segment - 1) / segment, 1, [&](std::int64_t i) {
    generate_floats(request, i * segment, std::min(segment, request.count - i * segment), floats.data() + i * segment);
  });
  return {floats.begin(), floats.end()};
}

// Beyond 2^24 terms an exact sum is only exact while it stays below 2^24; the hashed signs see to that, this checks it.
void check_exactness(const std::vector<DotSums>& partial, std::int64_t segments, std::size_t batch) {
  constexpr double limit = static_cast<double>(most_exact - segment);
  for (std::size_t row = 0; row < partial.size(); row += static_cast<std::size_t>(segments) * batch)
    for (std::size_t b = 0; b < batch; ++b) {
      double prefix = 0;
      for (std::size_t s = 0; s < static_cast<std::size_t>(segments); ++s) {
        prefix += partial[row + s * batch + b].sum;
        if (std::fabs(prefix) >= limit)
          throw UserError("the problem is too long for exact verification: a partial sum reaches 2^24");
      }
    }
}

Reference gemv(const Workload& workload, DataSet set, std::uint64_t generation, const std::vector<double>& x) {
  const GemvArguments g = gemv_arguments(workload);
  const auto a = fill_request(workload, g.a, set, generation);
  const std::int64_t segments = (g.columns + segment - 1) / segment;
  const auto batch = static_cast<std::size_t>(g.batch);
  std::vector<DotSums> partial(static_cast<std::size_t>(g.rows * segments) * batch);
  parallel(g.rows * segments, std::max<std::int64_t>(1, segment / g.columns), [&](std::int64_t task) {
    const std::int64_t column = task % segments * segment;
    std::vector<const double*> columns(batch);
    for (std::size_t b = 0; b < batch; ++b) columns[b] = x.data() + static_cast<std::int64_t>(b) * g.columns + column;
    dot_generated(a, task / segments * g.row_stride + column, std::min(segment, g.columns - column), columns,
                  std::span(partial).subspan(static_cast<std::size_t>(task) * batch, batch));
  });
  if (set == DataSet::exact && g.columns > most_exact) check_exactness(partial, segments, batch);
  Reference reference;
  reference.name = workload.arguments[g.y].name;
  reference.type = workload.arguments[g.y].type;
  reference.value.resize(static_cast<std::size_t>(g.rows) * batch);
  reference.magnitude.resize(reference.value.size());
  for (std::size_t i = 0; i < partial.size(); ++i) {
    const std::size_t row = i / batch / static_cast<std::size_t>(segments);
    const std::size_t at = i % batch * static_cast<std::size_t>(g.rows) + row;
    reference.value[at] += partial[i].sum;
    reference.magnitude[at] += partial[i].magnitude;
  }
  return reference;
}

}  // namespace

void check_reference(const Workload& workload) {
  if (workload.reference.kind == ReferencePlan::Kind::gemv) gemv_arguments(workload);
}

void take_magnitude(Reference& reference, std::vector<double> sums) {
  constexpr double rounding = 1e-6;  // of either sum, with room
  reference.magnitude = std::move(sums);
  if (!is_floating(reference.type)) return;
  for (std::size_t i = 0; i < reference.magnitude.size(); ++i) {
    double& sum = reference.magnitude[i];
    const double least = std::fabs(reference.value[i]);
    if (!(sum < 0) && !(sum < least * (1 - rounding))) continue;
    if (!reference.lesser || sum < *reference.lesser) reference.lesser = sum;
    sum = std::isfinite(least) ? least : 0;
  }
}

void measure_largest(Reference& reference) {
  const auto elements = static_cast<std::int64_t>(reference.value.size());
  std::vector<double> largest(static_cast<std::size_t>(pieces_of(elements)));
  parallel_pieces(elements, [&](std::int64_t piece, std::int64_t begin, std::int64_t end) {
    double most = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const double value = std::fabs(reference.value[static_cast<std::size_t>(i)]);
      if (std::isfinite(value)) most = std::max(most, value);
    }
    largest[static_cast<std::size_t>(piece)] = most;
  });
  reference.largest = largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
}

Reference compute_reference(const Workload& workload, DataSet set, std::uint64_t generation) {
  check_reference(workload);
  if (workload.reference.kind != ReferencePlan::Kind::gemv) return {};
  const std::size_t x = gemv_arguments(workload).x;
  return gemv(workload, set, generation, activations(fill_request(workload, x, set, generation)));
}

Reference compute_reference(const Workload& workload, DataSet set, std::uint64_t generation,
                            const std::vector<double>& activations) {
  return gemv(workload, set, generation, activations);
}

}  // namespace tuner::measure
