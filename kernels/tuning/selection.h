// Chain of sources for a configuration: override, overlay, memory, persistent cache, autotune,
// heuristics. Its decision has the outcome of each link. Follows ejkernel/ops/config/selection.py.
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

// Links of the chain, in order.
enum class ConfigSource : std::uint8_t {
  Override,    // the call has its own configuration
  Overlay,     // the call's overlay has one for its key
  Memory,      // this chain used one for this key before
  Persistent,  // the user's cache folder has one
  Autotune,    // candidates are measured
  Heuristics   // chosen without a measurement
};
// Lower-case name: "persistent".
std::string_view name(ConfigSource source);

// Outcome of one link of the chain.
struct SelectionStep {
  ConfigSource source = ConfigSource::Override;  // link of the chain
  std::string outcome;  // "hit", or the reason why there is no configuration
  double seconds = 0;   // duration, by the chain's clock
};

// Configurations by key, for single calls. The last entry of a key is used.
using ConfigOverlay = std::vector<std::pair<OperationKey, GroupedMatmulConfig>>;

// Rules for the chain.
struct AutotunePolicy {
  bool allow_autotune = true;    // candidates may be measured
  bool allow_heuristics = true;  // the heuristic configuration may be used
  // Ways to choose a configuration if no cache has one.
  enum class Fallback : unsigned char { Autotune, Heuristics };
  // Way to use. By default nothing is measured.
  Fallback cache_miss_fallback = Fallback::Heuristics;
  // True: a key that this chain tuned before and that is no longer in the caches is an error.
  bool forbid_reautotune = true;
  bool validate_backward = false;  // tuning also measures the gradients
  bool keep_heuristics = true;     // cache heuristic configurations like measured ones

  bool operator==(const AutotunePolicy&) const = default;
};

// Returns the default policy, with the fallback of $TESSERA_AUTOTUNE_POLICY (autotune or
// heuristics). Fails for other values.
Expected<AutotunePolicy> environment_policy();

// A chosen configuration, and its source.
struct ConfigDecision {
  GroupedMatmulConfig config;                      // the configuration
  ConfigSource source = ConfigSource::Heuristics;  // link that had the configuration
  std::string reason;                // Heuristics: reason of the choice; otherwise empty
  OperationKey key;                  // of the call
  std::vector<SelectionStep> steps;  // links that were tried, in order; the last is `source`
  std::optional<TuningResult<GroupedMatmulConfig>> tuning;  // Autotune: all measurements
  Diags warnings;  // entries that could not be written, cached entries that were not used
};

// A call that needs a configuration.
struct Selection {
  OperationKey key;                                    // cache key
  std::optional<GroupedMatmulConfig> override_config;  // for this call only; not cached
  ConfigOverlay overlay;                               // used before any cache; not cached
  std::optional<AutotunePolicy> policy;                // none: environment_policy()
  // Measures candidates. Empty: the call cannot be tuned.
  std::function<Expected<TuningResult<GroupedMatmulConfig>>(const AutotunePolicy&)> autotune;
  std::string measure;  // kind of measurement, stored with the cached entry
  // Checks whether a configuration can run this call. If a cached one fails, it is a miss.
  std::function<Expected<void>(const GroupedMatmulConfig&)> fits;
  std::function<ConfigChoice()> heuristics;  // chooses without a measurement; empty: not supported
};

// Chooses configurations and caches them. Thread-safe.
class GroupedConfigChain {
 public:
  // Without a persistent cache, nothing is stored after the process ends. The clock returns
  // seconds.
  explicit GroupedConfigChain(std::optional<PersistentCache> persistent,
                              Clock clock = steady_clock())
      : persistent_(std::move(persistent)), clock_(std::move(clock)) {}

  // Returns the configuration of the first link that has one, and caches it as the policy requires.
  // The functions of `call` may run while a lock is held and must not use this chain. Fails like
  // environment_policy() and call.autotune, and with ErrorCode::runtime if the policy forbids to
  // tune the key again or no link has a configuration.
  Expected<ConfigDecision> choose(const Selection& call);

  // Removes all configurations from this chain's memory, but not from the persistent cache.
  void clear_memory();
  // Persistent cache; none if the chain has none.
  const std::optional<PersistentCache>& persistent() const { return persistent_; }

 private:
  class Steps;
  // Called by one thread at a time, so that other threads find its result in memory.
  Expected<ConfigDecision> choose_slowly(const Selection& call, const AutotunePolicy& policy,
                                         Steps& steps);
  Expected<ConfigDecision> tuned(const Selection& call, const AutotunePolicy& policy, Steps& steps);
  std::optional<GroupedMatmulConfig> from_memory(const OperationKey& key) const;
  // Returns the usable persistent configuration; otherwise none, with the reason in `steps`. tunes:
  // entries of the heuristics are not usable.
  std::optional<GroupedMatmulConfig> from_disk(const Selection& call, bool tunes,
                                               Steps& steps) const;
  void remember(const OperationKey& key, const GroupedMatmulConfig& config);
  // Caches the configuration in memory and on disk. Adds a failed write to `warnings`.
  void keep(const Selection& call, const GroupedMatmulConfig& config, const char* source,
            double seconds, Diags& warnings);

  mutable std::shared_mutex memory_mutex_;
  std::unordered_map<std::string, GroupedMatmulConfig> memory_;  // by OperationKey::full_text()
  std::optional<PersistentCache> persistent_;
  Clock clock_;
  std::mutex slow_path_;
  std::set<std::string> tuned_;
};

}  // namespace tessera
