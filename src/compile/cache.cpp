#include "compile/cache.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "compile/artifact_codec.h"
#include "core/hash.h"

namespace tuner::compile {
namespace {

namespace fs = std::filesystem;

// A file is this line, the hash of what follows, a newline, an encoded artifact.
constexpr std::string_view kMagic = "tuner cubin 1\n";
constexpr std::size_t kHashSize = 32;
constexpr std::string_view kSuffix = ".cubin";
constexpr std::string_view kTemporary = ".tmp-";
constexpr std::chrono::hours kTemporaryAge{1};

bool is_hash(const std::string& text) {
  return text.size() == kHashSize && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

fs::path path_of(const std::string& folder, const std::string& key) {
  const std::string name = is_hash(key) ? key : content_hash(key);
  return fs::path(folder) / name.substr(0, 2) / (name + std::string(kSuffix));
}

bool is_entry(const fs::path& path) { return path.extension() == kSuffix && is_hash(path.stem().string()); }
bool is_temporary(const fs::path& path) { return path.filename().string().rfind(kTemporary, 0) == 0; }

struct Entry {
  fs::path path;
  std::int64_t bytes = 0;
  fs::file_time_type used;
};

// Only what this class has written; others may write and delete meanwhile.
std::vector<Entry> list(const std::string& folder, bool (*wanted)(const fs::path&)) {
  std::vector<Entry> all;
  std::error_code error;
  for (fs::directory_iterator sub(folder, error), end; !error && sub != end; sub.increment(error)) {
    if (sub->path().filename().string().size() != 2) continue;
    std::error_code inner;
    for (fs::directory_iterator file(sub->path(), inner); !inner && file != end; file.increment(inner)) {
      std::error_code gone;
      if (!wanted(file->path())) continue;
      const auto size = file->file_size(gone);
      const auto time = gone ? fs::file_time_type{} : file->last_write_time(gone);
      if (!gone) all.push_back({file->path(), static_cast<std::int64_t>(size), time});
    }
  }
  return all;
}

bool can_write(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

std::string temporary_name() {
  static std::atomic<unsigned> count{0};
  return fmt::format("{}{}-{}", kTemporary, ::getpid(), count++);
}

// False when the disk is full or the folder has gone: nothing is left behind.
bool write_whole(const fs::path& path, const std::string& bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t put = ::write(fd, bytes.data() + written, bytes.size() - written);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    written += static_cast<std::size_t>(put);
  }
  const bool closed = ::close(fd) == 0;
  if (closed && written == bytes.size()) return true;
  ::unlink(path.c_str());
  return false;
}

}  // namespace

Cache::Cache(std::string folder, std::int64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes), writable_(can_write(folder_)) {
  if (!writable_)
    fmt::print(stderr, "warning: the cubin cache {} cannot be written; nothing new is kept there\n", folder_);
  since_trim_ = limit_bytes_;  // the first entry looks at what others have left
}

Cache Cache::look_at(std::string folder) {
  Cache cache;
  cache.folder_ = std::move(folder);
  cache.writable_ = ::access(cache.folder_.c_str(), W_OK | X_OK) == 0;
  return cache;
}

std::optional<Artifact> Cache::find(const std::string& key) {
  const auto path = path_of(folder_, key);
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream stream;
  stream << file.rdbuf();
  const std::string bytes = stream.str();
  const std::string_view all = bytes;
  const std::size_t head = kMagic.size() + kHashSize + 1;
  if (all.size() < head || all.substr(0, kMagic.size()) != kMagic || all[head - 1] != '\n') return std::nullopt;
  if (content_hash(all.substr(head)) != all.substr(kMagic.size(), kHashSize)) return std::nullopt;
  auto artifact = decode_artifact(all.substr(head));
  if (!artifact) return std::nullopt;
  if (writable_) ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  artifact->from_cache = true;
  return artifact;
}

void Cache::put(const std::string& key, const Artifact& artifact) {
  if (!writable_ || (!artifact.ok() && artifact.reason != Reason::compile_error)) return;
  const auto path = path_of(folder_, key);
  const std::string body = encode_artifact(artifact);
  const std::string bytes = std::string(kMagic) + content_hash(body) + "\n" + body;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const auto temporary = path.parent_path() / temporary_name();
  if (!write_whole(temporary, bytes)) return;
  fs::rename(temporary, path, error);
  if (error) ::unlink(temporary.c_str());
  since_trim_ += static_cast<std::int64_t>(bytes.size());
  if (since_trim_ > limit_bytes_ / 16) trim();
}

std::int64_t Cache::bytes() const {
  std::int64_t total = 0;
  for (const auto& entry : list(folder_, is_entry)) total += entry.bytes;
  return total;
}

std::int64_t Cache::entries() const { return static_cast<std::int64_t>(list(folder_, is_entry).size()); }

void Cache::clear() {
  std::error_code error;
  for (const auto& entry : list(folder_, is_entry)) fs::remove(entry.path, error);
  for (const auto& entry : list(folder_, is_temporary)) fs::remove(entry.path, error);
}

bool Cache::holds(const std::string& folder, const std::string& key) {
  std::error_code error;
  return fs::is_regular_file(path_of(folder, key), error);
}

std::int64_t Cache::leftovers(const std::string& folder, bool remove) {
  std::error_code error;
  const auto stale = fs::file_time_type::clock::now() - kTemporaryAge;
  std::int64_t count = 0;
  for (const auto& entry : list(folder, is_temporary)) {
    if (entry.used >= stale) continue;
    ++count;
    if (remove) fs::remove(entry.path, error);
  }
  return count;
}

// A tenth of the limit below it, so that the next entries do not trim again.
void Cache::trim() {
  since_trim_ = 0;
  if (bytes() > limit_bytes_) return trim_to(limit_bytes_ / 10 * 9);
  leftovers(folder_, true);
}

void Cache::trim_to(std::int64_t bytes) {
  leftovers(folder_, true);
  std::error_code error;
  auto entries = list(folder_, is_entry);
  std::int64_t total = 0;
  for (const auto& entry : entries) total += entry.bytes;
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.used < b.used; });
  for (const auto& entry : entries) {
    if (total <= bytes) return;
    fs::remove(entry.path, error);
    total -= entry.bytes;
  }
}

}  // namespace tuner::compile
