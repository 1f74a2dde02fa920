// Length-prefixed frames on a pipe: 4 bytes "TNR1", 4 bytes header length, 8 bytes payload length (little endian), a
// JSON header, a binary payload.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "proc/child.h"

namespace tuner::proc {

struct Frame {
  std::string header;  // JSON
  std::string payload;
};

enum class ReadResult { frame, end, timeout, garbage };

// Reads one frame from `fd`, waiting no longer than `deadline` (no deadline: for ever). A time-out before the first
// byte loses nothing; one inside a frame leaves the stream unusable. A writer that goes inside a frame is an end. On
// garbage, `frame.payload` holds the text that stood where a frame should begin (at most 4 KiB): a login banner, say.
// Headers over 64 MiB and payloads over 1 GiB are garbage. `meanwhile` is called ten times a second while it waits, and
// may throw.
ReadResult read_frame(int fd, Frame& frame, std::optional<Clock::time_point> deadline,
                      const std::function<void()>& meanwhile = {});

// As read_frame, but for text in front of the frame, at most 64 KiB of it: that is skipped. Where no frame comes,
// `frame.payload` holds the last 4 KiB of the text.
ReadResult read_first_frame(int fd, Frame& frame, std::optional<Clock::time_point> deadline,
                            const std::function<void()>& meanwhile = {});

// Writes all of it; false when the reader is gone (SIGPIPE is not raised) or `deadline` passed.
bool write_frame(int fd, const Frame& frame, std::optional<Clock::time_point> deadline = {});

// A frame in memory. Decoding refuses anything but one whole frame.
std::string encode_frame(const Frame& frame);
bool decode_frame(std::string_view bytes, Frame& frame);

}  // namespace tuner::proc
