#include "compile/baseline.h"

#include <filesystem>
#include <mutex>

#include "compile/compile_log.h"
#include "compile/host_objects.h"
#include "compile/nvcc.h"
#include "core/baseline_abi.h"
#include "core/error.h"
#include "core/hash.h"
#include "proc/child.h"

namespace tuner::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes build_limit{5};  // CUB takes most of one

constexpr const char* call_table = R"(
namespace tuner_baseline {
template <auto function> struct Call;
template <class... P, const char* (*function)(P...)>
struct Call<function> {
  template <unsigned... i> struct Indices {};
  template <unsigned n, unsigned... i> struct UpTo : UpTo<n - 1, n - 1, i...> {};
  template <unsigned... i> struct UpTo<0, i...> { using type = Indices<i...>; };
  template <unsigned... i>
  static const char* with(void* const* arguments, Indices<i...>) { return function(*static_cast<P*>(arguments[i])...); }
  static const char* call(void* const* arguments) { return with(arguments, typename UpTo<sizeof...(P)>::type{}); }
  static constexpr int bytes[sizeof...(P) + 1] = {int(sizeof(P))..., 0};
  static constexpr Function table = {call, int(sizeof...(P)), bytes};
};
}
)";

std::string unit(const spec::BaselineSpec& baseline) {
  return "#include \"" + baseline.source_path + "\"\n#line 1 \"table of " + baseline.function + "\"\n" +
         TUNER_BASELINE_ABI(TUNER_BASELINE_AS_TEXT) + call_table +
         "extern \"C\" __attribute__((visibility(\"default\"))) const tuner_baseline::Function* "
         "tuner_baseline_function() {\n  return &tuner_baseline::Call<&" +
         baseline.function + ">::table;\n}\n";
}

// The toolkit's libraries, found again when the object is loaded.
std::vector<std::string> link_options(const spec::BaselineSpec& baseline, const std::string& nvcc) {
  std::vector<std::string> options;
  const fs::path toolkit = fs::path(nvcc).parent_path().parent_path();
  for (const char* folder : {"lib64", "targets/x86_64-linux/lib"}) {
    std::error_code fault;
    if (!baseline.libraries.empty() && fs::is_directory(toolkit / folder, fault))
      options.insert(options.end(),
                     {"-L", (toolkit / folder).string(), "-Xlinker", "-rpath," + (toolkit / folder).string()});
  }
  for (const std::string& library : baseline.libraries) options.push_back("-l" + library);
  return options;
}

}  // namespace

std::string build_baseline(const spec::BaselineSpec& baseline, const std::string& arch) {
  static std::mutex mutex;  // devices that are swept at once need the same ones
  const std::lock_guard lock(mutex);
  static HostObjects objects(nullptr);
  const std::string nvcc = choose_nvcc().path;
  const std::string text = unit(baseline);
  const std::string path = objects.path_for(content_hash("baseline " + arch + text));
  std::vector<std::string> argv{nvcc,
                                "-std=c++17",
                                "-O3",
                                "-shared",
                                "-w",
                                "-Xcompiler",
                                "-fPIC,-fvisibility=hidden",
                                "-arch=" + arch,
                                "-x",
                                "cu",
                                "-",
                                "-o",
                                HostObjects::unfinished(path)};
  for (const std::string& option : link_options(baseline, nvcc)) argv.push_back(option);
  const proc::Output output = proc::run(argv, text, build_limit, {});
  if (!output.status.exited || output.status.code != 0 || !objects.finish(path))
    throw UserError(
        "the baseline '" + baseline.name +
            "' does not compile: " + trimmed_log(output.err.empty() ? output.status.text() : output.err),
        baseline.source_path,
        "const char* " + baseline.function +
            "(the kernel's arguments without scratch, void* workspace, size_t* bytes, cudaStream_t stream)");
  return path;
}

}  // namespace tuner::compile
