#include "cli/sweep_places.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/error.h"
#include "core/shell.h"
#include "worker/client.h"

namespace tuner::cli {
namespace {

using Words = std::vector<std::string>;

Words every_gpu(const Context& context) {
  worker::Options options;
  options.command = {context.places.program, "worker", "--device", "cuda:0"};
  worker::Client client = worker::Client::start(options);
  Words devices;
  for (int i = 0; i < client.gpus(); ++i) devices.push_back("cuda:" + std::to_string(i));
  client.bye();
  return devices;
}

void check_devices(const Words& devices, bool launched) {
  const auto is_host = [](const std::string& device) { return device == "host"; };
  const auto hosts = static_cast<std::size_t>(std::count_if(devices.begin(), devices.end(), is_host));
  if (hosts > 0 && hosts < devices.size())
    throw UserError("the host device and GPUs exclude each other", "--device",
                    "what the host device finds has no times: sweep on it alone");
  if (std::find(devices.begin(), devices.end(), "all") != devices.end()) {
    if (devices.size() > 1) throw UserError("'all' and other devices exclude each other", "--device", "leave them out");
    if (launched)
      throw UserError("'all' means the GPUs of this machine, and --launcher starts the worker elsewhere", "--device",
                      "one --launcher for each, with its --device where that is not the first GPU there");
  }
  if (launched || hosts > 0) return;
  Words sorted = devices;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw UserError("'" + *twice + "' is given twice", "--device", "one worker uses a GPU: leave one of them out");
}

// Those with a name that others have as well are numbered.
void name_places(std::vector<tune::Place>& places) {
  std::map<std::string, int> of, seen;
  for (const tune::Place& place : places) ++of[place.device];
  for (tune::Place& place : places) {
    place.name = place.device;
    if (of[place.device] > 1) place.name += "#" + std::to_string(++seen[place.device]);
  }
}

}  // namespace

std::vector<tune::Place> sweep_places(const Context& context) {
  const Arguments& arguments = context.arguments;
  Words devices = arguments.all("--device");
  std::vector<Words> launchers;
  for (const std::string& text : arguments.all("--launcher")) launchers.push_back(shell_words(text, "--launcher"));
  if (devices.size() + launchers.size() < 2 && devices != Words{"all"})
    return {{"", devices.empty() ? "auto" : devices.front(), launchers.empty() ? Words{} : launchers.front()}};
  for (std::string& device : devices)
    if (device == "auto") device = "cuda:0";
  if (devices.empty()) devices = {"cuda:0"};
  check_devices(devices, !launchers.empty());
  if (devices.front() == "all") devices = every_gpu(context);
  if (launchers.empty()) launchers = {{}};
  const std::size_t places_wanted = std::max(devices.size(), launchers.size());
  if ((devices.size() > 1 && devices.size() < places_wanted) ||
      (launchers.size() > 1 && launchers.size() < places_wanted))
    throw UserError(std::to_string(devices.size()) + " devices and " + std::to_string(launchers.size()) +
                        " launchers do not go together",
                    "tuner sweep", "as many of either, or one of one of them");
  std::vector<tune::Place> places;
  for (std::size_t i = 0; i < places_wanted; ++i)
    places.push_back({"", devices[devices.size() > 1 ? i : 0], launchers[launchers.size() > 1 ? i : 0]});
  name_places(places);
  return places;
}

}  // namespace tuner::cli
