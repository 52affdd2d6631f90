// Where a copy is not waited for in time: the wait that would do, in the program's own words. It is
// said only when the program with it was analysed, and the finding and all that follows from it
// were gone and nothing new was there.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "analysis/certificate/certificate.h"
#include "core/lang/language.h"

namespace tessera {

// Analyses the same problem with another text of the program.
using CertifyText = std::function<Expected<Certificate>(const std::string& text)>;

// Fills in the missing wait of each cause that has one.
void suggest_waits(const Module& module, std::vector<Finding>& findings,
                   const CertifyText& certify_text);

}  // namespace tessera
