// Runs every transcript of tests/golden/expected. TUNER_UPDATE_GOLDENS=1 rewrites those that differ.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/shell.h"
#include "golden/fixtures.h"
#include "golden/transcript.h"
#include "proc/child.h"

namespace tuner::golden {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::minutes deadline{9};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// Where `path` stands as a path of its own: not as a part of another that ends or goes on alike.
void hide_path(std::string& text, const std::string& path, const std::string& name) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  for (std::size_t at = 0; (at = text.find(path, at)) != std::string::npos;) {
    const std::size_t end = at + path.size();
    const bool inside = (at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]));
    if (!inside) text.replace(at, path.size(), name);
    at += inside ? path.size() : name.size();
  }
}

void add_lines(std::vector<std::string>& lines, const char* prefix, const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line.empty() ? std::string(prefix) : std::string(prefix) + " " + line);
}

// A folder of its own for one transcript: home, cache and results of whoever runs the tests are out of the way.
class Session {
 public:
  explicit Session(const std::string& name)
      : folder_(fs::temp_directory_path() / ("tuner-golden-" + name + "-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    // A share folder without the shipped results, so that what is known is only what a transcript made.
    fs::create_directories(folder_ / "share");
    for (const char* part : {"kernel_templates", "configs", "schemas"})
      fs::create_directory_symlink(fs::path(TUNER_SOURCE_DIR) / part, folder_ / "share" / part);
  }
  ~Session() {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const fs::path& folder() const { return folder_; }

  std::vector<std::string> run(const std::string& line) const {
    const proc::Output output = proc::run(argv_of(line), "", deadline, {});
    EXPECT_FALSE(output.timed_out) << line;
    std::vector<std::string> lines;
    lines.push_back(output.status.exited ? "exit " + std::to_string(output.status.code) : output.status.text());
    add_lines(lines, "out|", hidden(output.out));
    add_lines(lines, "err|", hidden(output.err));
    return lines;
  }

  std::vector<std::string> argv_of(const std::string& line) const {
    std::vector<std::string> argv{"/usr/bin/env", "-C", folder_.string()};
    for (const char* name :
         {"TUNER_DB", "TUNER_CACHE", "TUNER_RESULTS", "TUNER_SITE", "TUNER_KERNELS", "TUNER_NVRTC", "TUNER_NVCC",
          "TUNER_NCU", "XDG_DATA_HOME", "XDG_CACHE_HOME", "NO_COLOR", "LC_ALL", "LC_CTYPE"})
      argv.insert(argv.end(), {"-u", name});
    argv.insert(argv.end(), {"HOME=" + folder_.string(), "LANG=C.UTF-8", "CUDA_VISIBLE_DEVICES=",
                             "TUNER_LOCK_DIR=" + folder_.string(), "TUNER_SHARE=" + (folder_ / "share").string(),
                             "TUNER_KERNELS=" TUNER_SOURCE_DIR "/tests/golden/kernels"});
    for (const std::string& word : shell_words(line, "a transcript"))
      argv.push_back(word == "tuner" ? TUNER_PROGRAM : expanded(word));
    return argv;
  }

 private:
  std::string expanded(std::string word) const {
    replace_all(word, "$TMP", folder_.string());
    replace_all(word, "$FAKE_CUDA", TUNER_FAKE_CUDA);
    replace_all(word, "$SOURCE", TUNER_SOURCE_DIR);
    replace_all(word, "$SHARE", (folder_ / "share").string());
    return word;
  }
  std::string hidden(std::string text) const {
    hide_path(text, (folder_ / "share").string(), "$SHARE");
    hide_path(text, folder_.string(), "$TMP");
    hide_path(text, TUNER_SOURCE_DIR, "$SHARE");
    replace_all(text, "tuner " TUNER_VERSION, "tuner VERSION");
    return text;
  }

  fs::path folder_;
};

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, PrintsWhatItDid) {
  const fs::path path = fs::path(TUNER_SOURCE_DIR) / "tests/golden/expected" / (GetParam() + ".txt");
  std::vector<Part> parts = parse_transcript(read_file(path));
  for (const std::string& need : needs(parts))
    if (const std::string why = missing(need); !why.empty()) {
      if (need == "no driver") return;  // says what a machine without one sees; there is one here
      GTEST_SKIP() << why;
    }
  const Session session(GetParam());
  bool changed = false;
  for (Part& part : parts) {
    if (part.kind == Part::Kind::file) {
      make_fixture(session.folder() / part.name, part.lines);
      continue;
    }
    if (part.kind != Part::Kind::call) continue;
    const std::vector<std::string> actual = session.run(part.call.line);
    if (lines_match(part.call.expected, actual)) continue;
    changed = true;
    std::string shown;
    for (const std::string& line : actual) shown += line + "\n";
    if (!std::getenv("TUNER_UPDATE_GOLDENS"))
      ADD_FAILURE() << path.string() << "\n$ " << part.call.line << "\nprinted\n"
                    << shown << "see scripts/update_goldens";
    part.call.expected = updated(part.call.expected, actual);
  }
  if (changed && std::getenv("TUNER_UPDATE_GOLDENS")) std::ofstream(path, std::ios::binary) << print_transcript(parts);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(fs::path(TUNER_SOURCE_DIR) / "tests/golden/expected"))
    if (entry.path().extension() == ".txt") all.push_back(entry.path().stem().string());
  std::sort(all.begin(), all.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Transcripts, Golden, testing::ValuesIn(names()), [](const auto& each) { return each.param; });

// Reads what the child says on stderr until `text` has come; false at its end.
bool wait_for(const proc::Child& child, const std::string& text) {
  std::string seen;
  char buffer[512];
  while (seen.find(text) == std::string::npos) {
    pollfd waiting{child.stderr_fd(), POLLIN, 0};
    if (::poll(&waiting, 1, 60000) <= 0) return false;
    const ssize_t got = ::read(child.stderr_fd(), buffer, sizeof buffer);
    if (got <= 0) return false;
    seen.append(buffer, static_cast<std::size_t>(got));
  }
  return true;
}

// All that comes until the child closes its end.
std::string rest_of(int fd) {
  std::string all;
  char buffer[512];
  for (ssize_t got = 0; (got = ::read(fd, buffer, sizeof buffer)) > 0;)
    all.append(buffer, static_cast<std::size_t>(got));
  return all;
}

TEST(Interrupt, EverySignalEndsASweepWith130AndKeepsItsRun) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Session session("interrupt");
    proc::Child child =
        proc::Child::spawn(session.argv_of("tuner sweep --kernel gemv_f32 --shape 64x64 --device host --db i.db"), {});
    ASSERT_TRUE(wait_for(child, "problem  [1/1]"));
    ASSERT_EQ(::kill(child.pid(), signal), 0);
    const auto status = child.wait_until(proc::Clock::now() + std::chrono::minutes{2});
    ASSERT_TRUE(status) << "it did not stop";
    EXPECT_TRUE(status->exited) << status->text();
    EXPECT_EQ(status->code, 130);
    // It was compiling: no problem is finished, and what was not run is not counted.
    const std::string said = rest_of(child.stderr_fd());
    EXPECT_NE(said.find("interrupted after 0 problems, 0 trials in "), std::string::npos) << said;
    const std::string results = rest_of(child.stdout_fd());
    EXPECT_NE(results.find(" 0 of "), std::string::npos) << results;
    EXPECT_NE(results.find(" not reached"), std::string::npos) << results;
    const std::vector<std::string> doctor = session.run("tuner doctor --db i.db");
    EXPECT_NE(std::find(doctor.begin(), doctor.end(), "out| database  i.db (1 run)"), doctor.end());
  }
}

TEST(GoldenLines, TokensDescribeNumbersAndText) {
  EXPECT_TRUE(line_matches("out| %float s of %int, %any", "out| 1.25 s of 17, what"));
  EXPECT_FALSE(line_matches("out| %float s", "out| 12 s"));
  EXPECT_FALSE(line_matches("out| %int", "out| 12x"));
  EXPECT_TRUE(lines_match({"exit 0", "out| %lines", "out| end"}, {"exit 0", "out| a", "out| b", "out| end"}));
  EXPECT_FALSE(lines_match({"exit 0", "out| %lines"}, {"exit 0", "err| a"}));
  EXPECT_EQ(shell_words("A=1 tuner --set 'x y=2'", "a transcript"),
            (std::vector<std::string>{"A=1", "tuner", "--set", "x y=2"}));
}

TEST(GoldenLines, AnUpdateKeepsTokens) {
  EXPECT_EQ(updated({"exit 0", "out| %float s", "out| old"}, {"exit 0", "out| 1.5 s", "out| new"}),
            (std::vector<std::string>{"exit 0", "out| %float s", "out| new"}));
}

}  // namespace
}  // namespace tuner::golden

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
