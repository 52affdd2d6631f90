#include "kernels/operation/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/report/check.h"
#include "devices/devices.h"

namespace tessera {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool is_available(const KernelSpec& spec) {
  const Device* const device = find_device(spec.platform);
  return device == nullptr || device->available().ok;
}

// The backend of a platform where the caller names none.
Backend own_backend(std::optional<Platform> platform) {
  const Platform asked = platform.value_or(Platform::Auto);
  if (asked == Platform::Triton) return Backend::Gpu;
  if (asked == Platform::Pallas) return Backend::Tpu;
  if (asked == Platform::Reference) return Backend::Cpu;
  const Device* const device = find_device(asked);
  return (device != nullptr ? *device : default_device()).launches() ? Backend::Gpu : Backend::Cpu;
}

const KernelSpec* first_match(const std::vector<KernelSpec>& specs,
                              std::optional<Platform> platform, std::optional<Backend> backend) {
  const auto found = std::find_if(specs.begin(), specs.end(), [&](const KernelSpec& spec) {
    return (!platform || spec.platform == *platform) &&
           (!backend || spec.backend == *backend || spec.backend == Backend::Any);
  });
  return found == specs.end() ? nullptr : &*found;
}

void compare(const std::string& algorithm, const KernelSpec& first, const KernelSpec& other,
             std::vector<std::string>& warnings) {
  const auto warn = [&](const std::string& what) {
    warnings.push_back(fmt::format("{}: {} differs from {}: {}", algorithm, name(other.platform),
                                   name(first.platform), what));
  };
  const auto &want = first.signature, &have = other.signature;
  if (want.size() != have.size())
    warn(fmt::format("{} parameters, expected {}", have.size(), want.size()));
  for (std::size_t i = 0; i < std::min(want.size(), have.size()); ++i) {
    if (want[i].name != have[i].name)
      warn(fmt::format("parameter {} is {}, expected {}", i, have[i].name, want[i].name));
    else if (want[i].is_keyword != have[i].is_keyword)
      warn(fmt::format("{} is {}, expected {}", have[i].name,
                       have[i].is_keyword ? "keyword-only" : "positional",
                       want[i].is_keyword ? "keyword-only" : "positional"));
    else if (want[i].default_value != have[i].default_value)
      warn(fmt::format("{} defaults to {}, expected {}", have[i].name, have[i].default_value,
                       want[i].default_value));
    else if (want[i].type != have[i].type)
      warn(fmt::format("{} is of type {}, expected {}", have[i].name, have[i].type, want[i].type));
  }
}

// The common signature of the implementations, in ejKernel's order.
std::vector<Parameter> grouped_signature() {
  return {{"lhs", "Tensor", "", false},
          {"rhs", "Tensor", "", false},
          {"group_sizes", "Tensor", "", false},
          {"preferred_element_type", "DType", "f32", false},
          {"tiling", "TilingSpec", "none", false},
          {"group_offset", "GroupWindow", "0", false},
          {"existing_out", "Tensor", "none", false},
          {"transpose_rhs", "bool", "false", false},
          {"interpret", "bool", "false", false},
          {"precision", "Precision", "default", false}};
}

// On every device, the best first, and on the reference.
void add_everywhere(KernelRegistry& registry, GroupedImplementation implementation,
                    const char* algorithm) {
  const auto add = [&](Platform platform, Backend backend, int priority) {
    CHECK(registry.add(
        {platform, backend, algorithm, implementation, priority, grouped_signature()}));
  };
  int priority = 10 * static_cast<int>(devices().size());
  for (const Device* device : devices()) {
    add(Platform(device->name()), device->launches() ? Backend::Gpu : Backend::Any, priority);
    priority -= 10;
  }
  add(Platform::Reference, Backend::Any, priority);
}

}  // namespace

Expected<GroupedMatmulRun> KernelSpec::run(const Tensor& lhs, const Tensor& rhs,
                                           const Tensor& group_sizes,
                                           const GroupedMatmulOptions& options) const {
  return implementation(lhs, rhs, group_sizes, options_on(platform, options));
}

GroupedMatmulOptions options_on(Platform platform, const GroupedMatmulOptions& options) {
  GroupedMatmulOptions here = options;
  here.device = device_of(platform);
  if (platform == Platform::Reference) {
    here.tiling = {};
    here.input_buffer_count = GroupedMatmulOptions().input_buffer_count;
    here.align.reset();
  }
  return here;
}

Expected<void> KernelRegistry::add(KernelSpec spec) {
  spec.algorithm = lower(spec.algorithm);
  Specs& specs = specs_[spec.algorithm];
  for (const KernelSpec& other : specs) {
    if (other.platform == spec.platform && other.backend == spec.backend &&
        other.implementation == spec.implementation)
      return error(fmt::format("{} is registered twice for platform={}, backend={}", spec.algorithm,
                               name(spec.platform), name(spec.backend)));
  }
  specs.push_back(std::move(spec));
  std::stable_sort(specs.begin(), specs.end(), [](const KernelSpec& a, const KernelSpec& b) {
    return a.priority > b.priority;
  });
  return {};
}

Expected<const KernelRegistry::Specs*> KernelRegistry::find(std::string_view algorithm) const {
  const auto found = specs_.find(lower(algorithm));
  if (found == specs_.end())
    return error(fmt::format("No implementation found for algorithm: {}", algorithm));
  return &found->second;
}

Expected<const KernelSpec*> KernelRegistry::get(std::string_view algorithm,
                                                std::optional<Platform> platform,
                                                std::optional<Backend> backend) const {
  const Expected<const Specs*> specs = find(algorithm);
  if (!specs) return specs.diags();
  if (platform == Platform::Auto) {
    const Expected<Platform> detected = detect_platform(algorithm, Platform::Auto);
    if (!detected) return detected.diags();
    platform = *detected;
  }
  const KernelSpec* found = nullptr;
  if (backend == Backend::Any) {
    for (const KernelSpec& spec : **specs) {
      if (found == nullptr && spec.backend == Backend::Any &&
          (!platform || spec.platform == *platform))
        found = &spec;
    }
    if (found == nullptr) found = first_match(**specs, platform, own_backend(platform));
  } else {
    found = first_match(**specs, platform, backend);
  }
  if (found != nullptr) return found;
  Diag none = error(fmt::format("No implementation found for algorithm={}, platform={}, backend={}",
                                algorithm, platform ? name(*platform) : "None",
                                backend ? name(*backend) : "None"));
  std::string there;
  for (const KernelSpec& spec : **specs) {
    there += fmt::format("{}{} on {}", there.empty() ? "" : ", ", name(spec.platform),
                         name(spec.backend));
  }
  none.notes.push_back({{}, fmt::format("there are {}", there)});
  return none;
}

Expected<Platform> KernelRegistry::detect_platform(std::string_view algorithm,
                                                   Platform asked) const {
  const Expected<const Specs*> specs = find(algorithm);
  if (!specs) return specs.diags();
  if (asked != Platform::Auto) return asked;
  const auto first = std::find_if((*specs)->begin(), (*specs)->end(), is_available);
  if (first != (*specs)->end()) return first->platform;
  return error(fmt::format("No implementation found for algorithm={}, platform=auto, backend=None",
                           algorithm));
}

std::vector<std::string> KernelRegistry::list_algorithms() const {
  std::vector<std::string> names;
  for (const auto& [algorithm, specs] : specs_) names.push_back(algorithm);
  return names;
}

Expected<std::vector<KernelSpec>> KernelRegistry::list_implementations(
    std::string_view algorithm) const {
  const Expected<const Specs*> specs = find(algorithm);
  if (!specs) return specs.diags();
  return **specs;
}

Expected<bool> KernelRegistry::validate_signatures(std::optional<std::string_view> algorithm,
                                                   std::vector<std::string>& warnings) const {
  const std::size_t before = warnings.size();
  if (algorithm) {
    if (const Expected<const Specs*> specs = find(*algorithm); !specs) return specs.diags();
  }
  for (const auto& [known, specs] : specs_) {
    if (algorithm && known != lower(*algorithm)) continue;
    for (const KernelSpec& other : specs) compare(known, specs.front(), other, warnings);
  }
  return warnings.size() == before;
}

const KernelRegistry& kernel_registry() {
  static const KernelRegistry registry = [] {
    KernelRegistry all;
    add_everywhere(all, run_grouped_matmul, "grouped_matmul");
    add_everywhere(all, run_grouped_matmul, "grouped_matmulv2");
    add_everywhere(all, run_transposed_grouped_matmul, "transposed_grouped_matmul");
    return all;
  }();
  return registry;
}

}  // namespace tessera
