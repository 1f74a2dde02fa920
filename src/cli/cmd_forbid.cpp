#include <algorithm>
#include <iostream>

#include "cli/commands.h"
#include "cli/knowledge.h"
#include "cli/overruling.h"
#include "core/error.h"
#include "core/suggest.h"
#include "report/overrules_text.h"

namespace tuner::cli {
namespace {

// Without a kernel, each parameter must be one of some kernel that has this value.
void check_for_any_kernel(const spec::Catalog& catalog, const Facts& wanted) {
  for (const auto& [name, value] : wanted) {
    std::vector<std::string> names;
    std::vector<std::string> values;
    bool found = false;
    for (const spec::KernelSpec& kernel : catalog.kernels())
      for (const space::Param& param : kernel.space.params) {
        names.push_back(param.name);
        if (param.name != name) continue;
        found = found || std::find(param.values.begin(), param.values.end(), value) != param.values.end();
        for (const Value& known : param.values)
          if (std::find(values.begin(), values.end(), to_text(known)) == values.end()) values.push_back(to_text(known));
      }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (values.empty())
      throw UserError("no kernel has the parameter '" + name + "'", "tuner forbid", did_you_mean(name, names));
    if (!found)
      throw UserError("'" + to_text(value) + "' is no value of " + name, "tuner forbid",
                      did_you_mean(to_text(value), values));
  }
}

// Throws where no kernel has such configurations.
void check_wanted(const Context& context, const store::Forbid& forbid, const spec::Catalog& catalog) {
  const Facts& wanted = forbid.params.params;
  if (forbid.kernel.empty())
    check_for_any_kernel(catalog, wanted);
  else
    check_parameters(kernel_named(context, catalog, forbid.kernel, "--kernel"), wanted, "tuner forbid");
}

std::string where_it_stands(const Context& context, const store::Forbid& forbid) {
  const store::Layers layers = open_layers(context);
  for (const store::Forbid& other : layers.forbids())
    if (store::same_place(other, forbid)) return command_that_allows(other) + " takes back that of " + other.layer;
  return "tuner list shows what every layer forbids";
}

store::Forbid wanted_forbid(const Context& context) {
  const Arguments& arguments = context.arguments;
  const Facts wanted = parse_assignments(arguments.all("PARAM=VALUE"), "tuner forbid");
  if (wanted.empty())
    throw UserError("which configurations?", "tuner forbid", "tuner forbid " + arguments.command->usage);
  store::Forbid forbid;
  forbid.kernel = arguments.text("--kernel");
  forbid.gpu = arguments.text("--gpu");
  forbid.params.params = wanted;
  forbid.source = arguments.has("--remove") ? overrules_path(context) : overrules_path_to_write(context);
  return forbid;
}

}  // namespace

int cmd_forbid(const Context& context) {
  const spec::Catalog catalog = load_catalog(context);
  store::Forbid forbid = wanted_forbid(context);
  const bool remove = context.arguments.has("--remove");
  if (!remove) {
    check_wanted(context, forbid, catalog);
    forbid.why = required_why(context);
    forbid.gpu =
        gpu_part(context, open_layers(context), context.arguments.has("--gpu") ? gpu_here(context) : std::nullopt);
  }
  edit_overrules(context, [&](store::Overrules& overrules) {
    if (!remove) return store::put(overrules, forbid);
    auto& forbids = overrules.forbids;
    const auto at = std::find_if(forbids.begin(), forbids.end(),
                                 [&forbid](const auto& other) { return store::same_place(other, forbid); });
    if (at == forbids.end())
      check_wanted(context, forbid, catalog);  // else what is stored counts: its kernel may be gone
    if (at == forbids.end())
      throw NothingFound("it is not forbidden: " + report::forbid_title(forbid), overrules_path(context),
                         where_it_stands(context, forbid));
    forbid = *at;
    forbids.erase(at);
  });
  const std::string unused = remove ? "" : why_not_in_force(context);
  std::cout << (context.json ? report::forbid_json(forbid, remove, unused)
                             : report::forbid_text(forbid, remove, unused, context.style));
  return 0;
}

}  // namespace tuner::cli
