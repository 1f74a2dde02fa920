#include "core/shell.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

TEST(Shell, QuotesOnlyWhatAShellChanges) {
  EXPECT_EQ(shell_word("variant=vec"), "variant=vec");
  EXPECT_EQ(shell_word("/a/b-c_d.e,f:g@h%i+1"), "/a/b-c_d.e,f:g@h%i+1");
  EXPECT_EQ(shell_word("my own.db"), "'my own.db'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_word("~"), "'~'");
  EXPECT_EQ(shell_word("é"), "'é'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace tuner
