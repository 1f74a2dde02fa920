#include "clusters/daemons.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/shell.h"
#include "helpers/marked_processes.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

std::string user() { return ::getpwuid(::geteuid())->pw_name; }

std::string host() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return std::string(name).substr(0, std::string(name).find('.'));
}

// A daemon that is killed leaves its output open in what it has started: no pipe.
std::vector<std::string> with_log(const std::vector<std::string>& command, const std::string& log) {
  std::string line = "exec";
  for (const std::string& word : command) line += " " + shell_word(word);
  return {"/bin/sh", "-c", line + " >" + shell_word(log) + " 2>&1"};
}

proc::Child::Options environment_of(const std::vector<std::string>& environment) {
  proc::Child::Options options;
  options.environment = environment;
  return options;
}

int parent_of(int pid) {
  const std::string stat = contents("/proc/" + std::to_string(pid) + "/stat");
  const auto end = stat.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream rest(stat.substr(end + 1));
  std::string state;
  int parent = 0;
  rest >> state >> parent;
  return parent;
}

std::vector<int> all_processes() {
  std::vector<int> pids;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") == std::string::npos) pids.push_back(std::stoi(name));
  }
  return pids;
}

}  // namespace

std::string daemon_path(const std::string& name) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/", "/sbin/"})
    if (::access((folder + name).c_str(), X_OK) == 0) return folder + name;
  return {};
}

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(fd);
  return ntohs(address.sin_port);
}

std::vector<int> family_of(int pid) {
  std::vector<int> family{pid};
  const std::vector<int> all = all_processes();
  for (std::size_t i = 0; i < family.size(); ++i)
    for (const int each : all)
      if (parent_of(each) == family[i] && std::count(family.begin(), family.end(), each) == 0) family.push_back(each);
  return family;
}

Daemon::Daemon(const std::string& folder, const std::string& name, const std::vector<std::string>& command,
               const std::vector<std::string>& environment)
    : folder_(folder),
      name_(name),
      child_(proc::Child::spawn(with_log(command, folder + "/" + name + ".log"), environment_of(environment))) {}

void Daemon::lose() {
  for (const int pid : family_of(child_.pid())) ::kill(pid, SIGKILL);
  child_.kill();
}

std::string Daemon::log() const { return contents(folder_ + "/" + name_ + ".log"); }

bool Slurm::is_here() {
  for (const char* name : {"munged", "slurmctld", "slurmd", "srun", "sinfo", "squeue", "scancel", "scontrol"})
    if (daemon_path(name).empty()) return false;
  return true;
}

Slurm::Slurm(const std::string& folder) : folder_(folder), environment_("SLURM_CONF=" + folder + "/slurm.conf") {
  fs::create_directories(folder_ + "/state");
  fs::permissions(folder_, fs::perms::owner_all);
  configure();
  const std::string at = folder_ + "/munge";
  std::ofstream(at + ".key") << std::string(64, 'k') << folder_ << std::string(64, 'k');
  fs::permissions(at + ".key", fs::perms::owner_read);
  daemons_.emplace_back(
      folder_, "munged",
      std::vector<std::string>{daemon_path("munged"), "--foreground", "--force", "--socket=" + at + ".socket",
                               "--key-file=" + at + ".key", "--pid-file=" + at + ".pid",
                               "--log-file=" + at + ".own.log", "--seed-file=" + at + ".seed"});
  for (int looks = 0; looks < 100 && !fs::exists(at + ".socket"); ++looks)
    std::this_thread::sleep_for(milliseconds(20));
  daemons_.emplace_back(folder_, "slurmctld", std::vector<std::string>{daemon_path("slurmctld"), "-D", "-c"},
                        std::vector{environment_});
  for (const char* node : {"n1", "n2"})
    daemons_.emplace_back(folder_, node, std::vector<std::string>{daemon_path("slurmd"), "-D", "-N", node},
                          std::vector{environment_});
}

void Slurm::configure() const {
  const int control = free_port(), first = free_port();
  int second = free_port();
  while (second == first) second = free_port();
  const auto node = [&](const char* name, int port) {
    return std::string("NodeName=") + name + " NodeHostname=" + host() +
           " NodeAddr=127.0.0.1 Port=" + std::to_string(port) + " CPUs=4 State=UNKNOWN\n";
  };
  std::ofstream(folder_ + "/slurm.conf")
      << "ClusterName=tuner\nSlurmctldHost=" << host() << "(127.0.0.1)\nSlurmctldPort=" << control
      << "\nAuthType=auth/munge\nCredType=cred/munge\nAuthInfo=socket=" << folder_
      << "/munge.socket\nSlurmUser=" << user() << "\nSlurmdUser=" << user() << "\nStateSaveLocation=" << folder_
      << "/state\nSlurmdSpoolDir=" << folder_ << "/spool.%n\nSlurmdPidFile=" << folder_
      << "/%n.pid\nSlurmctldPidFile=" << folder_
      << "/slurmctld.pid\nMailProg=/bin/true\nCommunicationParameters=NoInAddrAny,NoCtldInAddrAny\n"
         "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\nMpiDefault=none\n"
         "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nSlurmdParameters=config_overrides\n"
         "AccountingStorageType=accounting_storage/none\nJobAcctGatherType=jobacct_gather/none\n"
         "ReturnToService=2\nSlurmdTimeout=3\nKillWait=1\nMessageTimeout=5\n"
      << node("n1", first) << node("n2", second)
      << "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n";
}

proc::Output Slurm::run(std::vector<std::string> command) const {
  command.front() = daemon_path(command.front());
  return proc::run(command, "", std::chrono::seconds(10), environment_of({environment_}));
}

bool Slurm::is_up() const {
  for (int looks = 0; looks < 100; ++looks) {
    if (run({"sinfo", "-h", "-t", "idle", "-o", "%D"}).out == "2\n") return true;
    std::this_thread::sleep_for(milliseconds(100));
  }
  return false;
}

std::vector<std::string> Slurm::jobs(const std::string& node) const {
  std::vector<std::string> command{"squeue", "-h", "-o", "%i"};
  if (!node.empty()) command.insert(command.end(), {"-w", node});
  std::istringstream lines(run(command).out);
  std::vector<std::string> jobs;
  for (std::string job; std::getline(lines, job);) jobs.push_back(job);
  return jobs;
}

// Its steps are nobody's children: they are found by the node in their name.
void Slurm::lose_node(const std::string& node) {
  std::vector<int> steps;
  for (const std::string& job : jobs(node))
    for (const int pid : all_processes())
      if (command_of(pid).rfind("slurmstepd: [" + job + ".", 0) == 0) steps.push_back(pid);
  for (Daemon& daemon : daemons_)
    if (daemon.name() == node) daemon.lose();
  for (const int step : steps)
    for (const int pid : family_of(step)) ::kill(pid, SIGKILL);
  run({"scontrol", "update", "NodeName=" + node, "State=DOWN",
       "Reason=lost"});  // found some ten seconds later by itself
}

std::string Slurm::logs() const {
  std::string logs;
  for (const Daemon& daemon : daemons_) logs += "== " + daemon.name() + "\n" + daemon.log();
  return logs;
}

bool Sshd::is_here() {
  return !daemon_path("sshd").empty() && !daemon_path("ssh").empty() && !daemon_path("ssh-keygen").empty();
}

Sshd::Sshd(const std::string& folder, const std::string& mark) : folder_(folder), port_(free_port()) {
  fs::create_directories(folder_);
  fs::permissions(folder_, fs::perms::owner_all);
  for (const char* key : {"host", "user"}) {
    const auto made = proc::run({daemon_path("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", folder_ + "/" + key},
                                "", std::chrono::seconds(10), {});
    EXPECT_EQ(made.status.code, 0) << made.err;
  }
  std::ofstream(folder_ + "/banner") << "*** Authorised use only ***\n";
  std::ofstream(folder_ + "/profile") << "echo 'Welcome to node 7. TNR1 jobs are accounted.'\nexec /bin/sh -c "
                                         "\"$SSH_ORIGINAL_COMMAND\"\n";
  std::ofstream(folder_ + "/config") << "ListenAddress 127.0.0.1\nPort " << port_ << "\nHostKey " << folder_
                                     << "/host\nPidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin yes\n"
                                        "PasswordAuthentication no\nKbdInteractiveAuthentication no\nUseDNS no\n"
                                        "AuthorizedKeysFile "
                                     << folder_ << "/user.pub\nBanner " << folder_ << "/banner\nForceCommand /bin/sh "
                                     << folder_ << "/profile\nSetEnv SHLVL=5 "  // bash reads no .bashrc so deep
                                     << mark << "\n";
  if (::geteuid() == 0) fs::create_directories("/run/sshd");  // sshd wants it, and its package makes it at boot
  daemon_.emplace(folder_, "sshd",
                  std::vector<std::string>{daemon_path("sshd"), "-D", "-e", "-f", folder_ + "/config"});
  for (int looks = 0; looks < 250 && log().find("Server listening") == std::string::npos; ++looks)
    std::this_thread::sleep_for(milliseconds(20));
}

std::string Sshd::launcher() const {
  return "ssh -F none -p " + std::to_string(port_) + " -i " + folder_ + "/user -o BatchMode=yes " +
         "-o StrictHostKeyChecking=no -o UserKnownHostsFile=" + folder_ + "/known " + user() + "@127.0.0.1";
}

}  // namespace tuner
