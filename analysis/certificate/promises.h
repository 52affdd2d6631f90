// Promises about copies that would make a refuted program correct.
#pragma once
#include <optional>

#include "analysis/certificate/certificate.h"

namespace tessera {

// Repeats the run and analysis with each stronger promise. Empty if the program is not refuted, a
// finding is not a race with a copy, no stronger promise exists or the record is too long to
// repeat.
Expected<std::optional<Promises>> stronger_promises(const Simulate& simulate,
                                                    const CertifyOptions& options,
                                                    const Certificate& certificate);

}  // namespace tessera
