#include "measure/edges.h"

#include <algorithm>
#include <span>

#include "core/number.h"

namespace tuner::measure {
namespace {

constexpr std::int64_t some_rows = 32;
constexpr std::int64_t row_parts = 16;

}  // namespace

std::vector<std::int64_t> edges_of_row(std::int64_t length) {
  std::vector<std::int64_t> edges;
  for (std::int64_t power = 1; power <= length; power *= 2)
    for (const std::int64_t edge : {power - 1, power, length - power, length - 1 - power}) edges.push_back(edge);
  for (std::int64_t part = 0; part <= row_parts; ++part) {
    const std::int64_t begin = (length * part + row_parts - 1) / row_parts;
    edges.push_back(begin - 1);
    edges.push_back(begin);
  }
  std::erase_if(edges, [&](std::int64_t edge) { return edge < 0 || edge >= length; });
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

void raise_edges(device::Device& device, device::Address address, const Argument& argument,
                 const std::vector<std::int64_t>& dims) {
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < dims.size(); ++i) rows *= dims[i];
  const std::int64_t length = dims.empty() ? 0 : dims.back();
  if (length < 1 || rows < 1 || argument.elements / rows < length) return;
  const std::vector<std::int64_t> edges = edges_of_row(length);
  std::vector<std::byte> row(static_cast<std::size_t>(bytes_of(argument.type, length)));
  for (std::int64_t r = 0; r < rows; ++r) {
    if (r == some_rows) r = std::max(r, rows - some_rows);
    const device::Address at =
        address + static_cast<device::Address>(bytes_of(argument.type, argument.elements / rows * r));
    device.download(at, row);
    for (const std::int64_t edge : edges)
      encode(argument.type, argument.fill.edge, row.data() + bytes_of(argument.type, edge));
    device.upload(at, row);
  }
}

}  // namespace tuner::measure
