// Turns a manifest's YAML into a KernelSpec, checking on the way. Private to spec/.
#pragma once

#include <string>

#include "spec/cursor.h"
#include "spec/kernel_spec.h"
#include "spec/names.h"

namespace tuner::spec {

class ManifestReader {
 public:
  explicit ManifestReader(const Cursor& root) : root_(root) {}

  // Everything but `path`, `text` and an absolute `source_path`.
  KernelSpec read();

 private:
  void head();
  void dims_and_facts();
  void params();
  void param(const Cursor& key, const Cursor& body);
  void values(space::Param& param, const Cursor& list);
  void lets();
  void constraints();
  void defaults();
  void default_entry(const Cursor& entry);
  void args();
  void arg(const Cursor& body);
  void buffer(ArgSpec& arg, const Cursor& body);
  void scalar(ArgSpec& arg, const Cursor& body);
  ScalarSpec scalar_at(const Cursor& body);
  std::string element_type(const Cursor& at);
  void indices();
  void build();
  void steps();
  void step(const Cursor& body, const StepSpec& around);
  void repeat(const Cursor& body);
  void memset(StepSpec& step, const Cursor& body);
  void launch(StepSpec& step, const Cursor& body);
  void launch_arguments(StepSpec& step, const Cursor& list);
  void outside_repeat(const StepSpec& step);
  void add_index(StepSpec& step, const Cursor& body);
  void check_flow(const Cursor& all);
  std::vector<space::Expr> extents(const StepSpec& step, const Cursor& body, const char* key);
  void costs();
  void reference();
  void user_reference(const Cursor& body);
  void expected_data(const Cursor& files);
  void bound();
  void awkward();
  void check_gemv(const Cursor& at);

  std::optional<space::Expr> expression(const Cursor& body, const char* key, const Allowed& allowed);

  Cursor root_;
  KernelSpec kernel_;
  Names names_;
};

}  // namespace tuner::spec
