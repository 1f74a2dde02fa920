#include "store/file_lock.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "unit/store/fixtures.h"

namespace tuner::store::test {
namespace {

// Somebody else than root for a while, whom permissions bind.
class Nobody {
 public:
  Nobody() : before_(::geteuid()) {
    if (before_ == 0 && ::seteuid(65534) != 0) throw std::runtime_error("root may not become another");
  }
  ~Nobody() { EXPECT_EQ(::seteuid(before_), 0); }
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;

 private:
  uid_t before_;
};

TEST(FileLock, SaysWhyItCannotBeMade) {
  const ScratchFolder folder;
  ASSERT_EQ(::chmod(folder.file("").c_str(), 0555), 0);
  try {
    const Nobody nobody;
    const FileLock lock(folder.file("x.db.lock"));
    ADD_FAILURE() << "it was made";
  } catch (const MachineError& error) {
    EXPECT_EQ(std::string(error.what()), "'" + folder.file("x.db.lock") + "' cannot be written: Permission denied");
  }
  ::chmod(folder.file("").c_str(), 0755);
}

}  // namespace
}  // namespace tuner::store::test
