// The files of a results folder.
#pragma once

#include <string>
#include <vector>

namespace tuner::store {

// Every *.json of a folder, whatever it is, by name; none where there is no such folder. Throws MachineError for a
// folder that cannot be listed: what lies in it may forbid something.
std::vector<std::string> results_files(const std::string& folder);

// The text of one. Throws MachineError, and UserError for one that is too large or no regular file.
std::string read_results_text(const std::string& path);

// Whether this file of a results folder seems to hold pins or forbids, which may be damaged; so does one that nobody
// may read, but no folder.
bool may_overrule(const std::string& path);

}  // namespace tuner::store
