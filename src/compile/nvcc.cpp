#include "compile/nvcc.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compile/entry_markers.h"
#include "core/error.h"
#include "proc/toolkit_program.h"

namespace tuner::compile {
namespace {

namespace fs = std::filesystem;

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Removed on every way out.
class NvccFolder {
 public:
  explicit NvccFolder(const std::string& within) {
    std::string pattern = (within.empty() ? fs::temp_directory_path() : fs::path(within)) / "nvcc-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw MachineError("cannot make a folder for nvcc's files", pattern);
    path = pattern;
  }
  NvccFolder(const NvccFolder&) = delete;
  NvccFolder& operator=(const NvccFolder&) = delete;
  ~NvccFolder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  std::string path;
};

// With its output in `log`. False where it fails.
bool run_here(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw MachineError("nvcc does not start", words.front());
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Nvcc find_nvcc() { return proc::find_toolkit_program({"nvcc", "TUNER_NVCC", ", V", {}, "none found"}); }

Nvcc choose_nvcc() {
  Nvcc nvcc = find_nvcc();
  const std::string where = proc::environment("TUNER_NVCC").empty() ? nvcc.path : "$TUNER_NVCC";
  if (!nvcc.problem.empty())
    throw MachineError("a kernel with `compiler: nvcc` needs nvcc: " +
                           (nvcc.path.empty() ? std::string() : nvcc.path + ": ") + nvcc.problem,
                       where, "install the CUDA toolkit, or set TUNER_NVCC to the program");
  return nvcc;
}

NvccResult compile_with_nvcc(const CompileJob& job, const std::vector<std::string>& options) {
  const NvccFolder folder(job.folder);
  const std::string name = job.source.name.empty() ? "kernel.cu" : job.source.name;
  std::ofstream(folder.path + "/" + name, std::ios::binary) << job.source.text << entry_markers(job.source);
  std::vector<std::string> words{job.library, "-cubin", "-x", "cu"};
  words.insert(words.end(), options.begin(), options.end());
  for (const auto& path : job.source.include_dirs) words.push_back("--include-path=" + path);
  words.insert(words.end(), {"-o", "kernel.cubin", name});
  // Names in messages are those of the files, without a passing folder.
  if (::chdir(folder.path.c_str()) != 0) throw MachineError("cannot enter nvcc's folder", folder.path);
  ::setenv("TMPDIR", folder.path.c_str(), 1);
  NvccResult result;
  result.ok = run_here(words, "log");
  result.log = text_of_file("log");
  while (!result.log.empty() && result.log.back() == '\n') result.log.pop_back();
  if (result.ok) result.cubin = text_of_file("kernel.cubin");
  if (!result.ok && result.log.empty()) result.log = "nvcc failed without a word";
  return result;
}

}  // namespace tuner::compile
