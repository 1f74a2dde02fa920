#include "cli/places.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "core/error.h"

namespace tuner::cli {
namespace fs = std::filesystem;
namespace {

class PlacesTest : public testing::Test {
 protected:
  PlacesTest() {
    std::string pattern = (fs::temp_directory_path() / "tuner-places-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    for (const char* folder : {"prefix/bin", "prefix/share/tuner/kernel_templates", "prefix/share/tuner/configs",
                               "prefix/share/tuner/results", "work/deep", "work/.tuner", "mine"})
      fs::create_directories(root_ / folder);
    variables_["HOME"] = "/home/someone";
  }
  ~PlacesTest() override { fs::remove_all(root_); }

  Places places(const PlaceFlags& flags = {}) {
    return find_places(program_, (root_ / "work/deep").string(), flags,
                       [this](const char* name) -> std::optional<std::string> {
                         const auto found = variables_.find(name);
                         if (found == variables_.end()) return std::nullopt;
                         return found->second;
                       });
  }

  fs::path root_;
  std::string program_;
  std::map<std::string, std::string> variables_;
  void SetUp() override { program_ = (root_ / "prefix/bin/tuner").string(); }
};

TEST_F(PlacesTest, TheShareFolderIsFoundFromTheBinary) {
  const Places found = places();
  EXPECT_EQ(found.share, (root_ / "prefix/share/tuner").string());
  EXPECT_EQ(found.shipped, (root_ / "prefix/share/tuner/results").string());
  EXPECT_EQ(found.kernel_folders.front(), found.share + "/kernel_templates");
}

TEST_F(PlacesTest, OrFromTheSourceTreeOfItsBuild) {
  fs::create_directories(root_ / "elsewhere/build");
  std::ofstream(root_ / "elsewhere/build/CMakeCache.txt")
      << "# a comment\nCMAKE_HOME_DIRECTORY:INTERNAL=" << (root_ / "prefix/share/tuner").string() << "\n";
  program_ = (root_ / "elsewhere/build/tuner").string();
  EXPECT_EQ(places().share, (root_ / "prefix/share/tuner").string());
  fs::create_directories(root_ / "prefix/share/tuner/build/release");
  program_ = (root_ / "prefix/share/tuner/build/release/tuner").string();
  EXPECT_EQ(places().share, (root_ / "prefix/share/tuner").string());
}

TEST_F(PlacesTest, OrSaidSo) {
  program_ = "/nowhere/bin/tuner";
  EXPECT_THROW(places(), MachineError);
  variables_["TUNER_SHARE"] = (root_ / "prefix/share/tuner").string();
  EXPECT_EQ(places().share, variables_["TUNER_SHARE"]);
  variables_["TUNER_SHARE"] = root_.string();
  EXPECT_THROW(places(), UserError);
}

TEST_F(PlacesTest, TheDatabaseIsTheFirstThatIsNamed) {
  EXPECT_EQ(places().database, "/home/someone/.local/share/tuner/tuner.db");
  EXPECT_FALSE(places().database_named);
  variables_["XDG_DATA_HOME"] = "/data";
  EXPECT_EQ(places().database, "/data/tuner/tuner.db");
  variables_["TUNER_DB"] = "/my.db";
  EXPECT_EQ(places().database, "/my.db");
  EXPECT_TRUE(places().database_named);
  EXPECT_EQ(places({"/flag.db", {}}).database, "/flag.db");
}

TEST_F(PlacesTest, WithoutAHomeLookUpsStillWork) {
  variables_.clear();
  EXPECT_EQ(places().database, "");
  EXPECT_EQ(places().cache, "");
}

TEST_F(PlacesTest, TheProjectIsFoundUpwards) {
  EXPECT_EQ(places().project, (root_ / "work/.tuner").string());
  EXPECT_TRUE(places().warnings.empty());
  const std::string mine = (root_ / "mine").string();
  variables_["TUNER_RESULTS"] = mine;
  EXPECT_EQ(places().project, mine);
}

TEST_F(PlacesTest, AVariableThatNamesNoResultsFolderIsWrong) {
  const std::string mine = (root_ / "mine").string();
  std::ofstream(root_ / "file") << "x";
  for (const char* name : {"TUNER_RESULTS", "TUNER_SITE"}) {
    for (const std::string& wrong : {mine + "x", mine + ":" + mine, (root_ / "file").string()}) {
      variables_[name] = wrong;
      EXPECT_THROW(places(), UserError) << name << " " << wrong;
    }
    variables_[name] = "";
  }
  EXPECT_EQ(places().site, "");
}

TEST_F(PlacesTest, AProjectFolderThatIsNoneIsPassedWithAWarning) {
  std::ofstream(root_ / "work/deep/.tuner") << "x";
  EXPECT_EQ(places().project, (root_ / "work/.tuner").string());
  ASSERT_EQ(places().warnings.size(), 1U);
  fs::remove(root_ / "work/deep/.tuner");
  fs::create_symlink("nowhere", root_ / "work/deep/.tuner");
  EXPECT_EQ(places().project, (root_ / "work/.tuner").string());
  ASSERT_EQ(places().warnings.size(), 1U);
  EXPECT_NE(places().warnings[0].find("a link to nothing"), std::string::npos);
  fs::remove(root_ / "work/deep/.tuner");
  fs::create_symlink(".tuner", root_ / "work/deep/.tuner");  // what it means cannot be told
  EXPECT_EQ(places().project, (root_ / "work/deep/.tuner").string());
}

TEST_F(PlacesTest, UserKernelsStandBehindTheBuiltInOnes) {
  const std::string mine = (root_ / "mine").string();
  EXPECT_EQ(places({"", {mine}}).kernel_folders.back(), mine);
  EXPECT_THROW(places({"", {mine + "/none"}}), UserError);
  variables_["TUNER_KERNELS"] = mine + "/none";
  EXPECT_THROW(places(), UserError);
}

TEST_F(PlacesTest, AConfigIsLookedForInTheShareFolderToo) {
  const Places found = places();
  std::ofstream(root_ / "prefix/share/tuner/configs/a.yaml") << "tuner: 1\n";
  EXPECT_EQ(find_config("configs/a.yaml", found), found.share + "/configs/a.yaml");
  EXPECT_THROW(find_config("configs/none.yaml", found), UserError);
  EXPECT_THROW(find_config("/abs/none.yaml", found), UserError);
}

}  // namespace
}  // namespace tuner::cli
