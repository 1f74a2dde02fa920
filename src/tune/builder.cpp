#include "tune/builder.h"

#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "compile/host_build.h"

namespace tuner::tune {

std::vector<compile::Source> HostBuilds::missing(const std::vector<compile::Source>& sources) const {
  std::vector<compile::Source> missing;
  for (const auto& source : sources)
    if (find(source.hash) == nullptr) missing.push_back(source);
  return missing;
}

void HostBuilds::build(const std::vector<compile::Source>& sources, const compile::CompileOptions& options,
                       const Done& done) {
  const std::lock_guard one_at_a_time(building_);
  const std::vector<compile::Source> wanted = missing(sources);
  if (wanted.empty()) return;
  std::size_t built = 0;
  compile::HostBuildOptions host;
  host.jobs = options.jobs;
  host.cache = options.cache;
  host.stop = options.stop;
  compile::host_build_all(wanted, host, [&](std::size_t i, const Artifact& artifact) {
    {
      const std::lock_guard lock(mutex_);
      artifacts_[wanted[i].hash] = artifact;
    }
    done(++built, wanted.size());
  });
}

const Artifact* HostBuilds::find(const std::string& source_hash) const {
  const std::lock_guard lock(mutex_);
  const auto found = artifacts_.find(source_hash);
  return found == artifacts_.end() ? nullptr : &found->second;
}

Builder::Builder(compile::CompileOptions options, bool host, TimeSpent* spent, std::shared_ptr<Builds> shared)
    : options_(std::move(options)),
      host_(host),
      builds_(shared ? std::move(shared) : std::make_shared<Builds>()),
      spent_(spent) {
  if (!host_) target_ = builds_->queue.target(options_);
}

std::vector<compile::Source> Builder::missing(const std::vector<compile::Source>& sources) const {
  std::vector<compile::Source> missing;
  for (const auto& source : sources)
    if (!has(source.hash)) missing.push_back(source);
  return missing;
}

void Builder::start(const std::vector<compile::Source>& sources) {
  if (!host_) builds_->queue.start(target_, missing(sources));
}

void Builder::build(const std::vector<compile::Source>& sources, const Done& done) {
  const std::vector<compile::Source> wanted = missing(sources);
  if (wanted.empty()) return;
  std::optional<TimeSpent::Doing> waiting;
  if (spent_ != nullptr) waiting.emplace(*spent_, Work::compile);
  if (host_) return builds_->host.build(wanted, options_, done);
  builds_->queue.wait(target_, wanted, done);
}

const Artifact& Builder::at(const std::string& source_hash) const {
  const auto own = adopted_.find(source_hash);
  if (own != adopted_.end()) return own->second;
  if (!host_) return builds_->queue.at(target_, source_hash);
  const Artifact* built = builds_->host.find(source_hash);
  if (built == nullptr) throw std::out_of_range("not built: " + source_hash);
  return *built;
}

std::size_t Builder::at_once() const {
  return host_ ? std::numeric_limits<std::size_t>::max() : CompileQueue::at_once(options_);
}

bool Builder::has(const std::string& source_hash) const {
  if (adopted_.count(source_hash) > 0) return true;
  return host_ ? builds_->host.find(source_hash) != nullptr : builds_->queue.has(target_, source_hash);
}

}  // namespace tuner::tune
