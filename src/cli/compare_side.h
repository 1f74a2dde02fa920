// The two sides of `tuner compare`: what a word of the command line stands for, and what that chooses for a problem.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "spec/catalog.h"
#include "store/lookup.h"
#include "store/store.h"
#include "tune/compare.h"

namespace tuner::cli {

// A problem, on a GPU model.
struct Asked {
  Problem problem;
  std::string regime = spec::plain_regime;
  GpuFacts gpu;
};

struct Chosen {
  std::string missing;  // not empty: the side has nothing here, and why
  Problem problem;
  Config config;
  std::string origin;                           // where the configuration comes from, for people
  std::optional<measure::StoredTime> stored{};  // none: it was never timed there
  std::string rounds{};                         // equal texts: the samples of both are of the same paired rounds
  GpuFacts gpu{};                               // of the stored time; without a name: of no GPU
  std::string note{};                           // what should be known of the code; may be empty
};

class Side {
 public:
  virtual ~Side() = default;
  // What it has results of; empty: it answers whatever it is asked.
  virtual std::vector<Asked> known() const { return {}; }
  virtual Chosen choose(const Asked& asked) const = 0;
  // The code of what it chose, in the problem's regime; it lives as long as the side. Adds to the note. Throws
  // UserError where that is gone.
  virtual const spec::KernelSpec& code(const Asked& asked, Chosen& chosen) = 0;
  // A GPU or a driver that it names; empty: it names none. What names one that is not here cannot be measured here.
  virtual bool is_here(const GpuFacts&) const { return true; }
  const std::string& title() const { return title_; }  // "run 3", for people
  // With what is known since it chose: "git:main (0123456789ab)".
  virtual std::string in_full() const { return title_; }

 protected:
  explicit Side(std::string title) : title_(std::move(title)) {}

 private:
  std::string title_;
};

// What sides are made of; all must outlive them.
struct Known {
  const Context& context;
  const spec::Catalog& catalog;
  const store::Layers& layers;
  const std::optional<store::Store>& database;
};

// Throws UserError for a word that is none, or stands for nothing; NothingFound for a run or trial that is not there.
std::unique_ptr<Side> side_of(const std::string& word, const Known& known);

}  // namespace tuner::cli
