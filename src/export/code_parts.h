// Small pieces of C++ that several generated functions share.
#pragma once

#include <string>
#include <vector>

namespace tuner::exporting {

// A constexpr function's head for host and device: "static X f()" -> "TUNER_EXPORT_HD static constexpr X f()".
std::string hd(const std::string& head);

// static constexpr TYPE NAME(EXTRA int i): the i-th of `values`, else `otherwise`.
std::string switch_of(const std::string& type, const std::string& name, const std::string& extra,
                      const std::vector<std::string>& values, const std::string& otherwise);

// NAME(TYPE& object, int i) and its const twin: a reference to, or the value of, the i-th of `members`.
std::string reference_pair(const std::string& name, const std::string& type, const std::string& object,
                           const std::vector<std::string>& members);

}  // namespace tuner::exporting
