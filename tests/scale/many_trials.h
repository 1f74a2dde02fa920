// A database as years of tuning leave it, made through the Store.
#pragma once

#include <cstdint>
#include <string>

namespace tuner::scale {

// At least `trials` of the built-in kernels: several GPUs, shapes and runs, 600 configurations a problem, with samples
// and, of what was rejected, compiler logs. 4096x14336 is among the shapes of every kernel and GPU. Returns how many.
std::int64_t make_many_trials(const std::string& path, std::int64_t trials);

}  // namespace tuner::scale
