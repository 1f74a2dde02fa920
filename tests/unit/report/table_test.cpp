#include "report/table.h"

#include <gtest/gtest.h>

#include <map>

#include "report/format.h"

namespace tuner::report {
namespace {

TEST(Table, LinesUpCharactersNotBytes) {
  Table table({{"#"}, {"config", false}, {"time"}, {"±"}});
  table.add({"1", "a=1", "9.00 µs", "±0.3%"});
  table.add({"10", "a=10 b=2", "10.50 µs", "±10.0%"});
  Style style;
  EXPECT_EQ(table.text(style),
            "   #  config        time       ±\n"
            "   1  a=1        9.00 µs   ±0.3%\n"
            "  10  a=10 b=2  10.50 µs  ±10.0%\n");
  style.utf8 = false;
  EXPECT_EQ(table.text(style),
            "   #  config        time       +/-\n"
            "   1  a=1        9.00 us   +/-0.3%\n"
            "  10  a=10 b=2  10.50 us  +/-10.0%\n");
}

TEST(Table, LeavesOutColumnsWithoutText) {
  Table table({{"a", false}, {"b"}, {"c", false}});
  table.add({"x", "", "y"});
  EXPECT_EQ(table.text(Style{}, ""), "a  c\nx  y\n");
}

TEST(Table, OnANarrowTerminalWhatAllRowsHaveIsSaidOnce) {
  Table table({{"#"}, {"config", false, true}, {"facts", false, true}, {"why", false}});
  table.add({"1", "variant=vec block_size=128", "y=f16", "a=b"});
  table.add({"2", "variant=vec block_size=256 unroll=2", "y=f16", "a=b"});
  table.add({"-", "cublas", "", "a=b"});
  Style style;
  const std::string whole = table.text(style);
  EXPECT_NE(whole.find("variant=vec block_size=256 unroll=2  y=f16  a=b\n"), std::string::npos);
  style.width = 51;
  EXPECT_EQ(table.text(style), whole);  // no terminal
  style.terminal = true;
  EXPECT_EQ(table.text(style),
            "  #  config                   why\n"
            "  1  block_size=128           a=b\n"
            "  2  block_size=256 unroll=2  a=b\n"
            "  -  cublas                   a=b\n"
            "  the same in every row: config variant=vec; facts y=f16\n");
  style.width = 52;
  EXPECT_EQ(table.text(style), whole);  // fits
}

TEST(Table, OnAVeryNarrowTerminalPairsHaveTheirOwnLines) {
  Table table({{"#"}, {"config", false, true}, {"time"}});
  table.add({"1", "variant=vec block_size=128", "9 ms"});
  table.add({"2", "variant=warp block_size=128", "10 ms"});
  table.add({"-", "", "11 ms"});
  Style style;
  style.terminal = true;
  style.width = 20;
  EXPECT_EQ(table.text(style),
            "  #   time\n"
            "  1   9 ms\n"
            "      variant=vec\n"
            "  2  10 ms\n"
            "      variant=warp\n"
            "  -  11 ms\n"
            "  the same in every row: config block_size=128\n");
  Table one({{"config", false, true}, {"b", false}});  // nothing to compare it with
  one.add({"variant=vec block_size=128", "x"});
  EXPECT_EQ(one.text(style, ""), "b\nx\n    variant=vec block_size=128\n");
}

TEST(Table, AStrongRowIsBoldWhereThereIsColour) {
  Table table({{"a", false}});
  table.add({"x"}, true);
  Style style;
  style.color = true;
  EXPECT_EQ(table.text(style, ""), "\033[2ma\033[0m\n\033[1mx\033[0m\n");
}

TEST(Style, ColourIsOffUnlessItIsSafe) {
  std::map<std::string, std::string> variables{{"LANG", "C.UTF-8"}};
  const auto environment = [&variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
  EXPECT_FALSE(detect_style(-1, "auto", environment).color);  // not a terminal
  EXPECT_TRUE(detect_style(-1, "always", environment).color);
  EXPECT_FALSE(detect_style(-1, "never", environment).color);
  EXPECT_TRUE(detect_style(-1, "auto", environment).utf8);
  variables["LC_ALL"] = "POSIX";
  EXPECT_FALSE(detect_style(-1, "auto", environment).utf8);
}

TEST(Style, ClipsAtCharacters) {
  EXPECT_EQ(clipped("µµµµ", 4), "µµµµ");
  EXPECT_EQ(clipped("µµµµ", 3), "µµ…");
  EXPECT_EQ(clipped("abc", 0), "");
  EXPECT_EQ(display_width("±1 µs"), 5U);
}

TEST(Format, OneUnitAColumn) {
  EXPECT_EQ(TimeUnit({28.2, 212}).text(212), "212.00 µs");
  EXPECT_EQ(TimeUnit({128.2, 212}).text(212), "212.0 µs");
  EXPECT_EQ(TimeUnit({20000}).text(20000), "20.00 ms");
  EXPECT_EQ(TimeUnit({1}).text(0), "");
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(49152), "48 KiB");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(0x1p62), "4 EiB");
  EXPECT_EQ(bytes_text(0x1p75), "32768 EiB");
  EXPECT_EQ(duration(192), "3 min 12 s");
  EXPECT_EQ(duration(7260), "2 h 1 min");
}

}  // namespace
}  // namespace tuner::report
