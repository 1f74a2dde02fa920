#include "proc/frames.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "core/error.h"
#include "proc/io.h"

namespace tuner::proc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Clock::time_point in(milliseconds time) { return Clock::now() + time; }

void put(const Pipe& pipe, const std::string& bytes) {
  ASSERT_EQ(::write(pipe.write_end.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

std::string prefix(std::uint32_t header, std::uint64_t payload) {
  std::string bytes = "TNR1";
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(header >> (8 * i) & 0xff));
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(payload >> (8 * i) & 0xff));
  return bytes;
}

TEST(Frames, LayoutIsAsDocumented) {
  const auto pipe = make_pipe();
  ASSERT_TRUE(write_frame(pipe.write_end.get(), {"{}", std::string("\0p", 2)}));
  std::string bytes;
  EXPECT_EQ(read_some(pipe.read_end.get(), bytes, 100), Io::some);
  EXPECT_EQ(bytes, prefix(2, 2) + "{}" + std::string("\0p", 2));
}

TEST(Frames, SeveralFollowEachOther) {
  const auto pipe = make_pipe();
  ASSERT_TRUE(write_frame(pipe.write_end.get(), {"first", "payload"}));
  ASSERT_TRUE(write_frame(pipe.write_end.get(), {"", ""}));
  ASSERT_TRUE(write_frame(pipe.write_end.get(), {"third", ""}));
  Frame frame;
  ASSERT_EQ(read_frame(pipe.read_end.get(), frame, in(seconds(5))), ReadResult::frame);
  EXPECT_EQ(frame.header, "first");
  EXPECT_EQ(frame.payload, "payload");
  ASSERT_EQ(read_frame(pipe.read_end.get(), frame, in(seconds(5))), ReadResult::frame);
  EXPECT_EQ(frame.header + frame.payload, "");
  ASSERT_EQ(read_frame(pipe.read_end.get(), frame, in(seconds(5))), ReadResult::frame);
  EXPECT_EQ(frame.header, "third");
}

TEST(Frames, TextInFrontOfTheFirstIsSkipped) {
  for (const std::string text : {"", "Welcome\n", "TNR1 is what frames begin with\n", "TNTNR", "T"}) {
    const auto pipe = make_pipe();
    put(pipe, text + encode_frame({"header", "TNR1"}));
    Frame frame;
    ASSERT_EQ(read_first_frame(pipe.read_end.get(), frame, in(seconds(5))), ReadResult::frame) << text;
    EXPECT_EQ(frame.header, "header");
    EXPECT_EQ(frame.payload, "TNR1");
  }
}

TEST(Frames, TextWithoutAFrameIsKeptToBeQuoted) {
  auto pipe = make_pipe();
  put(pipe, "no such host");
  Frame frame;
  EXPECT_EQ(read_first_frame(pipe.read_end.get(), frame, in(milliseconds(50))), ReadResult::timeout);
  EXPECT_EQ(frame.payload, "no such host");
  put(pipe, "no such host");
  pipe.write_end.reset();
  EXPECT_EQ(read_first_frame(pipe.read_end.get(), frame, in(seconds(5))), ReadResult::end);
  EXPECT_EQ(frame.payload, "no such host");
  auto endless = make_pipe();
  std::thread writer([&] { write_frame(endless.write_end.get(), {std::string(1 << 20, 'x'), {}}, in(seconds(5))); });
  std::string begun;
  while (begun.size() < 16) read_some(endless.read_end.get(), begun, 16 - begun.size());
  EXPECT_EQ(read_first_frame(endless.read_end.get(), frame, in(seconds(5))), ReadResult::garbage);
  EXPECT_EQ(frame.payload, std::string(4096, 'x'));
  endless.read_end.reset();
  writer.join();
}

TEST(Frames, LargePayloadThroughBlockingAndNonblockingEnds) {
  for (const bool nonblocking : {false, true}) {
    auto pipe = make_pipe();
    if (nonblocking) set_nonblocking(pipe.write_end.get());
    if (nonblocking) set_nonblocking(pipe.read_end.get());
    const Frame sent{"header", std::string(3u << 20, 'q')};
    bool written = false;
    std::thread writer([&] { written = write_frame(pipe.write_end.get(), sent, in(seconds(20))); });
    Frame frame;
    EXPECT_EQ(read_frame(pipe.read_end.get(), frame, in(seconds(20))), ReadResult::frame);
    writer.join();
    EXPECT_TRUE(written);
    EXPECT_EQ(frame.payload, sent.payload);
  }
}

TEST(Frames, EndAtAndInsideAFrame) {
  for (const auto& bytes : {std::string(), std::string("TN"), prefix(5, 0) + "ab", prefix(2, 9) + "{}abc"}) {
    auto pipe = make_pipe();
    put(pipe, bytes);
    pipe.write_end.reset();
    Frame frame;
    EXPECT_EQ(read_frame(pipe.read_end.get(), frame, in(seconds(5))), ReadResult::end) << bytes;
  }
}

TEST(Frames, TimesOutBeforeAndInsideAFrame) {
  for (const auto& bytes : {std::string(), std::string("TNR1\1"), prefix(5, 0) + "ab", prefix(2, 9) + "{}abc"}) {
    const auto pipe = make_pipe();
    put(pipe, bytes);
    Frame frame;
    const auto start = Clock::now();
    EXPECT_EQ(read_frame(pipe.read_end.get(), frame, in(milliseconds(60))), ReadResult::timeout) << bytes;
    EXPECT_GE(Clock::now() - start, milliseconds(55));
    EXPECT_LT(Clock::now() - start, seconds(5));
  }
}

TEST(Frames, SomethingElseIsDoneMeanwhile) {
  const auto pipe = make_pipe();
  put(pipe, prefix(2, 9) + "{}abc");
  Frame frame;
  int looks = 0;
  const auto look = [&looks] {
    if (++looks == 2) throw Interrupted();
  };
  EXPECT_THROW(read_frame(pipe.read_end.get(), frame, in(seconds(20)), look), Interrupted);
  EXPECT_EQ(looks, 2);
}

TEST(Frames, TimeOutBeforeTheFirstByteLosesNothing) {
  const auto pipe = make_pipe();
  Frame frame;
  EXPECT_EQ(read_frame(pipe.read_end.get(), frame, in(milliseconds(10))), ReadResult::timeout);
  ASSERT_TRUE(write_frame(pipe.write_end.get(), {"later", ""}));
  EXPECT_EQ(read_frame(pipe.read_end.get(), frame, in(seconds(5))), ReadResult::frame);
  EXPECT_EQ(frame.header, "later");
}

TEST(Frames, ABannerIsGarbageAndGivenBack) {
  const auto pipe = make_pipe();
  put(pipe, "Welcome to the cluster!\n");
  std::thread late([&] {
    std::this_thread::sleep_for(milliseconds(30));
    put(pipe, "Mind the queue.\n");
  });
  Frame frame;
  EXPECT_EQ(read_frame(pipe.read_end.get(), frame, in(seconds(5))), ReadResult::garbage);
  late.join();
  EXPECT_EQ(frame.payload, "Welcome to the cluster!\nMind the queue.\n");
}

TEST(Frames, GarbageIsCutAt4KiB) {
  const auto pipe = make_pipe();
  put(pipe, std::string(10000, 'g'));
  Frame frame;
  EXPECT_EQ(read_frame(pipe.read_end.get(), frame, in(seconds(5))), ReadResult::garbage);
  EXPECT_EQ(frame.payload.size(), 4096u);
}

TEST(Frames, GarbageThatBeginsLikeAFrame) {
  const auto pipe = make_pipe();
  put(pipe, "TNR2");
  Frame frame;
  EXPECT_EQ(read_frame(pipe.read_end.get(), frame, in(seconds(5))), ReadResult::garbage);
  EXPECT_EQ(frame.payload, "TNR2");
}

TEST(Frames, HugeLengthsAreGarbage) {
  for (const auto& bytes : {prefix(0xffffffffu, 0), prefix((64u << 20) + 1, 0), prefix(2, (1ull << 30) + 1),
                            prefix(2, 0xffffffffffffffffull)}) {
    const auto pipe = make_pipe();
    put(pipe, bytes);
    Frame frame;
    EXPECT_EQ(read_frame(pipe.read_end.get(), frame, in(seconds(5))), ReadResult::garbage);
  }
}

TEST(Frames, WriterSeesThatTheReaderIsGone) {
  auto pipe = make_pipe();
  pipe.read_end.reset();
  EXPECT_FALSE(write_frame(pipe.write_end.get(), {"header", ""}));  // SIGPIPE would end this test
  EXPECT_FALSE(write_frame(pipe.write_end.get(), {"header", ""}, in(seconds(1))));
}

TEST(Frames, WriterGivesUpAtItsDeadline) {
  const auto pipe = make_pipe();
  const auto start = Clock::now();
  EXPECT_FALSE(write_frame(pipe.write_end.get(), {"", std::string(1u << 20, 'x')}, in(milliseconds(100))));
  EXPECT_LT(Clock::now() - start, seconds(5));
}

}  // namespace
}  // namespace tuner::proc
