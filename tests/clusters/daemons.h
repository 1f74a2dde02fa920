// Daemons of a cluster, for one test: in a folder and on ports of their own, on the loopback interface alone. They end
// with their objects, and with the test however that ends.
#pragma once

#include <chrono>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "proc/child.h"

namespace tuner {

// In $PATH or where daemons are installed; empty: not here.
std::string daemon_path(const std::string& name);
// Nobody listens there now.
int free_port();
// Of the processes below `pid`, itself included.
std::vector<int> family_of(int pid);

// In the foreground, its output in a file.
class Daemon {
 public:
  Daemon(const std::string& folder, const std::string& name, const std::vector<std::string>& command,
         const std::vector<std::string>& environment = {});
  int pid() const { return child_.pid(); }
  const std::string& name() const { return name_; }
  // At once, and what it has started with it.
  void lose();
  std::string log() const;

 private:
  std::string folder_, name_;
  proc::Child child_;
};

// munged, slurmctld and a slurmd for each of two nodes, n1 and n2, all on this host.
class Slurm {
 public:
  static bool is_here();
  explicit Slurm(const std::string& folder);

  // Whether both nodes are idle within ten seconds.
  bool is_up() const;
  // "NAME=value", for whoever talks to it.
  const std::string& environment() const { return environment_; }
  std::string launcher(const std::string& node) const { return "srun -Q -w " + node + " -n1"; }
  proc::Output run(std::vector<std::string> command) const;
  // Of jobs on a node, or of all.
  std::vector<std::string> jobs(const std::string& node = "") const;
  // The slurmd and all that runs under it.
  void lose_node(const std::string& node);
  std::string logs() const;

 private:
  void configure() const;

  std::string folder_, environment_;
  std::list<Daemon> daemons_;
};

// sshd for whoever runs the test, with a banner, and a profile that prints to the standard output. What it starts has
// `mark` ("NAME=value") in its environment.
class Sshd {
 public:
  static bool is_here();
  Sshd(const std::string& folder, const std::string& mark);

  std::string launcher() const;
  void lose() { daemon_->lose(); }
  int pid() const { return daemon_->pid(); }
  std::string log() const { return daemon_->log(); }

 private:
  std::string folder_;
  int port_;
  std::optional<Daemon> daemon_;
};

}  // namespace tuner
