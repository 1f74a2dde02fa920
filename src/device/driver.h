// The CUDA driver: found, opened, and its errors named.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/trial.h"
#include "device/driver_api.h"

namespace tuner::device {

// Where the driver may lie, the loader's path first; `TUNER_LIBCUDA` alone when it is set (for tests).
std::vector<std::string> driver_paths();

// Opens the first of `paths` that the loader takes and initialises it. Throws MachineError: no driver, a driver that
// lacks an entry, a machine with no GPU.
Driver open_driver(const std::vector<std::string>& paths);

// open_driver(driver_paths()), once a process.
const Driver& driver();

// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
std::string error_text(const Driver& driver, cu::Result result);

// Throws MachineError "cannot <what>: <name> (<string>)" unless the call succeeded; the hint is for a lost context.
void check(const Driver& driver, cu::Result result, std::string_view what);

// After one of these the context is gone: nothing more runs in this process.
bool is_sticky(cu::Result result);

// What a failed launch or wait says about the kernel that ran: fault, timeout or launch_error.
Reason reason_of(cu::Result result);

}  // namespace tuner::device
