// A process that looks up as an engine does, again and again: database, kernel templates, shape, GPU, seconds.
//
// Prints a line for each look-up, opening included: milliseconds on the clock, how many of them it ran, and how many it
// was ready to and others had the processors.
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "core/error.h"
#include "core/problem.h"
#include "export/knowledge.h"
#include "store/lookup.h"

namespace {

using namespace tuner;

double processor_ms() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

// Second field of schedstat, in nanoseconds; 0 where the kernel does not count it.
double queued_ms() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran = 0, waited = 0;
  file >> ran >> waited;
  return waited / 1e6;
}

void look_up(const store::Layers::Places& places, const store::Query& query, const store::KernelKnowledge& kernels) {
  std::vector<std::string> warnings;
  const store::Layers layers = store::Layers::open(places, warnings);
  const auto answers = layers.best(query, kernels);
  if (!warnings.empty()) throw MachineError(warnings.front());
  if (answers.empty() || answers.front().match != store::Match::exact) throw MachineError("the answer is not exact");
}

int run(char** argv) {
  using Clock = std::chrono::steady_clock;
  const spec::Catalog catalog = spec::Catalog::load({argv[2]});
  const store::KernelKnowledge kernels = exporting::knowledge_of(catalog, spec::plain_regime);
  store::Layers::Places places;
  places.database = argv[1];
  places.database_named = true;
  store::Query query;
  query.dims = parse_shape(argv[3], "SHAPE");
  query.gpu = argv[4];
  const auto until = Clock::now() + std::chrono::seconds(std::atoi(argv[5]));
  while (Clock::now() < until) {
    const double queued = queued_ms(), used = processor_ms();
    const auto begin = Clock::now();
    look_up(places, query, kernels);
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    std::printf("%.3f %.3f %.3f\n", took.count(), processor_ms() - used, queued_ms() - queued);
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  try {
    return run(argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
