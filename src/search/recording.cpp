#include "search/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.h"
#include "proc/child.h"
#include "search/recording_formats.h"

namespace tuner::search {
namespace {

constexpr std::size_t largest_bytes = std::size_t{512} << 20;
constexpr std::chrono::seconds unpacking{60};

constexpr const char* known_formats =
    "known are what `tuner export --format replay` writes, cache files of Kernel Tuner, and results in the T4 format";

bool is_gzip(const std::string& text) { return text.size() > 2 && text[0] == '\x1f' && text[1] == '\x8b'; }

std::string unpacked(const std::string& path) {
  const proc::Output output = proc::run({"gzip", "-dc", "--", path}, "", unpacking, {}, largest_bytes + 1);
  if (output.timed_out || !output.status.exited || output.status.code != 0)
    throw UserError("it cannot be unpacked: " + (output.err.empty() ? output.status.text() : output.err), path);
  return output.out;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (!file || std::filesystem::is_directory(path, error)) throw UserError("it cannot be read", path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (is_gzip(text)) text = unpacked(path);
  if (text.size() > largest_bytes) throw UserError("it is larger than 512 MiB", path);
  return text;
}

std::string stem(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  for (const char* ending : {".gz", ".json"})
    if (name.extension() == ending) name = name.stem();
  return name.string();
}

}  // namespace

double Recording::least() const {
  double least = 0;
  for (const Row& row : rows)
    if (row.time > 0 && (least == 0 || row.time < least)) least = row.time;
  return least;
}

std::size_t Recording::within(double share) const {
  const double limit = least() * (1 + share);
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [limit](const Row& row) { return row.time > 0 && row.time <= limit; }));
}

Recording parse_recording(std::string_view text, const std::string& path) {
  const auto holds = [text](std::string_view key) { return text.find(key) != std::string_view::npos; };
  Recording recording;
  try {
    if (holds("\"tuner_replay\""))
      recording = parse_own(text);
    else if (holds("\"tune_params_keys\""))
      recording = parse_kernel_tuner(text);
    else if (holds("\"schema_version\"") && holds("\"results\""))
      recording = parse_t4(text);
    else
      throw BadRecording("it is no recorded sweep");
  } catch (const BadRecording& fault) {
    throw UserError(fault.what(), path, known_formats);
  }
  if (recording.least() == 0) throw UserError("nothing in it was measured", path, known_formats);
  recording.name = stem(path);
  return recording;
}

Recording read_recording(const std::string& path) { return parse_recording(read_text(path), path); }

}  // namespace tuner::search
