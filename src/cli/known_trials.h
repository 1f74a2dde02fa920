// The trials that are known of one problem, in the database and in the layers of results files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/trial_name.h"
#include "store/lookup.h"
#include "store/store.h"

namespace tuner::cli {

struct KnownTrial {
  std::string layer = "user";
  GpuFacts gpu;
  bool emulated = false;
  Trial trial;
  const store::Entry* entry = nullptr;  // of a results file; null for the database
};

// Which trials of a problem are meant.
struct TrialsOf {
  Problem problem;
  std::string regime = "plain";
  std::string gpu{};  // part of its name; empty: any
};

class KnownTrials {
 public:
  // The database may be absent. Results files are read when they are asked for; warnings go to stderr.
  explicit KnownTrials(const Context& context);
  KnownTrials(const KnownTrials&) = delete;
  KnownTrials& operator=(const KnownTrials&) = delete;

  const std::optional<store::Store>& database() const { return database_; }
  // Of the newest run on each GPU model.
  std::vector<KnownTrial> in_database(const TrialsOf& wanted) const;
  // Of every layer of results files, in their order.
  std::vector<KnownTrial> in_files(const TrialsOf& wanted);

  // The trial of this name. `wanted` may be null for one of the database, which numbers all of its trials. Throws
  // NothingFound where there is none, UserError where it is of another problem or GPU than `wanted` (with those that
  // are not), or of several GPUs.
  KnownTrial named(const TrialName& name, const TrialsOf* wanted, const std::string& where);

 private:
  KnownTrial of_database(std::int64_t id) const;
  KnownTrial of_file(const TrialName& name, const TrialsOf& wanted, const std::string& where);

  const Context& context_;
  std::optional<store::Store> database_;
  std::optional<store::Layers> files_;
};

// Whether it has these values.
bool agrees(const Config& config, const Facts& wanted);

// "gemv_f16 4096x14336", and the facts where `beside` is of the same kernel and shape.
std::string problem_title(const Problem& problem, const Problem& beside);

// "9 to 20, shipped:1 to shipped:12"; empty for none.
std::string names_of(const std::vector<KnownTrial>& trials);

}  // namespace tuner::cli
