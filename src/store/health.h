// Whether a database file can be used, and putting one aside that cannot.
#pragma once

#include <string>
#include <vector>

namespace tuner::store {

enum class Health {
  absent,
  good,
  damaged,  // cut off, or its pages contradict each other
  foreign,  // another program's file
  newer,    // a newer tuner's: nothing is wrong with it
  unusable  // held by another, or not to be read
};
struct Checked {
  Health health = Health::absent;
  std::string why;  // empty when absent or good
};

// Reads the whole file.
Checked check_database(const std::string& path);

// Renames the file, its log and its index to NAME.aside-20261130T101500Z...; nothing is deleted. Returns the new names.
// Throws MachineError.
std::vector<std::string> set_aside(const std::string& path);

}  // namespace tuner::store
