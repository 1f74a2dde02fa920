#include "cli/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/shell.h"
#include "store/database.h"
#include "store/file_lock.h"

namespace tuner::cli {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  std::string hint = error == ENOSPC ? "free some space" : "is the folder there and writable?";
  const fs::path folder = fs::path(path).parent_path();
  std::error_code unknown;
  if (error == ENOENT && !folder.empty() && !fs::exists(fs::symlink_status(folder, unknown)))
    hint = "mkdir -p " + shell_word(folder.string());
  throw MachineError("the file could not be written: " + std::string(std::strerror(error)), path, hint);
}

bool is_standard_output(const std::string& path) { return path.empty() || path == "-" || path == "/dev/stdout"; }

// An open descriptor of this process that a path stands for: opened anew, a file would be written from its start.
std::optional<int> descriptor_of(const std::string& path) {
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.rfind(folder, 0) != 0) continue;
    int fd = -1;
    const char* end = path.data() + path.size();
    const auto [stop, fault] = std::from_chars(path.data() + folder.size(), end, fd);
    if (fault == std::errc{} && stop == end) return fd;
  }
  return std::nullopt;
}

// Where the links lead, though nothing may be there yet.
std::string target_of(const std::string& path) {
  constexpr int most_links = 40;
  fs::path at = path;
  std::error_code error;
  for (int i = 0; i < most_links; ++i) {
    if (!fs::is_symlink(at, error)) return at.string();
    const fs::path next = fs::read_symlink(at, error);
    if (error) fail(path, error.value());
    at = at.parent_path() / next;  // `next` alone where it is absolute
  }
  fail(path, ELOOP);
}

// errno; 0 when all was written.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

void write_through(const std::string& path, int fd, const std::string& text) {
  if (fd < 0) fail(path, errno);
  const int error = write_all(fd, text);
  ::close(fd);
  if (error != 0) fail(path, error);
}

std::string unfinished_name(const std::string& target) {
  static std::atomic<unsigned> count{0};
  return target + "." + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".part";
}

void replace(const std::string& path, const std::string& target, const struct stat* before, const std::string& text) {
  if (before != nullptr && ::access(target.c_str(), W_OK) != 0) fail(path, errno);
  const std::string part = unfinished_name(target);
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) fail(path, errno);
  // Another's group and owner stay where that is allowed.
  if (before != nullptr && ::fchown(fd, before->st_uid, before->st_gid) != 0) errno = 0;
  int error = before != nullptr && ::fchmod(fd, before->st_mode & 07777) != 0 ? errno : 0;
  if (error == 0) error = write_all(fd, text);
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(part.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(part.c_str());
  fail(path, error);
}

}  // namespace

void write_file(const std::string& path, const std::string& text) {
  if (is_standard_output(path)) {
    std::cout << text;
    return;
  }
  if (const auto fd = descriptor_of(path)) return write_through(path, ::fcntl(*fd, F_DUPFD_CLOEXEC, 0), text);
  struct stat before {};
  const bool present = ::stat(path.c_str(), &before) == 0;
  if (present && !S_ISREG(before.st_mode)) return write_through(path, ::open(path.c_str(), O_WRONLY | O_CLOEXEC), text);
  replace(path, target_of(path), present ? &before : nullptr, text);
}

void rewrite_file(const std::string& path, const std::function<std::string()>& change) {
  if (is_standard_output(path) || descriptor_of(path)) return write_file(path, change());
  const std::string target = target_of(path);
  const fs::path folder = fs::path(target).parent_path();
  std::error_code error;
  if (!fs::is_directory(folder.empty() ? "." : folder, error)) fail(path, ENOENT);
  // The folder's, which leaves nothing behind: the file itself is another after each change. Over a network only what
  // is open for writing can be locked.
  store::FileLock lock(store::on_network(target) ? target + ".lock" : folder.empty() ? "." : folder.string());
  const store::Locked held(lock);
  write_file(path, change());
}

}  // namespace tuner::cli
