#include "report/visible.h"

#include <gtest/gtest.h>

#include "report/style.h"
#include "report/table.h"

namespace tuner::report {
namespace {

TEST(Visible, WritesOutWhatATerminalWouldActOn) {
  EXPECT_EQ(visible("\033[2Jplain\a\b\r\x7f"), "\\x1b[2Jplain\\x07\\x08\\x0d\\x7f");
  EXPECT_EQ(visible("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(one_line("a\tb\nc"), "a\\tb\\nc");
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\u009b31m");  // a control sequence in one character
  EXPECT_EQ(visible("\x9b"
                    "31m"),
            "\\x9b31m");  // and in one byte
  EXPECT_EQ(visible("x\xe2\x80\xae"
                    "txt.exe"),
            "x\\u202etxt.exe");  // right to left
}

TEST(Visible, LeavesOtherTextAsItIs) {
  for (const char* text : {"", "56.4 µs ±0.1% → …", "Größe 鍵 \xf0\x9f\x98\x80", "back\\slash"})
    EXPECT_EQ(one_line(text), text);
}

TEST(Visible, WritesOutWhatIsNoUtf8) {
  EXPECT_EQ(visible("\xc3"), "\\xc3");
  EXPECT_EQ(visible("\xc3("), "\\xc3(");
  EXPECT_EQ(visible("\xc0\x9b"), "\\xc0\\x9b");           // longer than need be
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(visible("\xff\xfe"), "\\xff\\xfe");
}

TEST(Visible, EveryWayToATerminalGoesThroughIt) {
  Style style;
  EXPECT_EQ(style.text("\033c"), "\\x1bc");
  style.utf8 = false;
  EXPECT_EQ(style.text("\033c ±"), "\\x1bc +/-");
  style.color = true;
  EXPECT_EQ(style.bold("\033c"), "\033[1m\\x1bc\033[0m");
  EXPECT_EQ(style.dim("\033c"), "\033[2m\\x1bc\033[0m");
  Table table({{"a", false}, {"b", false}});
  table.add({"x\033\ny", "z"});
  EXPECT_EQ(table.text(Style{}, ""), "a         b\nx\\x1b\\ny  z\n");
}

}  // namespace
}  // namespace tuner::report
