// Every legal configuration of a problem, compiled, and what can be said of it before it runs.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/trial.h"
#include "spec/resolve.h"
#include "spec/sweep_plan.h"
#include "tune/session.h"
#include "worker/client.h"

namespace tuner::tune {

struct Candidate {
  Trial trial;
  Execution execution;
  std::string source_hash;
  int workload = 0;                   // of its problem, in the worker
  std::vector<worker::Case> awkward;  // workload ids from 1
  std::int64_t chain = 0;
  bool deterministic = true;
  int original = -1;     // index of the candidate this one is a duplicate of
  int clean_epoch = -1;  // of the worker in which it last verified clean
  int workers_lost = 0;  // while it was verified
  bool built = false;    // there is a binary of it that the device can take
  std::string identity;  // of binary and launch; empty: unknown
  bool stands = false;   // its verdict is one of an earlier, unfinished run
  // Of a search: its cost over the anchor's in the same rounds; not a number where it has none. `sampled`: it was timed
  // in those rounds alone.
  double ratio = std::numeric_limits<double>::quiet_NaN();
  bool sampled = false;

  bool runnable() const { return built && original < 0 && trial.reason == Reason::none; }
};

struct CandidateSet {
  std::vector<Candidate> all;     // manifest order, or that of PlannedProblem::exactly
  std::vector<Workload> awkward;  // workload id = index + 1
  std::vector<spec::Awkward> awkward_problems;
  int pinned = -1;  // index of the candidate that a person chose
  std::map<std::string, std::int64_t> excluded;
};

// Throws UserError where the kernel cannot run there, and for an empty space: "these constraints left nothing: ...",
// what excludes most first.
void check_space(const spec::PlannedProblem& planned, const GpuFacts& gpu);

// What a problem's candidates have in common, without any. Throws as check_space.
CandidateSet without_candidates(const spec::PlannedProblem& planned, const GpuFacts& gpu);

// Enumerates, without compiling. Throws as check_space.
CandidateSet enumerate(const spec::PlannedProblem& planned, const GpuFacts& gpu);

// One configuration as a member of this set, which need not hold it.
Candidate candidate_of(const spec::PlannedProblem& planned, const Config& config, const CandidateSet& set,
                       const GpuFacts& gpu);

// Puts this legal configuration in where the set does not hold it. Returns its index.
int include(CandidateSet& set, const spec::PlannedProblem& planned, const Config& config, const GpuFacts& gpu);

// The text of every candidate, in order. Rendering depends on configuration and facts only.
std::vector<compile::Source> render_all(const spec::PlannedProblem& planned, const CandidateSet& set,
                                        const GpuFacts& gpu);

// A warning for each parameter that changes nothing (compile/unused_params.h). None where the source cannot be read,
// which whoever renders it is told.
std::vector<std::string> unused_lines(const spec::KernelSpec& kernel);

// Its trial is rejected for this.
void reject(Candidate& candidate, const Verdict& verdict);

// Whether it is the default, or, where that is a duplicate, what stands for it.
bool is_default(const CandidateSet& set, int index);

// The number of each.
std::vector<int> all_of(const CandidateSet& set);

// A warning where there are awkward problems and configurations that are legal at none: nothing tells whether they are
// right where their tiles do not divide a shape. `lonely`: how many. Empty where there are none.
std::string lonely_line(const CandidateSet& set, const spec::PlannedProblem& planned, std::int64_t lonely);

// Forgets the awkward problems at which a cooperative grid of this candidate is more than lives at once: a grid that
// grows with the shape is no fault where it fits.
void forget_too_large(Candidate& candidate, const Artifact& artifact, const GpuFacts& gpu);

// Of the candidates before `end` fills registers, spills, hashes and logs from the builder's artifacts, as far as there
// are any; rejects what did not compile or cannot run here; leaves alone what was judged or rejected before; marks
// equal binaries with equal launches as duplicates of the first.
void judge_artifacts(CandidateSet& set, std::size_t end, const Builder& builder, const GpuFacts& gpu);

}  // namespace tuner::tune
