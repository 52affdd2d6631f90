#include "kernels/tuning/grouped_choice.h"

namespace tessera {

Expected<Decision<GroupedMatmulConfig>> choose_once(const GroupedTuningProblem& problem,
                                                    const std::optional<GroupedMatmulConfig>& given,
                                                    bool is_shipped) {
  Expected<AutotunePolicy> policy = current_policy();
  if (!policy) return policy.diags();
  policy->keep_heuristics = false;
  const PolicyOverride here(*policy);
  Selection<GroupedMatmulConfig> selection;
  selection.key = grouped_key(problem);
  selection.override_config = given;
  selection.heuristics = [&] { return grouped_heuristic(problem); };
  selection.measure = measure_name(problem);
  selection.fits = [&](const GroupedMatmulConfig& config) { return check_fit(problem, config); };
  if (is_shipped) {
    selection.autotune = [&](const AutotunePolicy& asked) { return tune_grouped(problem, asked); };
  }
  ConfigSelectorChain<GroupedMatmulConfig> chain(
      is_shipped ? std::optional(PersistentCache::of_user()) : std::nullopt);
  return chain.choose(selection);
}

}  // namespace tessera
