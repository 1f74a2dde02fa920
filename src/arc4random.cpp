// Debian 12's libstdc++.a refers to arc4random, which glibc has from 2.36 on: std::random_device, drawn in by the
// exception classes and never called here. With this definition the binary starts on glibc 2.35 as well.
#include <sys/random.h>

#include <cstdlib>

extern "C" unsigned int arc4random() {
  unsigned int value = 0;
  if (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) std::abort();
  return value;
}
