#include "kernels/tuning/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/report/try.h"

namespace tessera {

using Config = GroupedMatmulConfig;

std::string_view name(ConfigSource source) {
  constexpr std::array<std::string_view, 6> names = {"override",   "overlay",  "memory",
                                                     "persistent", "autotune", "heuristics"};
  return names[static_cast<std::size_t>(source)];
}

Expected<AutotunePolicy> environment_policy() {
  AutotunePolicy policy;
  const char* const given = std::getenv("TESSERA_AUTOTUNE_POLICY");
  const std::string_view word = given == nullptr ? "" : given;
  if (word == "autotune") policy.cache_miss_fallback = AutotunePolicy::Fallback::Autotune;
  if (word.empty() || word == "autotune" || word == "heuristics") return policy;
  return error(fmt::format("TESSERA_AUTOTUNE_POLICY is autotune or heuristics, not '{}'", word));
}

// Decision up to the current link.
class GroupedConfigChain::Steps {
 public:
  Steps(const OperationKey& key, const Clock& clock) : clock_(clock), since_(clock()) {
    decision.key = key;
  }
  // Records that the link has no configuration.
  void missed(ConfigSource source, std::string why) {
    const double now = clock_();
    decision.steps.push_back({source, std::move(why), now - since_});
    since_ = now;
  }
  ConfigDecision hit(ConfigSource source, const Config& config) {
    missed(source, "hit");
    decision.source = source;
    decision.config = config;
    return std::move(decision);
  }

  ConfigDecision decision;

 private:
  const Clock& clock_;
  double since_;  // start of the current link
};

Expected<ConfigDecision> GroupedConfigChain::choose(const Selection& call) {
  Steps steps(call.key, clock_);
  if (call.override_config) return steps.hit(ConfigSource::Override, *call.override_config);
  steps.missed(ConfigSource::Override, "none given");
  const auto overlaid = std::find_if(call.overlay.rbegin(), call.overlay.rend(),
                                     [&](const auto& entry) { return entry.first == call.key; });
  if (overlaid != call.overlay.rend()) return steps.hit(ConfigSource::Overlay, overlaid->second);
  steps.missed(ConfigSource::Overlay, "none for this key");

  const AutotunePolicy policy = call.policy ? *call.policy : TRY(environment_policy());
  if (const std::optional<Config> config = from_memory(call.key))
    return steps.hit(ConfigSource::Memory, *config);
  steps.missed(ConfigSource::Memory, "not seen yet");
  return choose_slowly(call, policy, steps);
}

Expected<ConfigDecision> GroupedConfigChain::choose_slowly(const Selection& call,
                                                           const AutotunePolicy& policy,
                                                           Steps& steps) {
  const std::lock_guard lock(slow_path_);
  if (const std::optional<Config> config = from_memory(call.key))
    return steps.hit(ConfigSource::Memory, *config);
  const bool tunes = policy.cache_miss_fallback == AutotunePolicy::Fallback::Autotune &&
                     policy.allow_autotune && call.autotune;
  if (const std::optional<Config> config = from_disk(call, tunes, steps)) {
    remember(call.key, *config);
    return steps.hit(ConfigSource::Persistent, *config);
  }
  if (tunes) return tuned(call, policy, steps);
  steps.missed(ConfigSource::Autotune, !call.autotune ? "cannot be tuned"
                                       : !policy.allow_autotune
                                           ? "the policy does not allow it"
                                           : "the policy selects the heuristics");
  if (policy.allow_heuristics && call.heuristics) {
    ConfigChoice choice = call.heuristics();
    const Config config{.kernel = choice.config};
    if (policy.keep_heuristics) keep(call, config, "heuristics", 0, steps.decision.warnings);
    steps.decision.reason = std::move(choice.reason);
    return steps.hit(ConfigSource::Heuristics, config);
  }
  return error(ErrorCode::runtime,
               "No config found: override/overlay/cache/persistent/autotune/heuristics all "
               "unavailable.");
}

Expected<ConfigDecision> GroupedConfigChain::tuned(const Selection& call,
                                                   const AutotunePolicy& policy, Steps& steps) {
  const std::string everything = call.key.full_text();
  if (policy.forbid_reautotune && tuned_.contains(everything))
    return error(ErrorCode::runtime, fmt::format("Re-autotune requested for {}", call.key.text()));
  TuningResult<Config> tuning = TRY(call.autotune(policy));
  tuned_.insert(everything);
  const Measurement<Config>& winner = tuning.winner();
  keep(call, winner.config, "autotune", winner.seconds.value_or(0), steps.decision.warnings);
  ConfigDecision decision = steps.hit(ConfigSource::Autotune, winner.config);
  decision.tuning = std::move(tuning);
  return decision;
}

std::optional<Config> GroupedConfigChain::from_disk(const Selection& call, bool tunes,
                                                    Steps& steps) const {
  const auto miss = [&](std::string why) {
    steps.missed(ConfigSource::Persistent, std::move(why));
    return std::optional<Config>();
  };
  const auto refused = [&](Diag why) {
    steps.decision.warnings.push_back(why);
    return miss(std::move(why.message));
  };
  const auto unusable = [&](const Diags& problems) {
    return refused(error(fmt::format("the cache's entry {} is not used: {}",
                                     persistent_->file(call.key), problems.front().message)));
  };
  if (!persistent_ || persistent_->folder().empty()) return miss("there is none");
  const Expected<std::optional<CacheEntry>> entry = persistent_->find(call.key);
  if (!entry) return refused(entry.diags().front());
  if (!*entry) return miss("has no entry");
  // Tuning may find a better configuration than the cached heuristics.
  if (tunes && (*entry)->source == "heuristics") return miss("has only a result of the heuristics");
  Config config;
  if (const Expected<void> read = from_json((*entry)->config, config); !read)
    return unusable(read.diags());
  if (const Expected<void> fit = call.fits ? call.fits(config) : Expected<void>(); !fit)
    return unusable(fit.diags());
  return config;
}

std::optional<Config> GroupedConfigChain::from_memory(const OperationKey& key) const {
  const std::shared_lock lock(memory_mutex_);
  const auto found = memory_.find(key.full_text());
  return found == memory_.end() ? std::nullopt : std::optional(found->second);
}

void GroupedConfigChain::remember(const OperationKey& key, const Config& config) {
  const std::unique_lock lock(memory_mutex_);
  memory_.insert_or_assign(key.full_text(), config);
}

void GroupedConfigChain::clear_memory() {
  const std::unique_lock lock(memory_mutex_);
  memory_.clear();
}

void GroupedConfigChain::keep(const Selection& call, const Config& config, const char* source,
                              double seconds, Diags& warnings) {
  remember(call.key, config);
  if (!persistent_ || persistent_->folder().empty()) return;
  collect(warnings,
          persistent_->store({call.key, to_json(config), source, seconds,
                              seconds > 0 ? call.measure : std::string("nothing was measured")}));
}

}  // namespace tessera
