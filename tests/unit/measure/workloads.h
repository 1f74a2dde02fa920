// The workloads that tests of measure and worker use.
#pragma once

#include <string>

#include "core/execution.h"

namespace tuner {

inline Argument buffer_argument(const std::string& name, Type type, std::int64_t elements, Role role) {
  Argument argument;
  argument.name = name;
  argument.type = type;
  argument.elements = elements;
  argument.role = role;
  argument.align_bytes = size_of(type);
  return argument;
}

inline Workload gemv_workload(Type type, std::int64_t rows, std::int64_t columns, std::int64_t batch = 1,
                              std::int64_t row_stride = 0) {
  Workload w;
  w.kernel = "gemv_" + std::string(to_text(type));
  w.dims = {rows, columns};
  w.batch = batch;
  w.row_stride = row_stride == 0 ? columns : row_stride;
  w.reference.kind = ReferencePlan::Kind::gemv;
  w.terms = columns;
  w.arguments = {buffer_argument("A", type, rows * w.row_stride, Role::weight),
                 buffer_argument("x", type, columns * batch, Role::activation),
                 buffer_argument("y", type, rows * batch, Role::output)};
  w.bytes_read = static_cast<double>(size_of(type) * (rows * columns + columns * batch));
  w.bytes_written = static_cast<double>(size_of(type) * rows * batch);
  return w;
}

// One launch of `entry` on the workload's arguments, beside a scratch buffer and a scalar.
inline Execution gemv_execution(const Workload& workload, const std::string& entry = "gemv") {
  Execution execution;
  execution.arguments = workload.arguments;
  execution.arguments.push_back(buffer_argument("acc", Type::f32, workload.dims[0], Role::scratch));
  Argument rows;
  rows.name = "M";
  rows.type = Type::i32;
  rows.is_buffer = false;
  rows.value = workload.dims[0];
  execution.arguments.push_back(rows);
  Step launch;
  launch.entry = entry;
  launch.block.x = 128;
  execution.steps = {launch};
  return execution;
}

}  // namespace tuner
