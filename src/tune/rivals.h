// Other kernels of ours beside a problem's candidates, in the same rounds, on data of their own: what a format of
// weights gains over another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tune/ceiling.h"
#include "tune/known.h"

namespace tuner::tune {

// The workloads that rivals run on; they go with the problem.
inline constexpr int rival_workloads = twin_id;
inline constexpr int most_rivals = 8;

// What is timed beside the candidates and is none of them.
struct Beside {
  std::string name, how;
  int id = 0;              // of the member
  std::int64_t chain = 0;  // longest chain of additions
};

// The rivals that the manifest names, loaded as members with ids from `first_id`. One whose configuration is not of
// exactly this problem has this in its name. What cannot be had is a note. Throws WorkerLost.
std::vector<Beside> load_rivals(Session& session, const spec::KernelSpec& kernel, const Problem& problem,
                                const KnownOf& known_of, int first_id, std::vector<std::string>& notes);

void drop_rivals(Session& session);

}  // namespace tuner::tune
