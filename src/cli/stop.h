// Ctrl-C, SIGTERM and SIGHUP: the first asks for a stop, the second leaves at once.
#pragma once

namespace tuner::cli {

// Installs the handlers. Until this is called these signals end the process as usual.
void catch_stop_signals();
bool stop_requested() noexcept;

}  // namespace tuner::cli
