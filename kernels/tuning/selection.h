// The one chain that chooses a configuration: override, overlay, memory, persistent cache,
// autotune, heuristics. Its decision has the outcome of each link. Source:
// ejkernel/ops/config/selection.py.
#pragma once  // public
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/report/expected.h"
#include "devices/device.h"
#include "kernels/tuning/config.h"
#include "kernels/tuning/operation_key.h"
#include "kernels/tuning/persistent_cache.h"
#include "kernels/tuning/tuner.h"

namespace tessera {

// The links of the chain, in their order.
enum class ConfigSource : std::uint8_t {
  Override,    // the call has a configuration of its own
  Overlay,     // the call's overlay has one for its key
  Memory,      // this process used one for its key before
  Persistent,  // the user's cache folder has one
  Autotune,    // candidates are measured
  Heuristics   // one is chosen without measuring
};
// In lower case: "persistent".
std::string_view name(ConfigSource source);

// The outcome at one link of the chain.
struct SelectionStep {
  ConfigSource source = ConfigSource::Override;  // the link
  std::string outcome;                           // "hit", or why it has no configuration
  double seconds = 0;                            // duration by the chain's clock
};

// Configurations by key, for some calls; the last entry of a key is used.
using ConfigOverlay = std::vector<std::pair<OperationKey, GroupedMatmulConfig>>;

// Rules for the chain.
struct AutotunePolicy {
  bool allow_autotune = true;    // candidates may be measured
  bool allow_heuristics = true;  // the heuristic configuration may be used
  // Two ways to choose a configuration that no cache has.
  enum class Fallback : unsigned char { Autotune, Heuristics };
  // The way that is used. By default nothing is measured unless it is requested.
  Fallback cache_miss_fallback = Fallback::Heuristics;
  // A key that this process tuned and that left the caches is an error.
  bool forbid_reautotune = true;
  bool validate_backward = false;  // tuning measures the gradients too
  bool keep_heuristics = true;     // heuristic configurations are cached like measured ones

  bool operator==(const AutotunePolicy&) const = default;
};

// The default policy, with the fallback that $TESSERA_AUTOTUNE_POLICY names (autotune or
// heuristics; another value is an error).
Expected<AutotunePolicy> environment_policy();

// A chosen configuration and how it was chosen.
struct ConfigDecision {
  GroupedMatmulConfig config;                      // the configuration
  ConfigSource source = ConfigSource::Heuristics;  // the link that had it
  std::string reason;                // of the heuristics: why this one; otherwise empty
  OperationKey key;                  // key of the call
  std::vector<SelectionStep> steps;  // the links that were tried, in order; the last is `source`
  std::optional<TuningResult<GroupedMatmulConfig>> tuning;  // all measurements, of Autotune
  Diags warnings;  // entries that could not be written, and cached ones that are not usable
};

// One call that needs a configuration.
struct Selection {
  OperationKey key;                                    // under which it is cached
  std::optional<GroupedMatmulConfig> override_config;  // for this call only; not cached
  ConfigOverlay overlay;                               // used before any cache; not cached
  std::optional<AutotunePolicy> policy;                // none: environment_policy()
  // Measures candidates; empty: the call cannot be tuned.
  std::function<Expected<TuningResult<GroupedMatmulConfig>>(const AutotunePolicy&)> autotune;
  std::string measure;  // how autotune measures, for the cache's entry
  // Whether a configuration can run this call: a cached one that cannot is a miss.
  std::function<Expected<void>(const GroupedMatmulConfig&)> fits;
  std::function<ConfigChoice()> heuristics;  // chooses without measuring; empty: cannot
};

// Chooses configurations and caches them. Thread-safe.
class GroupedConfigChain {
 public:
  // Without a persistent cache nothing is kept between processes. The clock gives seconds.
  explicit GroupedConfigChain(std::optional<PersistentCache> persistent,
                              Clock clock = steady_clock())
      : persistent_(std::move(persistent)), clock_(std::move(clock)) {}

  // The configuration of the first link that has one. Errors are those of environment_policy() and
  // of tuning, a key that would be tuned again against the policy, and no configuration at all.
  Expected<ConfigDecision> choose(const Selection& call);

  // Forgets the configurations of this process.
  void clear_memory();
  const std::optional<PersistentCache>& persistent() const { return persistent_; }

 private:
  class Steps;
  // One thread at a time: a configuration that a second thread needs is then in memory.
  Expected<ConfigDecision> choose_slowly(const Selection& call, const AutotunePolicy& policy,
                                         Steps& steps);
  Expected<ConfigDecision> tuned(const Selection& call, const AutotunePolicy& policy, Steps& steps);
  std::optional<GroupedMatmulConfig> from_memory(const OperationKey& key) const;
  std::optional<GroupedMatmulConfig> from_disk(const Selection& call, bool tunes,
                                               Steps& steps) const;
  void remember(const OperationKey& key, const GroupedMatmulConfig& config);
  void keep(const Selection& call, const GroupedMatmulConfig& config, const char* source,
            double seconds, Diags& warnings);

  mutable std::shared_mutex memory_mutex_;
  std::unordered_map<std::string, GroupedMatmulConfig> memory_;  // by OperationKey::everything()
  std::optional<PersistentCache> persistent_;
  Clock clock_;
  std::mutex slow_path_;
  std::set<std::string> tuned_;
};

}  // namespace tessera
