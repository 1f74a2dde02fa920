#include "spec/kernel_spec.h"

#include <filesystem>

#include "core/error.h"
#include "spec/cursor.h"
#include "spec/macros.h"
#include "spec/manifest_reader.h"
#include "spec/yaml.h"

namespace tuner::spec {
namespace {

namespace fs = std::filesystem;

fs::path full_path(const fs::path& path) {
  std::error_code fault;
  const fs::path full = fs::absolute(path, fault);
  return (fault ? path : full).lexically_normal();
}

}  // namespace

std::vector<std::pair<std::string, int>> KernelSpec::choices(const std::string& param) const {
  std::vector<std::pair<std::string, int>> choices;
  for (const space::Param& p : space.params) {
    if (p.name != param) continue;
    for (std::size_t i = 0; i < p.values.size(); ++i)
      if (const auto* choice = std::get_if<Name>(&p.values[i]); choice != nullptr && !type_from_text(choice->text))
        choices.emplace_back(choice->text, static_cast<int>(i));
  }
  return choices;
}

const KernelSpec& in_regime(const KernelSpec& kernel, const std::string& regime, const std::string& where) {
  if (regime == kernel.regime) return kernel;
  if (regime == dependent_regime && kernel.in_dependent) return *kernel.in_dependent;
  throw UserError("'" + kernel.name + "' has no regime '" + regime + "'", where,
                  "its manifest has no key `dependent: {when: ..., feeds: {x: y}}`; leave --regime out for 'plain'");
}

const KernelSpec& launched_in(const KernelSpec& kernel, const std::string& regime) {
  return regime == dependent_regime && kernel.in_dependent ? *kernel.in_dependent : kernel;
}

namespace {

std::shared_ptr<const KernelSpec> as_dependent(const KernelSpec& kernel) {
  if (!kernel.dependent) return nullptr;
  auto dependent = std::make_shared<KernelSpec>(kernel);
  dependent->regime = dependent_regime;
  if (kernel.dependent->when)
    dependent->space.constraints.push_back(
        {*kernel.dependent->when, "not launched dependently: " + kernel.dependent->when->text()});
  return dependent;
}

KernelSpec read_root(const Cursor& root, std::string_view text, const std::string& path, Faults* faults) {
  KernelSpec kernel = ManifestReader(root, faults).read();
  attempt(faults, [&] { check_macros(kernel, root, faults); });
  const fs::path full = full_path(path);
  kernel.path = full.string();
  if (!kernel.source_path.empty()) kernel.source_path = full_path(full.parent_path() / kernel.source_path).string();
  kernel.text = std::string(text);
  kernel.in_dependent = as_dependent(kernel);
  return kernel;
}

void check_source(const KernelSpec& kernel, const Cursor& root) {
  std::error_code fault;
  if (fs::is_regular_file(kernel.source_path, fault)) return;
  root.at("source").fail("the source '" + kernel.source_path + "' does not exist",
                         "its path is relative to the manifest's folder");
}

}  // namespace

KernelSpec parse_kernel(std::string_view text, const std::string& path) {
  const YamlNode root = parse_yaml(text, path);
  return read_root(Cursor(root, path, ""), text, path, nullptr);
}

KernelSpec read_kernel(const std::string& path) {
  const std::string text = read_text(path);
  const YamlNode root = parse_yaml(text, path);
  KernelSpec kernel = read_root(Cursor(root, path, ""), text, path, nullptr);
  check_source(kernel, Cursor(root, path, ""));
  return kernel;
}

Reading read_all_faults(const std::string& path) {
  const std::string text = read_text(path);
  Reading reading;
  Faults faults;
  attempt(&faults, [&] {
    const YamlNode root = parse_yaml(text, path);
    const Cursor cursor(root, path, "");
    reading.kernel = read_root(cursor, text, path, &faults);
    if (!reading.kernel.source_path.empty()) attempt(&faults, [&] { check_source(reading.kernel, cursor); });
  });
  reading.faults = faults.in_file_order();
  return reading;
}

}  // namespace tuner::spec
