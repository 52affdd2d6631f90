// Promises about copies that would make a refuted program correct.
#pragma once
#include <optional>

#include "analysis/certificate/certificate.h"

namespace tessera {

// Returns the promises that are sufficient: repeats the runs and analysis with each stronger
// promise. Empty if the program is not refuted, a finding is not a race with a copy, no stronger
// promise exists or the record is too long to repeat. Fails if a repetition fails.
// certificate: result of certify(simulate, options).
Expected<std::optional<Promises>> stronger_promises(const Simulate& simulate,
                                                    const CertifyOptions& options,
                                                    const Certificate& certificate);

}  // namespace tessera
