#include "kernels/tuning/policy.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

std::vector<AutotunePolicy>& policies() {
  thread_local std::vector<AutotunePolicy> stack;
  return stack;
}

}  // namespace

Expected<AutotunePolicy> current_policy() {
  if (!policies().empty()) return policies().back();
  AutotunePolicy policy;
  const char* const given = std::getenv("TESSERA_AUTOTUNE_POLICY");
  const std::string_view word = given == nullptr ? "" : given;
  if (word == "autotune") policy.cache_miss_fallback = AutotunePolicy::Fallback::Autotune;
  if (word.empty() || word == "autotune" || word == "heuristics") return policy;
  return error(fmt::format("TESSERA_AUTOTUNE_POLICY is autotune or heuristics, not '{}'", word));
}

PolicyOverride::PolicyOverride(const AutotunePolicy& policy) { policies().push_back(policy); }
PolicyOverride::~PolicyOverride() { policies().pop_back(); }

}  // namespace tessera
