// Where a manifest's right results come from, and how near a candidate must be.
#include <algorithm>
#include <filesystem>

#include "core/problem.h"
#include "core/suggest.h"
#include "spec/beside.h"
#include "spec/manifest_reader.h"

namespace tuner::spec {
namespace {

namespace fs = std::filesystem;

const ArgSpec* find_arg(const KernelSpec& kernel, const std::string& name) {
  for (const ArgSpec& arg : kernel.args)
    if (arg.name == name) return &arg;
  return nullptr;
}

}  // namespace

void ManifestReader::reference() {
  attempt([&] {
    const Cursor at = root_.at("reference");
    if (at.is_map()) {
      user_reference(at);
    } else if (at.is_list() || (at.text() != "gemv" && at.text() != "none")) {
      at.fail("'reference' must be one of gemv, none",
              "or {host: FUNCTION, source: FILE.cpp}, {kernel: ENTRY, source: FILE.cu, grid: ..., block: ...}, "
              "{data: {RESULT: FILE.npy}}");
    } else if (at.text() == "gemv") {
      kernel_.reference.kind = ReferencePlan::Kind::gemv;
      if (args_whole_ && !kernel_.dims.empty()) check_gemv(at);
    }
  });
  attempt([&] { bound(); });
  kernel_.terms = expression(root_, "terms", Allowed::problem("'terms'"));
  attempt([&] {
    if (const auto exact = root_.find("exact_integers")) kernel_.exact_integers = exact->truth();
  });
  attempt([&] { awkward(); });
  const bool computed =
      kernel_.reference.kind == ReferencePlan::Kind::kernel || kernel_.reference.kind == ReferencePlan::Kind::host;
  const bool edges =
      std::any_of(kernel_.args.begin(), kernel_.args.end(), [](const ArgSpec& arg) { return arg.fill.edge != 0; });
  attempt([&] {
    if (edges && !computed)
      root_.at("reference").fail("'edges' needs a reference that reads the inputs", "{kernel: ...} or {host: ...}");
  });
}

void ManifestReader::user_reference(const Cursor& body) {
  ReferenceSpec& reference = kernel_.reference;
  if (const auto data = body.find("data")) {
    keys(body, "data_reference");
    reference.kind = ReferencePlan::Kind::data;
    return expected_data(*data);
  }
  const auto host = body.find("host");
  if (host.has_value() == body.find("kernel").has_value())
    body.fail("'reference' needs one of 'host', 'kernel' and 'data'");
  attempt([&] { reference.source_path = existing_file(body.at("source")); });
  if (host) {
    keys(body, "host_reference");
    reference.kind = ReferencePlan::Kind::host;
    reference.function = host->name();
    return;
  }
  keys(body, "kernel_reference");
  reference.kind = ReferencePlan::Kind::kernel;
  reference.function = body.at("kernel").function();
  reference.launch.target = reference.function;
  if (const auto magnitude = body.find("magnitude")) {
    reference.magnitude = magnitude->function();
    if (reference.magnitude == reference.function)
      magnitude->fail("'magnitude' is the reference itself", "name the entry that sums the terms' absolute values");
  }
  for (const char* key : {"grid", "block"})
    for (const Cursor& item : body.at(key).items_or_one())
      names_.check(item.expression(), Allowed::problem("the reference's '" + std::string(key) + "'"));
  reference.launch.grid = extents(reference.launch, body, "grid");
  reference.launch.block = extents(reference.launch, body, "block");
  reference.launch.shared = expression(body, "shared", Allowed::problem("the reference's 'shared'"));
}

void ManifestReader::expected_data(const Cursor& files) {
  std::vector<std::string> results;
  for (const ArgSpec& arg : kernel_.args)
    if (arg.size && is_result(arg.role)) results.push_back(arg.name);
  if (!args_whole_) return;
  for (const auto& [key, file] : files.fields()) {
    const ArgSpec* arg = find_arg(kernel_, key.text());
    if (arg == nullptr || !arg->size || !is_result(arg->role))
      key.fail("'" + key.text() + "' is no result (output, in_place, accumulator) among 'args'",
               did_you_mean(key.text(), results));
    kernel_.reference.expected.emplace_back(key.text(), existing_file(file));
  }
  for (const std::string& result : results)
    if (!files.find(result)) files.fail("'data' has no file for the result '" + result + "'");
}

void ManifestReader::bound() {
  const auto at = root_.find("bound");
  if (!at) return;
  if (at->is_map()) {
    keys(*at, "bound");
    kernel_.bound.kind = ErrorBound::Kind::stated;
    if (const auto relative = at->find("relative")) kernel_.bound.relative = relative->real();
    if (const auto absolute = at->find("absolute")) kernel_.bound.absolute = absolute->real();
    if (kernel_.bound.relative < 0 || kernel_.bound.absolute < 0) at->fail("a bound cannot be negative");
    if (kernel_.bound.relative == 0 && kernel_.bound.absolute == 0)
      at->fail("'bound' states nothing", "give 'relative' or 'absolute', or write 'bound: exact'");
    kernel_.bound_why = at->at("why").text();
    if (kernel_.bound_why.empty()) at->at("why").fail("a bound that is not derived needs its reason");
    kernel_.exact_integers = false;
    return;
  }
  static const std::vector<std::string> kWords = {"terms", "exact"};
  const auto found = std::find(kWords.begin(), kWords.end(), at->text());
  if (found == kWords.end())
    at->fail("unknown bound '" + at->text() + "'",
             did_you_mean(at->text(), kWords) + "; or {relative: 1e-5, absolute: 1e-6, why: TEXT}");
  kernel_.bound.kind = static_cast<ErrorBound::Kind>(found - kWords.begin());
}

void ManifestReader::awkward() {
  const auto at = root_.find("awkward");
  if (!at) return;
  kernel_.awkward_given = true;
  for (const Cursor& item : at->items()) {
    attempt([&] {
      std::vector<std::int64_t> dims = parse_shape(item.text(), item.where());
      if (!kernel_.dims.empty() && dims.size() != kernel_.dims.size())
        item.fail("this shape needs " + std::to_string(kernel_.dims.size()) + " dimensions", "e.g. 37x131");
      kernel_.awkward.push_back(std::move(dims));
    });
  }
}

// The built-in reference finds its matrix and vectors by role.
void ManifestReader::check_gemv(const Cursor& at) {
  if (kernel_.dims.size() != 2) at.fail("the reference gemv needs two dims, rows and columns");
  for (const Role role : {Role::weight, Role::activation, Role::output}) {
    const auto count = std::count_if(kernel_.args.begin(), kernel_.args.end(),
                                     [role](const ArgSpec& arg) { return arg.size && arg.role == role; });
    if (count != 1)
      at.fail("the reference gemv needs one buffer of role " + std::string(to_text(role)) + ", not " +
              std::to_string(count));
  }
}

}  // namespace tuner::spec
