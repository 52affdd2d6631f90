#include "kernels/tuning/grouped_choice.h"

#include <utility>

#include "core/report/try.h"
#include "kernels/tuning/device_tuning.h"

namespace tessera {
namespace {

using Config = GroupedMatmulConfig;

ConfigChoice chosen_by_device(const ConfigQuestion& question) {
  ConfigQuery query = question.query;
  query.buffers = question.parts.buffers;
  return device_choice(question.problem, query);
}

Expected<std::optional<Config>> override_of(const ConfigQuestion& question) {
  const Device* const device = question.problem.device();
  if (question.given || device == nullptr) return question.given;
  const std::optional<KernelConfig> kernel =
      TRY(given_config(question.parts, *device, question.query.desc,
                       [&] { return chosen_by_device(question).config; }));
  if (!kernel) return std::optional<Config>();
  return std::optional<Config>({.platform = question.problem.platform, .kernel = *kernel});
}

// Returns the decision for a call with its own configuration.
ConfigDecision given_decision(const Selection& selection, double seconds) {
  ConfigDecision decision;
  decision.config = *selection.override_config;
  decision.source = ConfigSource::Override;
  decision.key = selection.key;
  decision.steps = {{ConfigSource::Override, "hit", seconds}};
  return decision;
}

}  // namespace

ConfigQuestion question_of(const GroupedTuningProblem& problem) {
  return {.problem = problem, .query = config_query(multiplied_desc(problem)), .is_shipped = true};
}

ConfigQuestion question_of(const Device& device, const ConfigQuery& query,
                           const DeviceOptions& options, const ConfigRequest& parts) {
  return {.problem = grouped_problem(device, query.desc, options), .query = query, .parts = parts};
}

Expected<ConfigDecision> choose_config(const ConfigQuestion& question, GroupedConfigChain* chain) {
  const Clock clock = steady_clock();
  const double begin = clock();
  const GroupedTuningProblem& problem = question.problem;
  Selection selection;
  selection.key = grouped_key(problem);
  selection.override_config = TRY(override_of(question));
  if (chain == nullptr && selection.override_config)
    return given_decision(selection, clock() - begin);
  selection.overlay = question.overlay;
  selection.policy = question.policy;
  selection.heuristics = [&] { return chosen_by_device(question); };
  selection.measure = measure_name(problem);
  selection.fits = [&](const Config& config) { return check_fit(problem, config); };
  if (question.is_shipped) {
    selection.autotune = [&](const AutotunePolicy& asked) {
      return tune_grouped(problem, asked, question.tuner);
    };
  }
  if (chain != nullptr) return chain->choose(selection);
  if (!selection.policy) selection.policy = TRY(environment_policy());
  selection.policy->keep_heuristics = false;
  GroupedConfigChain own(question.is_shipped ? std::optional(PersistentCache::of_user())
                                             : std::nullopt);
  return own.choose(selection);
}

}  // namespace tessera
