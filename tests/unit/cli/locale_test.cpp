// Numbers are read and written alike everywhere: nothing in src/ asks the locale.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace tuner {
namespace {

namespace fs = std::filesystem;

TEST(Locale, NothingReadsOrWritesNumbersByIt) {
  const std::regex banned(
      R"(\b(setlocale|uselocale|std::locale|imbue|strto[dfl]d?|sto[df]|stold|atof|localeconv)\s*[({:<])");
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(TUNER_SOURCE_DIR "/src")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    std::ifstream in(entry.path());
    ++files;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const bool suspect = line.find("locale") != std::string::npos || line.find("sto") != std::string::npos ||
                           line.find("strto") != std::string::npos || line.find("atof") != std::string::npos ||
                           line.find("imbue") != std::string::npos;
      EXPECT_FALSE(suspect && std::regex_search(line, banned)) << entry.path() << ":" << number << ": " << line;
    }
  }
  EXPECT_GT(files, 100);
}

}  // namespace
}  // namespace tuner
