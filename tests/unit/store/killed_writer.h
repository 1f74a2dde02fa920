// A process that writes a database and is killed.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace tuner::store::test {

// Runs `write` in a process of its own and kills it once that has said `ready`.
inline void kill_when_ready(const std::function<void(const std::function<void()>& ready)>& write) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    write([&ends] {
      const char byte = 1;
      if (::write(ends[1], &byte, 1) != 1) _exit(1);
    });
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace tuner::store::test
