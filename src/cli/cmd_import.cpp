#include <iostream>

#include "cli/commands.h"
#include "cli/knowledge.h"
#include "core/error.h"
#include "report/import_text.h"
#include "store/import.h"

namespace tuner::cli {

int cmd_import(const Context& context) {
  const std::vector<std::string>& paths = context.arguments.all("PATH");
  if (paths.empty())
    throw UserError("import what?", "tuner import", "tuner import " + context.arguments.command->usage);
  store::Store store = open_for_writing(context.places);
  const std::vector<store::Imported> imported = store::import_paths(store, paths);
  std::vector<report::ImportedPath> done;
  for (std::size_t i = 0; i < paths.size(); ++i) done.push_back({paths[i], imported[i]});
  std::cout << (context.json ? report::import_json(done, store.path()) : report::import_text(done, context.style));
  return 0;
}

}  // namespace tuner::cli
