#include "profile/ncu.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "proc/pool.h"
#include "profile/ncu_output.h"

namespace tuner::profile {
namespace {

// Many passes over a launch, each with the caches flushed; compiling comes before.
constexpr std::chrono::minutes deadline{10};

// Removed on every way out.
class LogFile {
 public:
  LogFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tuner-ncu-XXXXXX").string();
    const int fd = ::mkstemp(pattern.data());
    if (fd < 0) throw MachineError("a file for ncu's words cannot be made", pattern, "is the folder of $TMPDIR full?");
    ::close(fd);
    path = pattern;
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  ~LogFile() {
    std::error_code error;
    std::filesystem::remove(path, error);
  }
  std::string text() const {
    std::ostringstream read;
    read << std::ifstream(path, std::ios::binary).rdbuf();
    return read.str();
  }
  std::string path;
};

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ",") + word;
  return all;
}

std::vector<std::string> command_line(const Ncu& ncu, const Request& request, const std::string& log) {
  std::vector<std::string> line{"/usr/bin/env", "LC_ALL=C", ncu.path};
  // Of a range that is pushed, '/' says that it is one of these.
  line.insert(line.end(), {"--nvtx", "--nvtx-include", request.range + "/"});
  line.insert(line.end(), {"--launch-count", std::to_string(most_launches), "--target-processes", "all"});
  line.insert(line.end(), {"--clock-control", "none", "--cache-control", "all"});
  line.insert(line.end(), {"--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "function"});
  line.insert(line.end(), {"--log-file", log, "--metrics", joined(request.metrics)});
  line.insert(line.end(), request.command.begin(), request.command.end());
  return line;
}

proc::Output run(const std::vector<std::string>& line, const std::function<bool()>& stop) {
  proc::Output output;
  bool ended = false;
  const auto done = [&](std::size_t, proc::Output one) {
    output = std::move(one);
    ended = true;
  };
  proc::run_all({{line, {}, deadline}}, 1, done, stop);
  if (!ended || (stop && stop())) throw Interrupted();
  if (output.timed_out)
    throw MachineError("ncu did not end within 10 minutes", line[2], "is a launch waiting for another one?");
  return output;
}

// What it counted, in the order of the launches that were asked.
std::vector<LaunchCounters> matched(const std::vector<Row>& rows, const Request& request) {
  const std::size_t expected = std::min(request.launches.size(), most_launches);
  std::string names;
  for (const Row& row : rows) names += (names.empty() ? "" : ", ") + row.kernel;
  const std::string where = "counted: " + (names.empty() ? "nothing" : names);
  if (rows.size() != expected)
    throw MachineError(fmt::format("ncu counted {} launches, and the configuration has {}", rows.size(), expected),
                       where, "is another NVTX library in the way of the range '" + request.range + "'?");
  std::vector<LaunchCounters> launches;
  for (std::size_t i = 0; i < expected; ++i) {
    if (rows[i].kernel != function_in(request.launches[i]))
      throw MachineError("ncu counted " + rows[i].kernel + " where " + request.launches[i] + " was launched", where);
    launches.push_back(rows[i].counters);
    launches.back().entry = request.launches[i];
  }
  return launches;
}

void add_absent(std::vector<LaunchCounters>& launches, const std::vector<std::string>& metrics) {
  for (LaunchCounters& launch : launches)
    for (const std::string& metric : metrics) launch.absent.emplace_back(metric, "this ncu has no such metric");
}

}  // namespace

Counted count(const Ncu& ncu, const Request& request) {
  Request asked = request;
  std::vector<std::string> unknown;
  for (;;) {
    const LogFile log;
    const proc::Output output = run(command_line(ncu, asked, log.path), request.stop);
    const std::string said = log.text();
    // Where it starts at all, its words are in the log, else on its streams.
    const std::string all = said + "\n" + output.err + "\n" + output.out;
    Counted counted{{}, output.status.exited ? output.status.code : 1, output.out, output.err};
    const std::vector<Row> rows = rows_of(said, asked.metrics);
    if (!rows.empty()) {
      counted.launches = matched(rows, request);
      add_absent(counted.launches, unknown);
      return counted;
    }
    const std::vector<std::string> refused = unknown_metrics(all, asked.metrics);
    const auto is_refused = [&refused](const std::string& metric) {
      return std::find(refused.begin(), refused.end(), metric) != refused.end();
    };
    if (!refused.empty() && refused.size() < asked.metrics.size()) {
      std::erase_if(asked.metrics, is_refused);
      unknown.insert(unknown.end(), refused.begin(), refused.end());
      continue;
    }
    if (const auto refusal = refusal_in(all)) throw MachineError(refusal->what, ncu.path, refusal->hint);
    if (counted.exit_code == 0) matched(rows, request);  // throws where something was launched
    return counted;
  }
}

}  // namespace tuner::profile
