// Implementations of operations by algorithm, platform, backend and priority, and the one lookup
// that everybody uses. Source: ejkernel/kernels/_registry.py; what it does wrong is put right here.
#pragma once  // public
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/expected.h"
#include "devices/device.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/operation/platform.h"

namespace tessera {

// What every implementation of a grouped matmul is called as.
template <typename F>
concept GroupedKernel = std::is_invocable_r_v < Expected<GroupedMatmulRun>,
        F,
const Tensor&, const Tensor&, const Tensor&, const GroupedMatmulOptions& > ;
using GroupedImplementation = Expected<GroupedMatmulRun> (*)(const Tensor&, const Tensor&,
                                                             const Tensor&,
                                                             const GroupedMatmulOptions&);
static_assert(GroupedKernel<GroupedImplementation>);

// One parameter of an implementation, for comparison with the others of its algorithm.
struct Parameter {
  std::string name, type, default_value;  // no default: the parameter must be given
  bool is_keyword = false;
  bool operator==(const Parameter&) const = default;
};

struct KernelSpec {
  Platform platform = Platform::Auto;
  Backend backend = Backend::Any;
  std::string algorithm;
  GroupedImplementation implementation = nullptr;
  int priority = 0;
  std::vector<Parameter> signature;

  // The implementation on its platform; the reference ignores what cuts a kernel.
  Expected<GroupedMatmulRun> run(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                 const GroupedMatmulOptions& options) const;
};

class KernelRegistry {
 public:
  // The algorithm's name is lower-cased. Specs of an algorithm are kept by descending priority, in
  // order of registration among equals. The same platform, backend and implementation twice is an
  // error.
  [[nodiscard]] Diags add(KernelSpec spec);

  // The first spec that matches: a platform or backend not given matches all, a spec for any
  // backend matches each. Backend Any asks for specs for any backend; where there is none, once for
  // those of the platform's own backend. Auto is the platform that detect_platform finds.
  // "No implementation found for algorithm=..." otherwise.
  Expected<const KernelSpec*> get(std::string_view algorithm, std::optional<Platform> platform = {},
                                  std::optional<Backend> backend = {}) const;

  // An explicit platform is itself. Auto is that of the first spec that is available here: the
  // best implementation registered for the device.
  Expected<Platform> detect_platform(std::string_view algorithm, Platform asked) const;

  std::vector<std::string> list_algorithms() const;  // sorted
  // An unknown algorithm is an error.
  Expected<std::vector<KernelSpec>> list_implementations(std::string_view algorithm) const;
  // Whether all implementations take what the first one takes; each difference is a warning.
  // Without a name: of every algorithm. An unknown one is an error.
  Expected<bool> validate_signatures(std::optional<std::string_view> algorithm,
                                     std::vector<std::string>& warnings) const;

 private:
  using Specs = std::vector<KernelSpec>;
  Expected<const Specs*> find(std::string_view algorithm) const;
  std::map<std::string, Specs, std::less<>> specs_;
};

// With everything of ours: grouped_matmul, grouped_matmulv2 (the same under its other name) and
// transposed_grouped_matmul.
const KernelRegistry& kernel_registry();

}  // namespace tessera
