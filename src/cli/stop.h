// Ctrl-C, SIGTERM and SIGHUP: the first asks for a stop, a second, half a second later or more, leaves at once. What
// comes before is the same word said twice: timeout(1) signals its child and then its child's group.
#pragma once

namespace tuner::cli {

// Installs the handlers. Until this is called these signals end the process as usual.
void catch_stop_signals();
bool stop_requested() noexcept;

}  // namespace tuner::cli
