// The kinds of sides. Private to cli/compare_*.
#pragma once

#include "cli/compare_side.h"

namespace tuner::cli {

// The results of a run, a GPU, a driver, a path. `texts`: the database that kept what they were made of, or `own`,
// which the side holds; neither: nobody did.
struct ResultsOf {
  std::string title;
  std::vector<store::Entry> entries;
  const store::Store* texts = nullptr;
  std::optional<store::Store> own{};
  std::string gpu{}, driver{};  // that the side names
};
std::unique_ptr<Side> results_side(ResultsOf results, const Known& known);

// `git:REF`, and the path of a manifest or of a folder of them: their code, launched as `best` answers today where that
// is legal there, else with their default.
std::unique_ptr<Side> git_side(const std::string& ref, const Known& known);
std::unique_ptr<Side> path_side(const std::string& path, const Known& known);

// Today's code, launched as `word` says: best, default, pinned, PARAM=VALUE[,PARAM=VALUE...].
std::unique_ptr<Side> words_side(const std::string& word, const Known& known);
bool is_choice(const std::string& word);

// A trial of the database or of a layer.
std::unique_ptr<Side> trial_side(const std::string& name, const Known& known);

// What `best` answers today on this GPU; no configuration where it answers nothing.
Chosen best_choice(const Asked& asked, const Known& known);

// The time of a stored trial.
measure::StoredTime stored_time(const store::Entry& entry, const Trial& trial);
// Chosen::rounds of it; empty where its samples are of no paired rounds.
std::string rounds_of(const store::Entry& entry, const Trial& trial);

// "gemv_f16 4096x14336".
std::string name_of(const Problem& problem);
bool same_problem(const Problem& a, const Problem& b);

}  // namespace tuner::cli
