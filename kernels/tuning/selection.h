// The one chain that chooses a configuration: override, overlay, memory, persistent cache,
// autotune, heuristics. The decision records which of them had one, and why those before it had
// none. After ejkernel/ops/config/selection.py.
#pragma once  // public
#include <fmt/format.h>

#include <array>
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

#include "kernels/tuning/operation_key.h"
#include "kernels/tuning/persistent_cache.h"
#include "kernels/tuning/policy.h"
#include "kernels/tuning/tuner.h"

namespace tessera {

// The links of the chain, in their order.
enum class ConfigSource : std::uint8_t {
  Override,    // the call has a configuration of its own
  Overlay,     // an OverlayScope of this thread has one for its key
  Memory,      // this process used one for its key before
  Persistent,  // the user's cache folder has one
  Autotune,    // candidates are measured
  Heuristics   // one is chosen without measuring
};
// In lower case: "override".
std::string_view name(ConfigSource source);

// The outcome at one link of the chain.
struct SelectionStep {
  ConfigSource source = ConfigSource::Override;  // which link
  std::string outcome;                           // "hit", or why it has no configuration
};

// A chosen configuration and how it was chosen.
template <typename Cfg>
struct Decision {
  Cfg config;                                      // the configuration
  ConfigSource source = ConfigSource::Heuristics;  // the link that had it
  OperationKey key;                                // of the call
  std::vector<SelectionStep> steps;  // the links that were tried, in order; the last is `source`
  std::optional<TuningResult<Cfg>> tuning;  // all measurements, where the source is Autotune
  Diags warnings;  // entries that could not be written, and cached ones that are not usable
};

// While it lives, calls of this thread with these keys use these configurations. Inner scopes come
// first.
template <typename Cfg>
class OverlayScope {
 public:
  // Keys with their configurations.
  using Entries = std::vector<std::pair<OperationKey, Cfg>>;
  // Begins the scope.
  explicit OverlayScope(Entries entries) { stack().push_back(std::move(entries)); }
  ~OverlayScope() { stack().pop_back(); }
  OverlayScope(const OverlayScope&) = delete;
  OverlayScope& operator=(const OverlayScope&) = delete;

  // The configuration of the innermost scope that has the key; null when none has.
  static const Cfg* find(const OperationKey& key) {
    for (auto scope = stack().rbegin(); scope != stack().rend(); ++scope) {
      for (const auto& [known, config] : *scope) {
        if (known == key) return &config;
      }
    }
    return nullptr;
  }

 private:
  static std::vector<Entries>& stack() {
    thread_local std::vector<Entries> scopes;
    return scopes;
  }
};

// Configurations in memory, for all threads; keys are OperationKey::everything().
template <typename Cfg>
class ConfigCache {
 public:
  // The configuration of a key, if there is one.
  std::optional<Cfg> find(const std::string& key) const {
    const std::shared_lock lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    return found->second;
  }
  // Sets the configuration of a key.
  void store(const std::string& key, const Cfg& config) {
    const std::unique_lock lock(mutex_);
    entries_.insert_or_assign(key, config);
  }
  // Forgets all.
  void clear() {
    const std::unique_lock lock(mutex_);
    entries_.clear();
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, Cfg> entries_;  // by OperationKey::everything()
};

// One call that needs a configuration.
template <typename Cfg>
struct Selection {
  OperationKey key;                    // under which it is cached
  std::optional<Cfg> override_config;  // is used for this call and not cached
  // Measures candidates; empty: the call cannot be tuned.
  std::function<Expected<TuningResult<Cfg>>(const AutotunePolicy&)> autotune;
  std::string measure;  // how autotune measures, for the cache's entry
  // Whether a configuration can run this call: a cached one that cannot is a miss.
  std::function<Diags(const Cfg&)> fits;
  // A configuration without measuring; empty: there is none.
  std::function<Cfg()> heuristics;
};

// Chooses configurations and caches them. Cfg needs to_json, from_json and describe in its
// namespace, as in config.h. Safe to use from several threads.
template <typename Cfg>
class ConfigSelectorChain {
 public:
  // None: nothing is kept between processes.
  explicit ConfigSelectorChain(std::optional<PersistentCache> persistent)
      : persistent_(std::move(persistent)) {}

  // The configuration of the first link that has one. Errors are those of current_policy() and of
  // tuning, a key that would be tuned again against the policy, and no configuration at all.
  Expected<Decision<Cfg>> choose(const Selection<Cfg>& call) {
    Decision<Cfg> decision;
    decision.key = call.key;
    const auto answered = [&](ConfigSource source, const Cfg& config) -> Decision<Cfg>& {
      decision.steps.push_back({source, "hit"});
      decision.source = source;
      decision.config = config;
      return decision;
    };
    const auto passed = [&](ConfigSource source, std::string why) {
      decision.steps.push_back({source, std::move(why)});
    };
    if (call.override_config)
      return std::move(answered(ConfigSource::Override, *call.override_config));
    passed(ConfigSource::Override, "none given");
    if (const Cfg* config = OverlayScope<Cfg>::find(call.key))
      return std::move(answered(ConfigSource::Overlay, *config));
    passed(ConfigSource::Overlay, "none for this key");

    const Expected<AutotunePolicy> policy = current_policy();
    if (!policy) return policy.diags();
    const std::string everything = call.key.everything();
    if (const std::optional<Cfg> config = memory_.find(everything))
      return std::move(answered(ConfigSource::Memory, *config));
    passed(ConfigSource::Memory, "not seen yet");

    // One thread at a time from here on: what a second one asks for is then in memory.
    const std::lock_guard lock(slow_path_);
    if (const std::optional<Cfg> config = memory_.find(everything))
      return std::move(answered(ConfigSource::Memory, *config));
    const bool tunes = policy->cache_miss_fallback == AutotunePolicy::Fallback::Autotune &&
                       policy->allow_autotune && call.autotune;
    if (const std::optional<Cfg> config = from_disk(call, tunes, passed, decision.warnings)) {
      memory_.store(everything, *config);
      return std::move(answered(ConfigSource::Persistent, *config));
    }
    if (tunes) {
      if (policy->forbid_reautotune && tuned_.contains(everything))
        return error(ErrorCode::runtime,
                     fmt::format("Re-autotune requested for {}", call.key.text()));
      Expected<TuningResult<Cfg>> tuning = call.autotune(*policy);
      if (!tuning) return tuning.diags();
      tuned_.insert(everything);
      const Measurement<Cfg>& winner = tuning->winner();
      keep(call, winner.config, "autotune", winner.seconds.value_or(0), decision.warnings);
      answered(ConfigSource::Autotune, winner.config);
      decision.tuning = *std::move(tuning);
      return decision;
    }
    passed(ConfigSource::Autotune, !call.autotune            ? "cannot be tuned"
                                   : !policy->allow_autotune ? "the policy does not allow it"
                                                             : "the policy asks the heuristics");
    if (policy->allow_heuristics && call.heuristics) {
      const Cfg config = call.heuristics();
      if (policy->keep_heuristics) keep(call, config, "heuristics", 0, decision.warnings);
      return std::move(answered(ConfigSource::Heuristics, config));
    }
    return error(ErrorCode::runtime,
                 "No config found: override/overlay/cache/persistent/autotune/heuristics all "
                 "unavailable.");
  }

  // Its caches.
  ConfigCache<Cfg>& memory() { return memory_; }
  const std::optional<PersistentCache>& persistent() const { return persistent_; }

 private:
  template <typename Passed>
  std::optional<Cfg> from_disk(const Selection<Cfg>& call, bool tunes, const Passed& passed,
                               Diags& warnings) const {
    const OperationKey& key = call.key;
    const auto miss = [&](std::string why) {
      passed(ConfigSource::Persistent, std::move(why));
      return std::optional<Cfg>();
    };
    const auto refused = [&](Diag why) {
      warnings.push_back(why);
      return miss(std::move(why.message));
    };
    const auto unusable = [&](const Diags& problems) {
      return refused(error(fmt::format("the cache's entry {} is not used: {}",
                                       persistent_->file(key), problems.front().message)));
    };
    if (!persistent_ || persistent_->folder().empty()) return miss("there is none");
    const Expected<std::optional<CacheEntry>> entry = persistent_->find(key);
    if (!entry) return refused(entry.diags().front());
    if (!*entry) return miss("has no entry");
    // Tuning can do better than heuristics that were kept.
    if (tunes && (*entry)->source == "heuristics") return miss("has what the heuristics said only");
    Cfg config;
    if (const Diags problems = from_json((*entry)->config, config); !problems.empty())
      return unusable(problems);
    if (const Diags problems = call.fits ? call.fits(config) : Diags(); !problems.empty())
      return unusable(problems);
    return std::optional<Cfg>(std::move(config));
  }

  void keep(const Selection<Cfg>& call, const Cfg& config, const char* source, double seconds,
            Diags& warnings) {
    memory_.store(call.key.everything(), config);
    if (!persistent_ || persistent_->folder().empty()) return;
    const Diags problems =
        persistent_->store({call.key, to_json(config), source, seconds,
                            seconds > 0 ? call.measure : std::string("nothing was measured")});
    warnings.insert(warnings.end(), problems.begin(), problems.end());
  }

  ConfigCache<Cfg> memory_;
  std::optional<PersistentCache> persistent_;
  std::mutex slow_path_;
  std::set<std::string> tuned_;
};

// The decision as text: the key, a line for each step ("override    none given"), the
// configuration.
template <typename Cfg>
std::string explain(const Decision<Cfg>& decision) {
  std::string text =
      fmt::format("key         {}\n            {}\n", decision.key.text(), decision.key.call);
  for (const SelectionStep& step : decision.steps)
    text += fmt::format("{:<12}{}\n", name(step.source), step.outcome);
  return text + fmt::format("config      {}\n", describe(decision.config));
}

}  // namespace tessera
