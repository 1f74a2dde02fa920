#include "core/shell.h"

#include <gtest/gtest.h>

#include "core/error.h"

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

using Words = std::vector<std::string>;

TEST(Shell, SplitsAsAShellDoes) {
  EXPECT_EQ(shell_words("", "--launcher"), Words{});
  EXPECT_EQ(shell_words("  srun -N1\t--gpus=1 ", "--launcher"), (Words{"srun", "-N1", "--gpus=1"}));
  EXPECT_EQ(shell_words("ssh host '{}' ''", "--launcher"), (Words{"ssh", "host", "{}", ""}));
  EXPECT_EQ(shell_words("a'b c'\"d \\\" \\n\"\\ e", "--launcher"), (Words{"ab cd \" \\n e"}));
  EXPECT_EQ(shell_words("$HOME ~ *", "--launcher"), (Words{"$HOME", "~", "*"}));
  for (const Words& word : {Words{"it's", "it\"s", "end\\", "\"end\\"}})
    for (const std::string& text : word) EXPECT_THROW(shell_words(text, "--launcher"), UserError) << text;
}

TEST(Shell, SplitsWhatItQuoted) {
  const Words words{"a b", "it's", "", "\\", "\"", "plain", "{}"};
  std::string line;
  for (const std::string& word : words) line += shell_word(word) + " ";
  EXPECT_EQ(shell_words(line, "--launcher"), words);
}

}  // namespace
}  // namespace tuner
