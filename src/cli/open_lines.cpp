#include "cli/open_lines.h"

#include <algorithm>

namespace tuner::cli {

std::vector<std::string> open_lines(std::string_view manifest, const std::string& path) {
  std::vector<std::string> open;
  int number = 1;
  for (std::size_t at = 0; at < manifest.size(); ++number) {
    const std::size_t end = std::min(manifest.find('\n', at), manifest.size());
    const std::string_view line = manifest.substr(at, end - at);
    if (const std::size_t mark = line.find(open_mark); mark != std::string_view::npos)
      open.push_back(path + ":" + std::to_string(number) + ": " + std::string(line.substr(mark + open_mark.size())));
    at = end + 1;
  }
  return open;
}

}  // namespace tuner::cli
