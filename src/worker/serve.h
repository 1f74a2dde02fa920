// The worker's side: owns one device and answers framed requests on its original stdin and stdout until `bye` or the
// end of stdin. fd 1 is moved away first and stdout pointed at stderr, so that nothing else can write into the stream.
#pragma once

#include <string>

namespace tuner::worker {

inline constexpr int protocol_version = 2;

// `device`: "host" or "cuda:N". Returns the process's exit code. A watchdog thread leaves with _exit at a request's
// deadline and at the end of stdin, whatever the device does.
int serve(const std::string& device);

}  // namespace tuner::worker
