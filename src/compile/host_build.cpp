#include "compile/host_build.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <sstream>

#include "compile/compile_log.h"
#include "compile/entries.h"
#include "compile/host_lacks.h"
#include "compile/host_objects.h"
#include "compile/host_unit.h"
#include "compile/log_hint.h"
#include "core/error.h"
#include "core/hash.h"
#include "proc/pool.h"

namespace tuner::compile {
namespace {

// -O1: these run for seconds in all, and are built for every sweep. A shared C++ library is not needed, so not named.
const std::vector<std::string>& flags() {
  static const std::vector<std::string> all{"-std=c++17",
                                            "-O1",
                                            "-shared",
                                            "-fPIC",
                                            "-w",
                                            "-fvisibility=hidden",
                                            "-fno-strict-aliasing",
                                            "-fno-exceptions",
                                            "-fstack-clash-protection",
                                            "-ffp-contract=off",
                                            "-Wl,--as-needed",
                                            "-x",
                                            "c++",
                                            "-"};
  return all;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

struct Compiler {
  std::vector<std::string> command;
  std::string version;  // "g++ 12.2.0"
};

std::string version_of(const std::vector<std::string>& command) {
  auto argv = command;
  argv.insert(argv.end(), {"-dumpfullversion", "-dumpversion"});
  proc::Output output;
  try {
    output = proc::run(argv, {}, std::chrono::seconds(20), {});
  } catch (const MachineError&) {
    return {};
  }
  const auto first = words(output.out);
  if (!output.status.exited || output.status.code != 0 || first.empty()) return {};
  const std::string& program = command.back();
  return program.substr(program.rfind('/') + 1) + " " + first.front();
}

Compiler find_compiler(const std::string& wanted) {
  const char* from_environment = std::getenv("CXX");
  std::vector<std::string> candidates{"g++", "c++"};
  if (!wanted.empty()) {
    candidates = {wanted};
  } else if (from_environment != nullptr && from_environment[0] != '\0') {
    candidates = {from_environment};
  }
  for (const auto& candidate : candidates) {
    Compiler compiler{words(candidate), {}};
    if (compiler.command.empty()) continue;
    compiler.version = version_of(compiler.command);
    if (!compiler.version.empty()) return compiler;
  }
  std::string tried;
  for (const auto& candidate : candidates) tried += (tried.empty() ? "" : ", ") + candidate;
  throw MachineError("the host device needs a C++ compiler, and none works here (tried " + tried + ")", {},
                     "install g++, or set CXX");
}

std::string recipe(const std::string& compiler_version) {
  std::string how = compiler_version + host_prelude();
  for (const auto& flag : flags()) how += ' ' + flag;
  return content_hash(how);
}

std::string host_key(const Source& source, const std::string& how) { return content_hash("host " + source.hash + how); }

// One source to build and everyone who asked for it.
struct Wanted {
  const Source* source = nullptr;
  std::string key;
  std::vector<std::size_t> members;
};

using Unit = std::vector<std::size_t>;  // of groups

class Build {
 public:
  Build(const std::vector<Source>& sources, const HostBuildOptions& options,
        const std::function<void(std::size_t, const Artifact&)>& done)
      : options_(options), done_(done), compiler_(find_compiler(options.compiler)), objects_(options.cache) {
    group(sources);
  }

  void run() {
    Unit missing;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (!from_cache(groups_[i])) missing.push_back(i);
    std::vector<Unit> units = divided(missing);
    // Units that fail come again in halves, until what does not compile is alone.
    while (!units.empty() && !stopped()) units = build(units);
  }

 private:
  bool stopped() const { return options_.stop && options_.stop(); }
  int jobs() const { return options_.jobs > 0 ? options_.jobs : proc::usable_cpus(); }

  void group(const std::vector<Source>& sources) {
    const std::string how = recipe(compiler_.version);
    std::map<std::string, std::size_t> by_hash;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto [known, fresh] = by_hash.emplace(sources[i].hash, groups_.size());
      if (fresh) groups_.push_back({&sources[i], host_key(sources[i], how), {}});
      groups_[known->second].members.push_back(i);
    }
  }

  void report(const Wanted& group, const Artifact& artifact) const {
    const Artifact told = with_hint(artifact, *group.source);
    for (const auto member : group.members) done_(member, told);
  }

  bool from_cache(const Wanted& group) {
    if (options_.cache == nullptr) return false;
    const auto found = options_.cache->find(group.key);
    if (!found || (found->ok() && !objects_.use(found->image))) return false;
    report(group, *found);
    return true;
  }

  std::vector<Unit> divided(const Unit& all) const {
    const std::size_t even = (all.size() + static_cast<std::size_t>(jobs()) - 1) / static_cast<std::size_t>(jobs());
    const std::size_t most = std::clamp<std::size_t>(even, 1, static_cast<std::size_t>(std::max(1, options_.per_unit)));
    std::vector<Unit> units;
    for (const auto i : all) {
      const auto fits = [&](const Unit& unit) {
        return unit.size() < most && may_share(*groups_[unit.front()].source, *groups_[i].source);
      };
      const auto open = std::find_if(units.begin(), units.end(), fits);
      if (open != units.end()) {
        open->push_back(i);
      } else {
        units.push_back({i});
      }
    }
    return units;
  }

  // The units to try next.
  std::vector<Unit> build(const std::vector<Unit>& units) {
    std::vector<proc::Command> commands;
    std::vector<std::string> objects;
    for (const auto& unit : units) {
      std::vector<const Source*> sources;
      std::string keys;  // sources that differ in what the host ignores make units of one text
      for (const auto i : unit) sources.push_back(groups_[i].source), keys += groups_[i].key;
      proc::Command command{compiler_.command, host_unit(sources), options_.deadline};
      objects.push_back(objects_.path_for(content_hash(compiler_.version + keys + command.input)));
      command.argv.insert(command.argv.end(), flags().begin(), flags().end());
      const auto extra = host_flags(*sources.front());  // the same for all of a unit
      command.argv.insert(command.argv.end(), extra.begin(), extra.end());
      command.argv.insert(command.argv.end(), {"-o", HostObjects::unfinished(objects.back())});
      commands.push_back(std::move(command));
    }
    std::vector<Unit> again;
    const auto started = proc::Clock::now();
    proc::run_all(
        commands, jobs(),
        [&](std::size_t u, const proc::Output& output) {
          const Unit& unit = units[u];
          const bool built = output.status.exited && output.status.code == 0 && objects_.finish(objects[u]);
          const std::chrono::duration<double, std::milli> took = proc::Clock::now() - started;
          if (built) {
            take(unit, objects[u], took.count() / static_cast<double>(unit.size()));
          } else if (unit.size() == 1) {
            reject(groups_[unit.front()], output);
          } else {
            const auto middle = unit.begin() + static_cast<std::ptrdiff_t>(unit.size() / 2);
            again.emplace_back(unit.begin(), middle);
            again.emplace_back(middle, unit.end());
          }
        },
        options_.stop);
    return again;
  }

  void take(const Unit& unit, const std::string& object, double compile_ms) {
    for (std::size_t index = 0; index < unit.size(); ++index) {
      const Wanted& group = groups_[unit[index]];
      Artifact artifact;
      artifact.image = object;
      artifact.host_index = static_cast<int>(index);
      for (const auto& entry : group.source->entries) {
        KernelAttributes kernel;
        kernel.entry = entry;
        artifact.kernels.push_back(std::move(kernel));
      }
      artifact.source_hash = group.source->hash;
      artifact.cubin_hash = group.key;
      artifact.compile_ms = compile_ms;
      keep(group, artifact);
    }
  }

  void reject(const Wanted& group, const proc::Output& output) {
    Artifact artifact;
    artifact.source_hash = group.source->hash;
    artifact.reason = output.timed_out       ? Reason::compile_timeout
                      : output.status.exited ? Reason::compile_error
                                             : Reason::compile_crash;
    const Source& source = *group.source;
    const auto fault = entry_fault(output.err, entries_file(source), source.entries);
    std::string lead = fault ? source.name + ": " + no_kernel(fault->entry) + "\n" : "";
    const std::string lacks = fault ? std::string() : host_lacks(output.err, source.name);
    if (!lacks.empty()) lead = lacks + "\n";
    if (!fault && lacks.empty() && source.nvcc)
      lead = source.name + ": the host device cannot build what is written for nvcc like this; use a GPU\n";
    artifact.log = trimmed_log(output.err.empty() ? "the compiler ended with " + output.status.text()
                                                  : lead + without_excerpts(output.err));
    keep(group, artifact);
  }

  void keep(const Wanted& group, const Artifact& artifact) {
    if (options_.cache != nullptr && objects_.lasting()) options_.cache->put(group.key, artifact);
    report(group, artifact);
  }

  const HostBuildOptions& options_;
  const std::function<void(std::size_t, const Artifact&)>& done_;
  Compiler compiler_;
  HostObjects objects_;
  std::vector<Wanted> groups_;
};

}  // namespace

void host_build_all(const std::vector<Source>& sources, const HostBuildOptions& options,
                    const std::function<void(std::size_t, const Artifact&)>& done) {
  Build(sources, options, done).run();
}

std::string host_cache_key(const Source& source, const std::string& compiler_version) {
  return host_key(source, recipe(compiler_version));
}

std::vector<std::string> host_compiler_command() { return find_compiler({}).command; }

std::string host_compiler_version(const std::string& compiler) { return find_compiler(compiler).version; }

}  // namespace tuner::compile
