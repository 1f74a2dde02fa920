// Sweeps of the real binary with several workers, and what they leave behind.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "helpers/marked_processes.h"
#include "helpers/query.h"
#include "helpers/tool.h"

namespace tuner {

class SeveralWorkers : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  // A plan that a kernel with rejected and deadly configurations is in, and one with anchors.
  void SetUp() override {
    std::ofstream(tool_.path("plan.yaml"))
        << "tuner: 1\n"
           "kernels: [example, {kernel: faulty, anchors: [8x8], shapes: [16x24, 24x16]}]\n"
           "shapes: [64x64, 65x130, 33x77, 256x512, 128x64, 512x640]\n";
  }

  Words sweep(const std::string& database, const Words& more) const {
    Words words{"sweep", "plan.yaml", "--kernels", TUNER_FAULTY_KERNELS, "--db", database};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // Begins a sweep whose processes carry mark().
  proc::Child begin(const Words& words) const {
    proc::Child::Options options;
    return proc::Child::spawn(tool_.argv(words, {mark()}), options);
  }
  std::string mark() const { return "TUNER_SEVERAL_MARK=" + tool_.path("") + ";"; }

  struct Ended {
    proc::ExitStatus status;
    std::string err;
  };
  static Ended end(proc::Child& child) {
    Ended ended;
    std::string out;
    std::thread reader([&] { drain(child.stdout_fd(), out); });
    drain(child.stderr_fd(), ended.err);
    reader.join();
    const auto status = child.wait_until(proc::Clock::now() + std::chrono::minutes(1));
    EXPECT_TRUE(status.has_value()) << "it does not end\n" << ended.err;
    ended.status = status ? *status : child.kill();
    return ended;
  }

  // Until there are so many, at most ten seconds.
  void wait_for(const std::string& database, const std::string& of, int wanted) const {
    for (int looks = 0; looks < 500; ++looks) {
      if (std::filesystem::exists(tool_.path(database)) &&
          count(database, "sqlite_master WHERE name = 'results'") == "1" && std::stoi(count(database, of)) >= wanted)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << "no " << wanted << " " << of << " in ten seconds";
  }
  void wait_for_results(const std::string& database, int wanted) const { wait_for(database, "results", wanted); }

  // Of every finished problem, what became of each configuration.
  std::vector<Words> verdicts(const std::string& database) const {
    return query(tool_.path(database),
                 "SELECT p.kernel, p.shape, t.params, t.status, coalesce(t.reason, ''), coalesce(t.registers, 0)"
                 " FROM results r JOIN problems p ON p.id = r.problem JOIN trials t ON t.run = r.run"
                 " AND t.problem = r.problem ORDER BY 1, 2, 3");
  }
  std::string count(const std::string& database, const std::string& of) const {
    return query(tool_.path(database), "SELECT count(*) FROM " + of)[0][0];
  }

  Tool tool_{"several"};

 private:
  static void drain(int fd, std::string& to) {
    char buffer[4096];
    for (pollfd one{fd, POLLIN, 0}; ::poll(&one, 1, 60000) > 0;) {
      const ssize_t got = ::read(fd, buffer, sizeof buffer);
      if (got <= 0) return;
      to.append(buffer, static_cast<std::size_t>(got));
    }
  }
};

}  // namespace tuner
