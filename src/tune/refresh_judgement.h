// What running a stored result's tie set again says of it.
#pragma once

#include "tune/refresh.h"

namespace tuner::tune {

Refreshed same_binary(const StoredRow& row);
Refreshed unconfirmed(const StoredRow& row, const std::string& why);
// `done` is of the ties and what ran beside them, and finished.
Refreshed judged(const StoredRow& row, const ProblemDone& done, bool emulated);

}  // namespace tuner::tune
