#include "tune/gpu_lock.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

namespace tuner::tune {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_note_bytes = 4096;

// Never follows a link, and never creates a file that is there: in a sticky folder that all may write to the kernel
// refuses O_CREAT on another user's file. What is not ours to write can still be locked.
int open_file(const std::string& path) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    constexpr int how = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int fd = ::open(path.c_str(), O_RDWR | how);
    if (fd < 0 && errno == EACCES) fd = ::open(path.c_str(), O_RDONLY | how);
    if (fd < 0 && errno == ENOENT) {
      fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | how, 0666);
      if (fd >= 0) ::fchmod(fd, 0666);  // whatever the umask: others must be able to say who they are
      if (fd < 0 && errno == EEXIST) continue;
    }
    struct stat info {};
    if (fd >= 0 && (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
      ::close(fd);
      fd = -1;
    }
    return fd;
  }
  return -1;
}

// Somebody may have removed the file, and another made a new one, between opening and locking.
bool is_still(int fd, const std::string& path) {
  struct stat mine {
  }, there{};
  return ::fstat(fd, &mine) == 0 && ::stat(path.c_str(), &there) == 0 && mine.st_ino == there.st_ino &&
         mine.st_dev == there.st_dev;
}

std::string user_name() {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> text{};
  if (::getpwuid_r(::geteuid(), &entry, text.data(), text.size(), &found) == 0 && found) return entry.pw_name;
  return "user " + std::to_string(::geteuid());
}

void write_note(int fd, const std::string& command) {
  const Json note{{"pid", ::getpid()}, {"user", user_name()}, {"command", command.substr(0, most_note_bytes / 2)}};
  const std::string text = note.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, text.data(), text.size(), 0) < 0) return;  // a lock without a note
}

// Another user wrote it: no control character reaches a terminal.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

GpuLock::Holder holder_of(int fd, const std::string& path) {
  GpuLock::Holder holder{path, 0, {}, {}};
  std::array<char, most_note_bytes> text{};
  const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  const Json note = Json::parse(text.data(), text.data() + std::max<ssize_t>(size, 0), nullptr, false);
  if (!note.is_object()) return holder;
  try {
    holder.pid = note.value("pid", 0);
    holder.user = printable(note.value("user", ""));
    holder.command = printable(note.value("command", ""));
  } catch (const Json::exception&) {
  }
  return holder;
}

}  // namespace

// Under its own lock: who is just taking it finds the file gone, and makes a new one.
GpuLock::~GpuLock() {
  for (const File& file : files_) {
    if (is_still(file.fd, file.path)) ::unlink(file.path.c_str());
    ::close(file.fd);
  }
}

std::string GpuLock::file_name(const std::string& gpu_uuid) {
  std::string name = gpu_uuid;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c) && c != '-'; }, '_');
  return "tuner-" + name + ".lock";
}

std::optional<GpuLock::Holder> GpuLock::take(const std::string& gpu_uuid, const std::vector<std::string>& folders,
                                             const std::string& command) {
  GpuLock taken;
  for (const std::string& folder : folders) {
    const std::string path = folder + "/" + file_name(gpu_uuid);
    for (int fd = open_file(path); fd >= 0; fd = open_file(path)) {
      const bool locked = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
      const bool others = !locked && errno == EWOULDBLOCK;
      const bool replaced = !is_still(fd, path);
      if (locked && !replaced) {
        taken.files_.push_back({fd, path});
        break;
      }
      const Holder holder = others ? holder_of(fd, path) : Holder{};
      ::close(fd);
      if (replaced) continue;
      if (others) return holder;
      break;  // this file system cannot lock
    }
  }
  for (const File& file : taken.files_) write_note(file.fd, command);
  *this = std::move(taken);
  return std::nullopt;
}

}  // namespace tuner::tune
