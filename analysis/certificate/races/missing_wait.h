// Suggests the missing wait, as source text, for a copy that is not awaited in time. A wait is
// suggested only if an analysis of the program with the wait has neither the finding nor its
// consequences, and no new findings.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "analysis/certificate/certificate.h"
#include "core/lang/language.h"

namespace tessera {

// Analyses the same program with another source text.
using CertifyText = std::function<Expected<Certificate>(const std::string& text)>;

// Sets Finding::missing_wait for each cause for which a wait was found, and Finding::mended_with
// for other causes that this wait fixes. Tries at most 16 waits for each of the first 4 causes with
// a copy; waits with which certify_text fails are skipped.
// module: source of the program. findings: all findings of its analysis.
void suggest_waits(const Module& module, std::vector<Finding>& findings,
                   const CertifyText& certify_text);

}  // namespace tessera
