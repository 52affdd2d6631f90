// What a machine would have to promise of copies for a refuted program to be right.
#pragma once
#include <optional>

#include "analysis/certificate/certificate.h"

namespace tessera {

// Runs and analyses the program again under each. Nothing when a finding is no race with a copy,
// when no promise is left to make, or when the record is too long to do all this again.
Expected<std::optional<Promises>> stronger_promises(const Simulate& simulate,
                                                    const CertifyOptions& options,
                                                    const Certificate& certificate);

}  // namespace tessera
