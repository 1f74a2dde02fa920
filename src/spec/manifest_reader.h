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
  void steps();
  void memset(StepSpec& step, const Cursor& body);
  void launch(StepSpec& step, const Cursor& body);
  std::vector<space::Expr> extents(const Cursor& body, const char* key);
  void costs();
  void reference();
  void check_gemv(const Cursor& at);

  std::optional<space::Expr> expression(const Cursor& body, const char* key, const Allowed& allowed);

  Cursor root_;
  KernelSpec kernel_;
  Names names_;
};

}  // namespace tuner::spec
