// What may choose a configuration, for the calling thread.
#pragma once  // public
#include <optional>
#include <string>

#include "core/report/expected.h"

namespace tessera {

// Rules for the chain of selection.h.
struct AutotunePolicy {
  bool allow_autotune = true;    // candidates may be measured
  bool allow_heuristics = true;  // the heuristic configuration may be used
  // Two ways to choose a configuration that no cache has.
  enum class Fallback : unsigned char { Autotune, Heuristics };
  // Which of them is used. By default nothing is measured unless it is requested.
  Fallback cache_miss_fallback = Fallback::Heuristics;
  // A key that this process tuned and that left the caches is an error.
  bool forbid_reautotune = true;
  bool validate_backward = false;  // tuning measures the gradients too
  bool keep_heuristics = true;     // heuristic configurations are cached like measured ones

  bool operator==(const AutotunePolicy&) const = default;
};

// The policy of this thread: that of its innermost PolicyOverride; else the default, with the
// fallback that $TESSERA_AUTOTUNE_POLICY names (autotune or heuristics; another value is an error).
Expected<AutotunePolicy> current_policy();

// While it lives, current_policy() of this thread is `policy`. Scopes must nest.
class PolicyOverride {
 public:
  // Begins the scope.
  explicit PolicyOverride(const AutotunePolicy& policy);
  ~PolicyOverride();
  PolicyOverride(const PolicyOverride&) = delete;
  PolicyOverride& operator=(const PolicyOverride&) = delete;
};

}  // namespace tessera
