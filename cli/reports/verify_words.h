// Texts that the text and the JSON report on a certificate share.
#pragma once
#include <cstdint>
#include <string>

#include "cli/command.h"

namespace tessera::cli {

// Returns the status by the findings; without findings, by the end of the run (report.h).
Status status_of(const Certificate& certificate);

// Returns the statement that is proved for all schedules. Requires the verdict proved, decided by
// one run.
std::string proved_text(const Certificate& certificate);
// Returns the hash as 16 hexadecimal digits.
std::string hash_text(std::uint64_t hash);
// Returns the weakest promises about copies under which a refuted program would be proved, as text;
// "none helps ..." if there are none.
std::string promises_text(const Promises& promises);

}  // namespace tessera::cli
