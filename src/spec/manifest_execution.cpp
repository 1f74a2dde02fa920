// What a kernel costs, and how it is built.
#include <algorithm>
#include <filesystem>

#include "core/ceiling_probe.h"
#include "core/identifier.h"
#include "core/suggest.h"
#include "spec/beside.h"
#include "spec/manifest_reader.h"

namespace tuner::spec {
namespace {

// One of `words`; `what` for the message.
std::size_t word_of(const Cursor& at, const std::string& what, const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), at.text());
  if (found == words.end()) at.fail("unknown " + what + " '" + at.text() + "'", did_you_mean(at.text(), words));
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace

void ManifestReader::build() {
  static const std::vector<std::string> kCompilers = {"nvrtc", "nvcc"};
  attempt([&] {
    if (const auto compiler = root_.find("compiler")) kernel_.nvcc = word_of(*compiler, "compiler", kCompilers) == 1;
  });
  if (const auto options = root_.find("options"))
    for (const Cursor& item : options->items_or_one()) attempt([&] { option(item); });
  if (const auto folders = root_.find("include_dirs"))
    for (const Cursor& item : folders->items_or_one()) attempt([&] { include_dir(item); });
  attempt([&] {
    if (const auto defines = root_.find("defines"))
      for (const auto& [key, value] : defines->fields())
        attempt([&, &name = key, &text = value] { define(name, text); });
  });
}

// A dimension is no macro. One that an argument is named after is the kernel's own word for that argument.
bool ManifestReader::is_argument(const std::string& name) const {
  const auto args = root_.find("args");
  if (!args) return false;
  const auto items = args->items_or_one();
  return std::any_of(items.begin(), items.end(), [&](const Cursor& item) {
    const auto given = item.is_map() ? item.find("name") : std::nullopt;
    return given && given->text() == name;
  });
}

void ManifestReader::define(const Cursor& key, const Cursor& value) {
  const std::string text = value.text();
  for (const std::string& dim : kernel_.dims) {
    if (has_word(text, dim) && !is_argument(dim))
      value.fail(
          "the macro '" + key.text() + "' cannot be made of the dimension '" + dim + "': one binary serves every shape",
          "give a number, and bind the dimension to it: `defines: {" + key.text() + ": 1024}`, `where: " + dim +
              " == 1024`");
  }
  kernel_.defines.emplace_back(key.name(), text);
}

void ManifestReader::option(const Cursor& item) {
  OptionSpec option;
  if (item.is_map()) {
    keys(item, "option");
    option.text = item.at("option").text();
    option.value = expression(item, "value", Allowed::everything("'options'"));
    option.when = expression(item, "when", Allowed::everything("'options'"));
  } else {
    option.text = item.text();
  }
  if (option.text.empty() || option.text[0] != '-') item.fail("'" + option.text + "' is no compiler option");
  for (const char* ours : {"-arch", "--gpu-arch", "-gencode", "--generate-code", "-o", "--output", "-cubin", "-ptx"})
    if (option.text.rfind(ours, 0) == 0 && (option.text != "-optimize"))
      item.fail("the option '" + option.text + "' is the tuner's own",
                "'target' names an architecture; the rest follows from the run");
  kernel_.options.push_back(std::move(option));
}

void ManifestReader::include_dir(const Cursor& item) {
  const auto folder = (std::filesystem::absolute(item.file()).parent_path() / item.text()).lexically_normal();
  std::error_code fault;
  if (!std::filesystem::is_directory(folder, fault))
    item.fail("the folder '" + folder.string() + "' does not exist", "its path is relative to the manifest's folder");
  kernel_.include_dirs.push_back(folder.string());
}

void ManifestReader::traffic(const Cursor& body) {
  keys(body, "traffic");
  kernel_.traffic_read = expression(body, "read", Allowed::problem("'traffic'"));
  kernel_.traffic_write = expression(body, "write", Allowed::problem("'traffic'"));
}

void ManifestReader::costs() {
  if (const auto body = root_.find("traffic")) attempt([&] { traffic(*body); });
  kernel_.flops = expression(root_, "flops", Allowed::problem("'flops'"));
  attempt([&] {
    static const std::vector<std::string> kBounds = {"memory", "compute"};
    if (const auto bound = root_.find("bound_by")) kernel_.bound_by = kBounds[word_of(*bound, "bound", kBounds)];
  });
  const bool half = kernel_.dtype == "f16" || kernel_.dtype == "bf16";
  kernel_.arithmetic = half && kernel_.bound_by == "compute" ? "tensor_f16"
                       : kernel_.dtype == "f64"              ? "fma_f64"
                                                             : "fma_f32";
  attempt([&] {
    static const std::vector<std::string> kUnits(arithmetic_units().begin(), arithmetic_units().end());
    if (const auto unit = root_.find("arithmetic")) kernel_.arithmetic = kUnits[word_of(*unit, "arithmetic", kUnits)];
  });
  kernel_.bytes_in_flight = expression(root_, "bytes_in_flight", Allowed::everything("'bytes_in_flight'"));
  kernel_.reread = expression(root_, "reread", Allowed::everything("'reread'"));
  kernel_.chain = expression(root_, "chain", Allowed::everything("'chain'"));
  kernel_.deterministic = expression(root_, "deterministic", Allowed::everything("'deterministic'"));
  if (const auto baselines = root_.find("baselines")) {
    static const std::vector<std::string> kBaselines = {"cublas"};
    for (const Cursor& item : baselines->items_or_one())
      attempt([&] {
        if (item.is_map() && item.find("kernel"))
          rival(item);
        else if (item.is_map())
          own_baseline(item);
        else
          kernel_.baselines.push_back(kBaselines[word_of(item, "baseline", kBaselines)]);
      });
  }
}

void ManifestReader::rival(const Cursor& body) {
  body.check_keys(keys_of("kernel_baseline"));
  const Cursor at = body.at("kernel");
  const std::string name = at.name();
  if (name == kernel_.name) at.fail("a kernel is no baseline of itself");
  if (std::find(kernel_.rivals.begin(), kernel_.rivals.end(), name) != kernel_.rivals.end())
    at.fail("the baseline '" + name + "' stands twice");
  if (kernel_.rivals.size() == 8) at.fail("more than 8 kernels as baselines");
  kernel_.rivals.push_back(name);
}

void ManifestReader::own_baseline(const Cursor& body) {
  body.check_keys(keys_of("baseline"));
  BaselineSpec baseline;
  baseline.name = body.at("name").name();
  baseline.function = body.at("function").name();
  baseline.source_path = existing_file(body.at("source"));
  if (const auto libraries = body.find("libraries"))
    for (const Cursor& item : libraries->items_or_one()) baseline.libraries.push_back(item.name());
  for (const BaselineSpec& other : kernel_.own_baselines)
    if (other.name == baseline.name) body.at("name").fail("the baseline '" + baseline.name + "' stands twice");
  kernel_.own_baselines.push_back(std::move(baseline));
}

}  // namespace tuner::spec
