// Turns a manifest's YAML into a KernelSpec, checking on the way. Private to spec/.
#pragma once

#include <set>
#include <string>

#include "spec/cursor.h"
#include "spec/faults.h"
#include "spec/kernel_spec.h"
#include "spec/keys.h"
#include "spec/names.h"

namespace tuner::spec {

class ManifestReader {
 public:
  // The first fault is thrown; where `faults` is given, all go there, and what depends on a part that could not be
  // read is not asked.
  explicit ManifestReader(const Cursor& root, Faults* faults = nullptr) : root_(root), faults_(faults) {}

  // Everything but `path`, `text` and an absolute `source_path`. Where there were faults, what could be read.
  KernelSpec read();

 private:
  template <class F>
  bool attempt(F&& read) {
    return spec::attempt(faults_, std::forward<F>(read));
  }
  void keys(const Cursor& body, std::string_view map) { check_all_keys(body, keys_of(map), faults_); }

  void head();
  void target(const Cursor& at);
  bool is_misspelt(const char* section) const;
  void dims();
  void facts();
  void params();
  void param(const Cursor& key, const Cursor& body);
  void values(space::Param& param, const Cursor& list);
  void lets();
  void constraints();
  void constraint(const Cursor& item);
  void defaults();
  void default_entry(const Cursor& entry);
  void args();
  void arg(const Cursor& body);
  void buffer(ArgSpec& arg, const Cursor& body);
  void scalar(ArgSpec& arg, const Cursor& body);
  ScalarSpec scalar_at(const Cursor& body, const std::string& place);
  std::string element_type(const Cursor& at);
  void indices();
  void hot(ArgSpec& arg, const Cursor& body, bool role_known);
  void filled(const ArgSpec& arg, const Cursor& body);
  void accumulated(ArgSpec& arg, const Cursor& body);
  void build();
  void option(const Cursor& item);
  bool is_argument(const std::string& name) const;  // of the text: arguments are read later
  void define(const Cursor& key, const Cursor& value);
  void include_dir(const Cursor& item);
  void steps();
  void step(const Cursor& body, const StepSpec& around);
  void repeat(const Cursor& body);
  void memset(StepSpec& step, const Cursor& body);
  void launch(StepSpec& step, const Cursor& body);
  void launch_arguments(StepSpec& step, const Cursor& list);
  void check_scalars(const StepSpec& step);
  void add_index(StepSpec& step, const Cursor& body);
  void check_flow(const Cursor& all);
  std::vector<space::Expr> extents(const StepSpec& step, const Cursor& body, const char* key);
  void traffic(const Cursor& body);
  void costs();
  void own_baseline(const Cursor& body);
  void rival(const Cursor& body);
  void metrics();
  void metric(const Cursor& key, const Cursor& value);
  void objective();
  void dependent();
  void feed(const Cursor& input, const Cursor& output);
  void reference();
  void user_reference(const Cursor& body);
  void expected_data(const Cursor& files);
  void bound();
  void awkward();
  void check_gemv(const Cursor& at);

  std::optional<space::Expr> expression(const Cursor& body, const char* key, const Allowed& allowed);

  Cursor root_;
  Faults* faults_;
  KernelSpec kernel_;
  Names names_;
  // Parts with faults: they are not complete, so what names them is not asked about.
  bool facts_whole_ = true;
  bool params_whole_ = true;
  std::set<std::string> unsure_params_;
  bool args_whole_ = true;
  bool steps_whole_ = true;
};

}  // namespace tuner::spec
