// What a certificate's text and its JSON form say alike.
#pragma once
#include <cstdint>
#include <string>

#include "cli/command.h"

namespace tessera::cli {

// ok, finding, or unsupported when nothing else was found.
Status status_of(const Certificate& certificate);

// What is proved of all schedules; of a run that one analysis decided.
std::string proved_text(const Certificate& certificate);
// 16 hexadecimal digits.
std::string hash_text(std::uint64_t hash);
// What promises about copies would make of a refuted program.
std::string promises_text(const Promises& promises);

}  // namespace tessera::cli
