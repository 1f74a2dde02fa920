#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "compile/cache.h"
#include "compile/host_objects.h"
#include "core/error.h"
#include "report/format.h"

namespace tuner::cli {
namespace {

// "512MiB", "1GiB", "0".
std::int64_t parse_size(const std::string& text, const std::string& where) {
  std::int64_t number = -1;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(stop, text.data() + text.size());
  int shift = -1;
  if (unit.empty() && number == 0) shift = 0;
  if (unit == "KiB") shift = 10;
  if (unit == "MiB") shift = 20;
  if (unit == "GiB") shift = 30;
  constexpr std::int64_t most = std::int64_t{1} << 50;
  if (fault != std::errc{} || number < 0 || shift < 0 || number > most >> shift)
    throw UserError("'" + text + "' is not a size", where, "e.g. 512MiB, 1GiB");
  return number << shift;
}

std::string cache_json(const compile::Cache& cache, const compile::HostObjectFiles& host) {
  const nlohmann::ordered_json json{{"schema", 1},
                                    {"folder", cache.folder()},
                                    {"entries", cache.entries()},
                                    {"bytes", cache.bytes()},
                                    {"limit_bytes", cache.limit_bytes()},
                                    {"host_objects", host.count},
                                    {"host_bytes", host.bytes}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string cache_text(const compile::Cache& cache, const compile::HostObjectFiles& host) {
  std::string out = "folder   " + cache.folder() + "\n";
  out += "entries  " + report::count(cache.entries(), "entry", "entries") + ", " + bytes_text(cache.bytes()) +
         "; the least recently used go beyond " + bytes_text(cache.limit_bytes()) + "\n";
  out += "host     " + report::count(host.count, "object", "objects") + ", " + bytes_text(host.bytes) + "\n";
  return out;
}

}  // namespace

int cmd_cache(const Context& context) {
  const Arguments& arguments = context.arguments;
  const std::string action = arguments.text("ACTION");
  if (!action.empty() && action != "clean")
    throw UserError("'" + action + "' is nothing to do with a cache", "tuner cache", "tuner cache clean, or nothing");
  if (action == "clean" && arguments.has("--limit"))
    throw UserError("clean and --limit exclude each other", "tuner cache", "keep one of them");
  const std::string& folder = context.places.cache;
  if (folder.empty())
    throw MachineError("there is no cache: neither HOME nor XDG_CACHE_HOME is set", {}, "set TUNER_CACHE");
  const bool changes = action == "clean" || arguments.has("--limit");
  const std::int64_t limit = arguments.has("--limit") ? parse_size(arguments.text("--limit"), "--limit") : 0;
  compile::Cache cache = compile::Cache::look_at(folder);
  if (changes && cache.entries() > 0 && !cache.writable())
    throw MachineError("the cache cannot be written", folder, "check its permissions");
  if (action == "clean") {
    cache.clear();
    compile::clear_host_objects(folder);
  } else if (changes) {
    cache.trim_to(limit);
  }
  const compile::HostObjectFiles host = compile::host_object_files(folder);
  std::cout << (context.json ? cache_json(cache, host) : context.style.text(cache_text(cache, host)));
  return 0;
}

}  // namespace tuner::cli
