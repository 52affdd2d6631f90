// Texts that the text and the JSON report on a certificate share.
#pragma once
#include <cstdint>
#include <string>

#include "cli/command.h"

namespace tessera::cli {

// Status by the findings; without findings, by the end of the run (cli/reports/report.h).
Status status_of(const Certificate& certificate);

// The statement that is proved for all schedules, for a program that one run decided.
std::string proved_text(const Certificate& certificate);
// 16 hexadecimal digits.
std::string hash_text(std::uint64_t hash);
// Promises about copies under which a refuted program would be proved.
std::string promises_text(const Promises& promises);

}  // namespace tessera::cli
