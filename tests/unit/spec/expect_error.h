// A UserError's three texts.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace tuner {

template <class F>
void expect_error(F&& action, const std::string& what, const std::string& where, const std::string& hint) {
  try {
    action();
    ADD_FAILURE() << "no error, expected: " << what;
  } catch (const UserError& fault) {
    EXPECT_EQ(std::string(fault.what()), what);
    EXPECT_EQ(fault.where(), where);
    EXPECT_EQ(fault.hint(), hint);
  }
}

}  // namespace tuner
