// The problem of a sweep and its awkward companions, told to the worker.
#pragma once

#include "tune/candidates.h"
#include "tune/session.h"

namespace tuner::tune {

// The problem itself with the file of a host reference filled in; builds what the manifest brings. Throws UserError
// where that does not compile.
Workload workload_of(const spec::PlannedProblem& planned, Session& session);

// The module of a kernel reference; none of another kind. Throws UserError where it does not compile.
std::optional<Artifact> reference_module(const spec::KernelSpec& kernel, Session& session);

// How many times as many copies rotate in this regime. In the dependent one several launches are under way at once:
// with two or three copies of a large matrix the next but one reads what the first still reads, and memory seems faster
// than it is.
int ring_of(const std::string& regime);

// `workload` becomes the worker's workload 0, `timed` or not, the awkward ones 1, 2, ...
void set_workloads(const spec::PlannedProblem& planned, const CandidateSet& set, const Workload& workload, bool timed,
                   Session& session);

}  // namespace tuner::tune
