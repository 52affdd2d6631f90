// What may decide a configuration, for the calling thread.
#pragma once  // public
#include <optional>
#include <string>

#include "core/report/expected.h"

namespace tessera {

struct AutotunePolicy {
  bool allow_autotune = true;
  bool allow_heuristics = true;
  enum class Fallback : unsigned char { Autotune, Heuristics };
  // What answers when no cache does. Nobody is tuned for unasked: the default is Heuristics.
  Fallback cache_miss_fallback = Fallback::Heuristics;
  bool forbid_reautotune = true;   // a key that was tuned and then lost is an error
  bool validate_backward = false;  // tuning times the gradients too
  bool keep_heuristics = true;     // what the heuristics say is cached like what tuning finds

  bool operator==(const AutotunePolicy&) const = default;
};

// The innermost PolicyOverride of this thread; without one what $TESSERA_AUTOTUNE_POLICY says
// (autotune or heuristics; another value is an error), else the default.
Expected<AutotunePolicy> current_policy();

// While it lives, `policy` holds in this thread. Scopes end in the reverse order of their
// beginning.
class PolicyOverride {
 public:
  explicit PolicyOverride(const AutotunePolicy& policy);
  ~PolicyOverride();
  PolicyOverride(const PolicyOverride&) = delete;
  PolicyOverride& operator=(const PolicyOverride&) = delete;
};

}  // namespace tessera
