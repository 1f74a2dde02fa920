// A profiler's library for tests: it takes the ranges of whoever loads it (NVTX_INJECTION64_PATH), and appends a line
// for each to the file that TUNER_FAKE_NVTX names: "push NAME", "pop".
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using Function = void (*)();
struct Callbacks {
  std::size_t size;
  int (*module_functions)(int module, Function*** table, unsigned* count);
};

int write_line(const char* word, const char* name) {
  const char* path = std::getenv("TUNER_FAKE_NVTX");
  std::FILE* file = path != nullptr ? std::fopen(path, "a") : nullptr;
  if (file == nullptr) return 0;
  std::fprintf(file, *name != '\0' ? "%s %s\n" : "%s%s\n", word, name);
  std::fclose(file);
  return 0;
}

int push(const char* name) { return write_line("push", name); }
int pop() { return write_line("pop", ""); }
void never() {}

}  // namespace

// As profilers do, it takes every function of every module that is there.
extern "C" int InitializeInjectionNvtx2(const void* (*tables)(std::uint32_t id)) {
  const auto* callbacks = static_cast<const Callbacks*>(tables(1));
  if (callbacks == nullptr || callbacks->size < sizeof(Callbacks)) return 0;
  for (int module = 1; module <= 6; ++module) {
    Function** table = nullptr;
    unsigned count = 0;
    if (callbacks->module_functions(module, &table, &count) == 0) return 0;
    for (unsigned i = 1; i < count; ++i) *table[i] = never;
    if (module != 1) continue;
    if (count != 16 || table[count] != nullptr) return 0;
    *table[9] = reinterpret_cast<Function>(push);
    *table[11] = reinterpret_cast<Function>(pop);
  }
  return 1;
}
