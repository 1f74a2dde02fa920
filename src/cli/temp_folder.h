// A folder that goes with the object.
#pragma once

#include <string>

namespace tuner::cli {

class TempFolder {
 public:
  // In the system's folder for such, "tuner-NAME-...". Throws MachineError.
  explicit TempFolder(const std::string& name);
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  const std::string& path() const { return path_; }
  // A file of it, with the folders it lies in; `name` must stay inside. Returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace tuner::cli
