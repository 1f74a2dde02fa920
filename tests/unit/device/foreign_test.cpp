#include "device/foreign.h"

#include <gtest/gtest.h>

namespace tuner::device {
namespace {

Argument argument(const char* name, bool is_buffer, Role role = Role::weight) {
  Argument made;
  made.name = name;
  made.is_buffer = is_buffer;
  made.role = role;
  if (!is_buffer) made.type = Type::i32;
  made.value = 3;
  return made;
}

class ForeignTest : public testing::Test {
 protected:
  ForeignTest() { EXPECT_EQ(foreign_.open(TUNER_FAKE_BASELINE), ""); }

  std::string call(void* workspace, void* stream) {
    const Timed timed{
        -1,
        &execution_,
        {reinterpret_cast<Address>(x_), reinterpret_cast<Address>(scratch_), reinterpret_cast<Address>(y_), 0}};
    return foreign_.call(timed, workspace, bytes_, stream);
  }

  Foreign foreign_;
  // Scratch is left out, wherever it stands.
  Execution execution_{{argument("x", true), argument("s", true, Role::scratch), argument("y", true, Role::output),
                        argument("n", false)},
                       {}};
  float x_[3] = {1, 2, 3}, y_[3] = {}, scratch_[1] = {};
  std::size_t bytes_ = 0;
};

TEST_F(ForeignTest, AsksForItsWorkspaceThenRuns) {
  EXPECT_EQ(call(nullptr, nullptr), "");
  EXPECT_EQ(bytes_, 4096U);
  EXPECT_EQ(y_[2], 0);
  int stream = 0;
  EXPECT_EQ(call(scratch_, &stream), "");
  EXPECT_EQ(y_[2], 6);
}

TEST_F(ForeignTest, ItsOwnWordsSayWhatWentWrong) { EXPECT_EQ(call(scratch_, nullptr), "no stream"); }

TEST_F(ForeignTest, OtherArgumentsAreNotPassed) {
  execution_.arguments[3].type = Type::i64;
  EXPECT_EQ(call(nullptr, nullptr), "'n' is 4 bytes in it and 8 in the manifest");
  execution_.arguments[1].role = Role::weight;
  EXPECT_EQ(call(nullptr, nullptr),
            "it takes 6 arguments and is given 7: the kernel's without scratch, a workspace, its size and a stream");
}

TEST(Foreign, AFileThatIsNoneIsNamed) {
  Foreign foreign;
  EXPECT_NE(foreign.open("/nonexistent.so").find("/nonexistent.so"), std::string::npos);
  EXPECT_EQ(Foreign().open(TUNER_FAKE_CUDA), "it offers no baseline");
}

}  // namespace
}  // namespace tuner::device
