// Where files lie: database, cache, the share folder, the layers of results, user kernels.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/lookup.h"

namespace tuner::cli {

struct Places {
  std::string program;                      // this binary
  std::string share;                        // holds kernel_templates/ and configs/
  std::string shipped;                      // results that came with the tool; empty when there are none
  std::string database;                     // empty: there is no home folder to put it in
  bool database_named = false;              // by --db or $TUNER_DB
  std::string cache;                        // empty: there is no home folder
  std::vector<std::string> lock_folders;    // of the locks of GPUs
  std::string project;                      // results folder; empty: none
  std::string site;                         // results folder; empty: none
  std::vector<std::string> kernel_folders;  // built in first
  std::vector<std::string> warnings;        // of what lies where a place would be

  std::string templates() const { return share + "/kernel_templates"; }
  store::Layers::Places layers() const;
};

using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> process_environment(const char* name);

struct PlaceFlags {
  std::string database;              // --db
  std::vector<std::string> kernels;  // --kernels
};

// Throws MachineError when the share folder cannot be found, UserError for a named folder that is none.
Places find_places(const std::string& program, const std::string& working_folder, const PlaceFlags& flags,
                   const Environment& environment);

// The project's results: $TUNER_RESULTS, else the first `.tuner/` from this folder upwards; empty where there is none.
// What lies where one would be is added to `warnings`.
std::string find_project(const std::string& from, const Environment& environment, std::vector<std::string>& warnings);

// The path of the running binary.
std::string program_path();

// `path` as given when it exists, else the file of that name in the share folder. Throws UserError that lists the
// shipped ones when neither exists.
std::string find_config(const std::string& path, const Places& places);

}  // namespace tuner::cli
