#include "compile/host_function.h"

#include <memory>
#include <mutex>

#include "compile/compile_log.h"
#include "compile/host_build.h"
#include "compile/host_objects.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/reference_abi.h"
#include "proc/child.h"

namespace tuner::compile {
namespace {

constexpr std::chrono::minutes build_deadline{2};

// Behind the user's file: a table of its parameters, made from the function's own type.
constexpr const char* parameter_table = R"(
namespace tuner_reference {
template <class T> struct Word { static constexpr const char* text = "struct"; };
#define TUNER_WORD(T, name) \
  template <> struct Word<T> { static constexpr const char* text = name; }; \
  template <> struct Word<T*> { static constexpr const char* text = name "*"; }; \
  template <> struct Word<const T*> { static constexpr const char* text = name "*"; };
TUNER_WORD(double, "f64") TUNER_WORD(float, "f32") TUNER_WORD(bool, "bool")
TUNER_WORD(signed char, "i8") TUNER_WORD(char, "i8") TUNER_WORD(unsigned char, "u8")
TUNER_WORD(short, "i16") TUNER_WORD(unsigned short, "u16") TUNER_WORD(int, "i32") TUNER_WORD(unsigned, "u32")
TUNER_WORD(long, "i64") TUNER_WORD(unsigned long, "u64") TUNER_WORD(long long, "i64")
TUNER_WORD(unsigned long long, "u64")
#undef TUNER_WORD
template <auto function> struct Call;
template <class R, class... P, R (*function)(P...)>
struct Call<function> {
  template <unsigned... i> struct Indices {};
  template <unsigned n, unsigned... i> struct UpTo : UpTo<n - 1, n - 1, i...> {};
  template <unsigned... i> struct UpTo<0, i...> { using type = Indices<i...>; };
  template <unsigned... i>
  static void with(void* const* arguments, Indices<i...>) { function(*static_cast<P*>(arguments[i])...); }
  static void call(void* const* arguments) { with(arguments, typename UpTo<sizeof...(P)>::type{}); }
  static constexpr const char* types[sizeof...(P) + 1] = {Word<P>::text..., nullptr};
  static constexpr int bytes[sizeof...(P) + 1] = {int(sizeof(P))..., 0};
  static constexpr Function table = {call, int(sizeof...(P)), types, bytes};
};
}
)";

std::string unit(const std::string& source, const std::string& function) {
  return "#include \"" + source + "\"\n#line 1 \"table of " + function + "\"\n" +
         TUNER_REFERENCE_ABI(TUNER_REFERENCE_AS_TEXT) + parameter_table +
         "extern \"C\" __attribute__((visibility(\"default\"))) const tuner_reference::Function* "
         "tuner_reference_function() {\n  return &tuner_reference::Call<" +
         function + ">::table;\n}\n";
}

}  // namespace

std::string build_host_function(const std::string& source, const std::string& function) {
  static std::mutex mutex;  // devices that are swept at once need the same ones
  const std::lock_guard lock(mutex);
  static HostObjects objects(nullptr);
  const std::string text = unit(source, function);
  const std::string path = objects.path_for(content_hash("reference " + text));
  std::vector<std::string> argv = host_compiler_command();
  argv.insert(argv.end(), {"-std=c++20", "-O2", "-shared", "-fPIC", "-w", "-fvisibility=hidden", "-ffp-contract=off",
                           "-x", "c++", "-", "-o", HostObjects::unfinished(path)});
  const proc::Output output = proc::run(argv, text, build_deadline, {});
  if (!output.status.exited || output.status.code != 0 || !objects.finish(path))
    throw UserError("the reference '" + function +
                        "' does not compile: " + trimmed_log(output.err.empty() ? output.status.text() : output.err),
                    source, "it is a function of this name, not overloaded, in the global namespace");
  return path;
}

}  // namespace tuner::compile
