// Names a process so that another can tell, later, whether it still runs.
#pragma once

#include <string>

namespace tuner::store {

// Boot id, process id and the process's start time.
std::string this_process();
// False when it ended, or ran before this machine's last start; a mark of another machine reads as ended too.
bool is_running(const std::string& mark);
// Whether it ran before this machine's last start, or on another machine.
bool is_of_another_boot(const std::string& mark);

}  // namespace tuner::store
