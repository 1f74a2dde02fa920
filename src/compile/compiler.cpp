#include "compile/compiler.h"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "compile/artifact_codec.h"
#include "compile/compile_job.h"
#include "compile/compile_log.h"
#include "compile/host_objects.h"
#include "compile/includes.h"
#include "compile/log_hint.h"
#include "compile/nvrtc_paths.h"
#include "compile/standard_headers.h"
#include "core/hash.h"
#include "proc/crew.h"
#include "proc/pool.h"
#include "proc/program.h"

namespace tuner::compile {
namespace {

constexpr std::size_t kSecondTries = 8;  // more of them mean that the template is at fault

// A compiler by its build where it tells it, and by its size: two builds may share a version.
std::string compiler_key(const std::string& path, const std::string& version) {
  struct stat info {};
  ::stat(path.c_str(), &info);
  return version + " " + std::to_string(info.st_size);
}

// `toolkit`: whether the compiler has headers of its own to read.
std::string key_of(const Source& source, const std::string& arch, const std::string& compiler, bool toolkit) {
  const bool reads_it = toolkit && !source.nvcc && has_angle_includes(source);
  std::string key = source.hash + " " + arch + " " + compiler + (reads_it ? " toolkit" : "");
  if (!source.nvcc)
    for (const Header& header : standard_headers(source)) key += " " + content_hash(header.text);
  return content_hash(key);
}

Artifact failed(const Source& source, const proc::Output& output, std::chrono::milliseconds deadline) {
  Artifact artifact;
  artifact.source_hash = source.hash;
  artifact.reason = output.timed_out ? Reason::compile_timeout : Reason::compile_crash;
  std::string text = output.timed_out ? "the compiler did not finish within " + std::to_string(deadline.count()) + " ms"
                                      : "the compiler died: " + output.status.text();
  if (!output.err.empty()) text.append("\n").append(output.err);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  artifact.log = trimmed_log(text);
  return artifact;
}

// One source to compile and everyone who asked for it.
struct Group {
  const Source* source = nullptr;
  std::string key;
  std::vector<std::size_t> members;
};

std::vector<Group> grouped(const std::vector<Source>& sources, const CompileOptions& options) {
  const std::string library = compiler_key(options.nvrtc.path, options.nvrtc.version);
  const std::string nvcc = "nvcc " + compiler_key(options.nvcc.path, options.nvcc.version);
  const bool toolkit = !toolkit_headers(options.nvrtc.path).empty();
  std::vector<Group> groups;
  std::map<std::string, std::size_t> by_hash;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto [known, fresh] = by_hash.emplace(sources[i].hash, groups.size());
    if (fresh)
      groups.push_back({&sources[i], key_of(sources[i], options.arch, sources[i].nvcc ? nvcc : library, toolkit), {}});
    groups[known->second].members.push_back(i);
  }
  return groups;
}

std::chrono::milliseconds deadline_of(const Source& source, const CompileOptions& options) {
  return source.nvcc ? options.nvcc_deadline : options.deadline;
}

using Report = std::function<void(const Group&, const Artifact&)>;

// Gone without its own fault, perhaps: no time left beside the others, or no memory.
bool worth_another_try(const proc::Output& output) { return output.timed_out || output.status.signal == SIGKILL; }

// Compiles `groups`; those that may do better alone are put into `again`, where there is room.
void compile_groups(const std::vector<Group>& groups, int jobs, const CompileOptions& options, std::size_t room,
                    std::vector<Group>& again, const Report& report) {
  std::vector<proc::Crew::Job> wanted;
  for (const auto& group : groups) {
    const bool nvcc = group.source->nvcc;
    const CompileJob job{nvcc ? options.nvcc.path : options.nvrtc.path, options.arch, *group.source,
                         nvcc ? passing_folder() : std::string()};
    wanted.push_back({encode_job(job), deadline_of(*group.source, options)});
  }
  options.crew->run(
      wanted, jobs,
      [&](std::size_t i, const proc::Output& output) {
        const Group& group = groups[i];
        auto artifact = output.status.exited && output.status.code == 0 ? decode_artifact(output.out) : std::nullopt;
        if (!artifact && worth_another_try(output) && again.size() < room) {
          again.push_back(group);
          return;
        }
        if (!artifact) artifact = failed(*group.source, output, deadline_of(*group.source, options));
        if (options.cache != nullptr) options.cache->put(group.key, *artifact);
        report(group, *artifact);
      },
      options.stop);
}

}  // namespace

std::string cache_key(const Source& source, const CompileOptions& options) {
  return grouped({source}, options).front().key;
}

std::shared_ptr<proc::Crew> compilers() {
  constexpr int compiles_each = 200;
  return std::make_shared<proc::Crew>(std::vector<std::string>{proc::own_program(), "compile-child"}, compiles_each);
}

int jobs_of(const CompileOptions& options) { return options.jobs > 0 ? options.jobs : proc::usable_cpus(); }

void compile_all(const std::vector<Source>& sources, const CompileOptions& wanted,
                 const std::function<void(std::size_t, const Artifact&)>& done) {
  CompileOptions options = wanted;
  if (!options.crew) options.crew = compilers();
  const bool nvcc = std::any_of(sources.begin(), sources.end(), [](const Source& source) { return source.nvcc; });
  if (nvcc && options.nvcc.path.empty()) options.nvcc = choose_nvcc();
  const Report report = [&](const Group& group, const Artifact& artifact) {
    const Artifact told = with_hint(artifact, *group.source);
    for (const auto member : group.members) done(member, told);
  };
  std::vector<Group> missing;
  for (auto& group : grouped(sources, options)) {
    if (options.stop && options.stop()) return;
    auto found = options.cache != nullptr ? options.cache->find(group.key) : std::nullopt;
    if (found)
      report(group, *found);
    else
      missing.push_back(std::move(group));
  }
  std::vector<Group> again;
  compile_groups(missing, jobs_of(options), options, kSecondTries, again, report);
  std::vector<Group> none;
  compile_groups(again, 1, options, 0, none, report);
}

}  // namespace tuner::compile
