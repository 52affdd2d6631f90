// Implementations of operations by algorithm, platform, backend and priority, with a
// look-up. After ejkernel/kernels/_registry.py, without its errors.
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

// What every implementation of a grouped matmul can be called with: lhs, rhs, group_sizes, options.
template <typename F>
concept GroupedKernel = std::is_invocable_r_v < Expected<GroupedMatmulRun>,
        F,
const Tensor&, const Tensor&, const Tensor&, const GroupedMatmulOptions& > ;
// An implementation.
using GroupedImplementation = Expected<GroupedMatmulRun> (*)(const Tensor&, const Tensor&,
                                                             const Tensor&,
                                                             const GroupedMatmulOptions&);
static_assert(GroupedKernel<GroupedImplementation>);

// The options on a platform of ours: its device, and for the reference, which is not cut, nothing
// of a configuration.
GroupedMatmulOptions options_on(Platform platform, const GroupedMatmulOptions& options);

// One parameter of an implementation, for comparison with the others of its algorithm.
struct Parameter {
  std::string name, type, default_value;  // as text; without a default the parameter is required
  bool is_keyword = false;                // else positional
  bool operator==(const Parameter&) const = default;
};

// A registered implementation.
struct KernelSpec {
  Platform platform = Platform::Auto;              // where it runs
  Backend backend = Backend::Any;                  // on which kind of processor; Any: on each
  std::string algorithm;                           // what it computes: "grouped_matmul"
  GroupedImplementation implementation = nullptr;  // not null
  int priority = 0;                                // the highest is found first
  std::vector<Parameter> signature;                // of the implementation, in order

  // The implementation on its platform; the reference ignores what cuts a kernel.
  Expected<GroupedMatmulRun> run(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                 const GroupedMatmulOptions& options) const;
};

// Implementations by algorithm.
class KernelRegistry {
 public:
  // Registers an implementation; the algorithm's name is lower-cased. Specs of an algorithm are
  // kept by descending priority, then in order of registration. The same platform, backend and
  // implementation twice is an error.
  Expected<void> add(KernelSpec spec);

  // The first spec that matches: a platform or backend not given matches all, a spec for any
  // backend matches each. Backend Any asks for specs for any backend; where there is none, once for
  // those of the platform's own backend. Auto is the platform that detect_platform finds.
  // "No implementation found for algorithm=..." otherwise.
  Expected<const KernelSpec*> get(std::string_view algorithm, std::optional<Platform> platform = {},
                                  std::optional<Backend> backend = {}) const;

  // An explicit platform is itself. Auto is that of the first spec that is available here: the
  // best implementation registered for the device.
  Expected<Platform> detect_platform(std::string_view algorithm, Platform asked) const;

  std::vector<std::string> list_algorithms() const;  // their names, sorted
  // All specs of an algorithm, by descending priority. An unknown one is an error.
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

// The registry with all implementations of Tessera: grouped_matmul, grouped_matmulv2 (the same
// under another name) and transposed_grouped_matmul.
const KernelRegistry& kernel_registry();

}  // namespace tessera
