// One function a subcommand; each returns its exit code.
#pragma once

#include "cli/parse.h"
#include "cli/places.h"
#include "report/style.h"

namespace tuner::cli {

struct Context {
  Arguments arguments;
  Places places;
  report::Style style;  // of stdout
  report::Style notes;  // of stderr
  std::string command_line;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

int cmd_cache(const Context& context);
int cmd_compare(const Context& context);
int cmd_check(const Context& context);
int cmd_new_kernel(const Context& context);
int cmd_schema(const Context& context);
int cmd_run(const Context& context);
int cmd_profile(const Context& context);
int cmd_sweep(const Context& context);
int cmd_best(const Context& context);
int cmd_list(const Context& context);
int cmd_explain(const Context& context);
int cmd_repack(const Context& context);
int cmd_replay(const Context& context);
int cmd_refresh(const Context& context);
int cmd_report(const Context& context);
int cmd_compile(const Context& context);
int cmd_doctor(const Context& context);
int cmd_export(const Context& context);
int cmd_import(const Context& context);
int cmd_pin(const Context& context);
int cmd_unpin(const Context& context);
int cmd_forbid(const Context& context);

}  // namespace tuner::cli
