#include "proc/frames.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cstdint>

#include "proc/io.h"

namespace tuner::proc {
namespace {

constexpr std::string_view kMagic = "TNR1";
constexpr std::size_t kPrefix = 16;
constexpr std::uint64_t kMaxHeader = 64ull << 20;
constexpr std::uint64_t kMaxPayload = 1ull << 30;
constexpr std::size_t kMaxGarbage = 4096;
constexpr std::size_t kMaxText = 64 << 10;  // in front of the first frame
constexpr std::size_t kAtomicWrite = 4096;  // PIPE_BUF: a blocking pipe that polls writable takes this much at once
constexpr std::chrono::milliseconds kGarbageQuiet{200};
constexpr std::chrono::milliseconds kBetweenLooks{100};

using Deadline = std::optional<Clock::time_point>;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

void append_little_endian(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

bool begins_a_frame(std::string_view bytes) {
  const auto both = std::min(bytes.size(), kMagic.size());
  return bytes.substr(0, both) == kMagic.substr(0, both);
}

enum class Fill { full, end, timeout };
using Meanwhile = std::function<void()>;

bool wait_to_read(int fd, Deadline deadline, const Meanwhile& meanwhile) {
  if (!meanwhile) return wait_ready(fd, POLLIN, deadline);
  for (;;) {
    const auto look = Clock::now() + kBetweenLooks;
    if (wait_ready(fd, POLLIN, deadline ? std::min(*deadline, look) : look)) return true;
    if (deadline && Clock::now() >= *deadline) return false;
    meanwhile();
  }
}

// Grows `to` to `size` bytes as they come: a length that lies costs nothing.
Fill fill(int fd, std::string& to, std::uint64_t size, Deadline deadline, const Meanwhile& meanwhile) {
  while (to.size() < size) {
    if (!wait_to_read(fd, deadline, meanwhile)) return Fill::timeout;
    if (read_some(fd, to, static_cast<std::size_t>(size - to.size())) == Io::closed) return Fill::end;
  }
  return Fill::full;
}

// The rest of a text that is no frame, until it pauses.
ReadResult garbage(int fd, std::string seen, Frame& frame, Deadline deadline) {
  while (seen.size() < kMaxGarbage) {
    const auto quiet = Clock::now() + kGarbageQuiet;
    if (!wait_ready(fd, POLLIN, deadline ? std::min(*deadline, quiet) : quiet)) break;
    if (read_some(fd, seen, kMaxGarbage - seen.size()) == Io::closed) break;
  }
  frame.header.clear();
  frame.payload = std::move(seen);
  return ReadResult::garbage;
}

// Whether this is how a frame begins, with sizes that may be. Those that letters would make may not.
bool is_prefix(std::string_view bytes) {
  return bytes.size() == kPrefix && begins_a_frame(bytes) && little_endian(bytes.substr(4, 4)) <= kMaxHeader &&
         little_endian(bytes.substr(8, 8)) <= kMaxPayload;
}

ReadResult read_rest(int fd, std::string_view prefix, Frame& frame, Deadline deadline, const Meanwhile& meanwhile) {
  frame.header.clear();
  frame.payload.clear();
  Fill filled = fill(fd, frame.header, little_endian(prefix.substr(4, 4)), deadline, meanwhile);
  if (filled == Fill::full) filled = fill(fd, frame.payload, little_endian(prefix.substr(8, 8)), deadline, meanwhile);
  if (filled == Fill::full) return ReadResult::frame;
  return filled == Fill::timeout ? ReadResult::timeout : ReadResult::end;
}

}  // namespace

ReadResult read_frame(int fd, Frame& frame, std::optional<Clock::time_point> deadline,
                      const std::function<void()>& meanwhile) {
  std::string prefix;
  while (prefix.size() < kPrefix) {
    const Fill filled = fill(fd, prefix, prefix.size() + 1, deadline, meanwhile);
    if (filled == Fill::timeout) return ReadResult::timeout;
    if (filled == Fill::end) return ReadResult::end;
    if (!begins_a_frame(prefix)) return garbage(fd, std::move(prefix), frame, deadline);
  }
  if (!is_prefix(prefix)) return garbage(fd, std::move(prefix), frame, deadline);
  return read_rest(fd, prefix, frame, deadline, meanwhile);
}

ReadResult read_first_frame(int fd, Frame& frame, std::optional<Clock::time_point> deadline,
                            const std::function<void()>& meanwhile) {
  std::string text, prefix;
  const auto without_frame = [&](ReadResult why) {
    text += prefix;
    frame.header.clear();
    frame.payload = text.substr(text.size() - std::min(text.size(), kMaxGarbage));
    return why;
  };
  while (!is_prefix(prefix)) {
    // What cannot be the beginning of a frame is text.
    while (!prefix.empty() && (!begins_a_frame(prefix) || prefix.size() == kPrefix)) {
      text += prefix.front();
      prefix.erase(0, 1);
    }
    if (text.size() > kMaxText) return without_frame(ReadResult::garbage);
    const Fill filled = fill(fd, prefix, prefix.size() + 1, deadline, meanwhile);
    if (filled == Fill::timeout) return without_frame(ReadResult::timeout);
    if (filled == Fill::end) return without_frame(ReadResult::end);
  }
  return read_rest(fd, prefix, frame, deadline, meanwhile);
}

std::string encode_frame(const Frame& frame) {
  std::string bytes(kMagic);
  append_little_endian(bytes, frame.header.size(), 4);
  append_little_endian(bytes, frame.payload.size(), 8);
  bytes += frame.header;
  bytes += frame.payload;
  return bytes;
}

bool decode_frame(std::string_view bytes, Frame& frame) {
  if (bytes.size() < kPrefix || !begins_a_frame(bytes)) return false;
  const std::uint64_t header = little_endian(bytes.substr(4, 4));
  const std::uint64_t payload = little_endian(bytes.substr(8, 8));
  if (header > kMaxHeader || payload > kMaxPayload || bytes.size() != kPrefix + header + payload) return false;
  frame.header = bytes.substr(kPrefix, header);
  frame.payload = bytes.substr(kPrefix + header);
  return true;
}

bool write_frame(int fd, const Frame& frame, std::optional<Clock::time_point> deadline) {
  if (frame.header.size() > kMaxHeader || frame.payload.size() > kMaxPayload) return false;
  const std::string bytes = encode_frame(frame);
  const bool may_block = (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
  std::size_t written = 0;
  while (written < bytes.size()) {
    if (!wait_ready(fd, POLLOUT, deadline)) return false;
    std::size_t size = bytes.size() - written;
    if (may_block && deadline) size = std::min(size, kAtomicWrite);
    if (write_some(fd, bytes.data() + written, size, written) == Io::closed) return false;
  }
  return true;
}

}  // namespace tuner::proc
