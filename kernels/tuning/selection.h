// The one chain that chooses a configuration: override, overlay, memory, persistent cache,
// autotune, heuristics. It says which of them answered, and what those before it said, to its
// caller and to the listeners of the thread. Source: ejkernel/ops/config/selection.py.
#pragma once  // public
#include <fmt/format.h>

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/tuning/config_memory.h"
#include "kernels/tuning/operation_key.h"
#include "kernels/tuning/persistent_cache.h"
#include "kernels/tuning/policy.h"
#include "kernels/tuning/selection_events.h"
#include "kernels/tuning/tuner.h"

namespace tessera {

// A chosen configuration and how it was chosen.
template <typename Cfg>
struct Decision {
  Cfg config;                                      // the configuration
  ConfigSource source = ConfigSource::Heuristics;  // the link that had it
  std::string reason;                              // of the heuristics: why this one; else empty
  OperationKey key;                                // of the call
  std::vector<SelectionStep> steps;  // the links that were tried, in order; the last is `source`
  std::optional<TuningResult<Cfg>> tuning;  // all measurements, where the source is Autotune
  Diags warnings;  // entries that could not be written, and cached ones that are not usable
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
  std::function<Expected<void>(const Cfg&)> fits;
  // A configuration, and why this one.
  struct Reasoned {
    // The reason may be left out.
    Reasoned(Cfg config, std::string reason = {})
        : config(std::move(config)), reason(std::move(reason)) {}
    Cfg config;          // the configuration
    std::string reason;  // a sentence without a full stop
  };
  // A configuration without measuring; empty: there is none.
  std::function<Reasoned()> heuristics;
};

// One choice on its way: the decision as far as it is made, told to the listeners link by link.
template <typename Cfg>
class SelectionInProgress {
 public:
  // Begins the choice for the call; the clock gives seconds.
  SelectionInProgress(const Selection<Cfg>& call, const Clock& clock)
      : clock_(clock), since_(clock()) {
    decision_.key = call.key;
  }

  // A link that takes long is asked.
  void begins(ConfigSource source) { tell(SelectionEvent::Kind::started, {source, "started", 0}); }
  // The link has no configuration.
  void passed(ConfigSource source, std::string why) {
    decision_.steps.push_back(step(source, std::move(why)));
    tell(SelectionEvent::Kind::missed, decision_.steps.back());
  }
  // The end of the choice: the decision.
  Decision<Cfg> answered(ConfigSource source, const Cfg& config) {
    decision_.steps.push_back(step(source, "hit"));
    decision_.source = source;
    decision_.config = config;
    if (SelectionListening::anyone())
      tell(SelectionEvent::Kind::hit, decision_.steps.back(), to_json(config));
    return std::move(decision_);
  }
  // The end of a choice that nobody could make.
  Diags failed(ConfigSource source, Diags diags) {
    tell(SelectionEvent::Kind::failed, step(source, diags.front().message));
    return diags;
  }
  Decision<Cfg>& decision() { return decision_; }

 private:
  SelectionStep step(ConfigSource source, std::string outcome) {
    const double now = clock_(), took = now - since_;
    since_ = now;
    return {source, std::move(outcome), took};
  }
  void tell(SelectionEvent::Kind kind, const SelectionStep& step, std::string config = {}) const {
    if (SelectionListening::anyone())
      SelectionListening::tell({kind, decision_.key, step, std::move(config)});
  }

  const Clock& clock_;
  double since_;  // when the link that is asked now was begun
  Decision<Cfg> decision_;
};

// Chooses configurations and caches them. Cfg needs to_json, from_json and describe in its
// namespace, as in config.h. Safe to use from several threads.
template <typename Cfg>
class ConfigSelectorChain {
 public:
  // Without a persistent cache nothing is kept between processes. The clock gives seconds.
  explicit ConfigSelectorChain(std::optional<PersistentCache> persistent,
                               Clock clock = steady_clock())
      : persistent_(std::move(persistent)), clock_(std::move(clock)) {}

  // The configuration of the first link that has one. Errors are those of current_policy() and of
  // tuning, a key that would be tuned again against the policy, and no configuration at all.
  Expected<Decision<Cfg>> choose(const Selection<Cfg>& call) {
    Choice choice(call, clock_);
    if (call.override_config) return choice.answered(ConfigSource::Override, *call.override_config);
    choice.passed(ConfigSource::Override, "none given");
    if (const Cfg* config = OverlayScope<Cfg>::find(call.key))
      return choice.answered(ConfigSource::Overlay, *config);
    choice.passed(ConfigSource::Overlay, "none for this key");

    const Expected<AutotunePolicy> policy = current_policy();
    if (!policy) return choice.failed(ConfigSource::Autotune, policy.diags());
    if (const std::optional<Cfg> config = memory_.find(call.key.everything()))
      return choice.answered(ConfigSource::Memory, *config);
    choice.passed(ConfigSource::Memory, "not seen yet");
    return choose_slowly(call, *policy, choice);
  }

  // Its caches.
  ConfigCache<Cfg>& memory() { return memory_; }
  const std::optional<PersistentCache>& persistent() const { return persistent_; }

 private:
  using Choice = SelectionInProgress<Cfg>;

  // One thread at a time: what a second one asks for is then in memory.
  Expected<Decision<Cfg>> choose_slowly(const Selection<Cfg>& call, const AutotunePolicy& policy,
                                        Choice& choice) {
    const std::lock_guard lock(slow_path_);
    const std::string everything = call.key.everything();
    if (const std::optional<Cfg> config = memory_.find(everything))
      return choice.answered(ConfigSource::Memory, *config);
    const bool tunes = policy.cache_miss_fallback == AutotunePolicy::Fallback::Autotune &&
                       policy.allow_autotune && call.autotune;
    if (const std::optional<Cfg> config = from_disk(call, tunes, choice)) {
      memory_.store(everything, *config);
      return choice.answered(ConfigSource::Persistent, *config);
    }
    if (tunes) return tuned(call, policy, choice);
    choice.passed(ConfigSource::Autotune, !call.autotune ? "cannot be tuned"
                                          : !policy.allow_autotune
                                              ? "the policy does not allow it"
                                              : "the policy asks the heuristics");
    if (policy.allow_heuristics && call.heuristics) {
      const auto [config, reason] = call.heuristics();
      if (policy.keep_heuristics) keep(call, config, "heuristics", 0, choice.decision().warnings);
      choice.decision().reason = reason;
      return choice.answered(ConfigSource::Heuristics, config);
    }
    return choice.failed(
        ConfigSource::Heuristics,
        {error(ErrorCode::runtime,
               "No config found: override/overlay/cache/persistent/autotune/heuristics all "
               "unavailable.")});
  }

  Expected<Decision<Cfg>> tuned(const Selection<Cfg>& call, const AutotunePolicy& policy,
                                Choice& choice) {
    const std::string everything = call.key.everything();
    if (policy.forbid_reautotune && tuned_.contains(everything))
      return choice.failed(ConfigSource::Autotune,
                           {error(ErrorCode::runtime,
                                  fmt::format("Re-autotune requested for {}", call.key.text()))});
    choice.begins(ConfigSource::Autotune);
    Expected<TuningResult<Cfg>> tuning = call.autotune(policy);
    if (!tuning) return choice.failed(ConfigSource::Autotune, tuning.diags());
    tuned_.insert(everything);
    const Measurement<Cfg>& winner = tuning->winner();
    keep(call, winner.config, "autotune", winner.seconds.value_or(0), choice.decision().warnings);
    Decision<Cfg> decision = choice.answered(ConfigSource::Autotune, winner.config);
    decision.tuning = *std::move(tuning);
    return decision;
  }

  std::optional<Cfg> from_disk(const Selection<Cfg>& call, bool tunes, Choice& choice) const {
    const OperationKey& key = call.key;
    const auto miss = [&](std::string why) {
      choice.passed(ConfigSource::Persistent, std::move(why));
      return std::optional<Cfg>();
    };
    const auto refused = [&](Diag why) {
      choice.decision().warnings.push_back(why);
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
    if (const Expected<void> read = from_json((*entry)->config, config); !read)
      return unusable(read.diags());
    if (const Expected<void> fit = call.fits ? call.fits(config) : Expected<void>(); !fit)
      return unusable(fit.diags());
    return std::optional<Cfg>(std::move(config));
  }

  void keep(const Selection<Cfg>& call, const Cfg& config, const char* source, double seconds,
            Diags& warnings) {
    memory_.store(call.key.everything(), config);
    if (!persistent_ || persistent_->folder().empty()) return;
    collect(warnings,
            persistent_->store({call.key, to_json(config), source, seconds,
                                seconds > 0 ? call.measure : std::string("nothing was measured")}));
  }

  ConfigCache<Cfg> memory_;
  std::optional<PersistentCache> persistent_;
  Clock clock_;
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
