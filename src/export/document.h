// What an export writes, and how far what stands there is from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/lookup.h"
#include "store/overrules_file.h"

namespace tuner::exporting {

struct Document {
  std::string path;  // empty: standard output
  std::string text;
  std::size_t results = 0;
  std::size_t kept = 0;  // results of other kernels that stood in its file and stay
  std::size_t pins = 0;  // of a header
};

// Of each GPU model, problem and regime the result that answers: one on a GPU alone before one on a GPU in use, then
// that of the first layer, then the later. `entries` are in the order of store::sort_entries.
std::vector<store::Entry> one_of_each(const std::vector<store::Entry>& entries);

// Without those of which an earlier layer holds the same, as after an import.
std::vector<store::Entry> without_copies(const std::vector<store::Entry>& entries);

// One results file a GPU model, named after it: "nvidia_h200.json". Each holds the pins and forbids that concern it;
// nothing forbidden is in it. GPU models of which nothing is left are left out.
std::vector<Document> results_documents(const std::vector<store::Entry>& entries, const store::Overrules& overrules);

// What an export of one kernel writes: the results, pins and forbids of other kernels that stand in the document's file
// stay in it. Throws UserError where that file cannot be understood or is of another GPU model.
Document beside_others(const Document& document, const std::string& kernel);

struct Difference {
  std::string path;
  bool missing = false;           // there is no such file
  std::size_t line = 0;           // the first that differs, from 1
  std::string there, wanted;      // that line; empty at the end of a file
  std::vector<std::string> rows;  // results that are added, gone or changed
};

// Empty when the file holds this text.
std::optional<Difference> difference(const Document& document);

}  // namespace tuner::exporting
