// Words of one random case of `verify --cases`.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "core/report/expected.h"
#include "fuzz/choices.h"

namespace tessera::cli {

// Returns `given` with random values for the sizes, tables and device counts that it leaves open.
// The case may violate a `require`, the operation or the profile: this function, or the command
// with these words, then fails, and the caller draws again. Also fails if a program cannot be
// opened. given: the words of the command without --cases, --seed and --json; arguments: the same,
// parsed.
Expected<std::vector<std::string>> draw_case_words(const std::vector<std::string>& given,
                                                   const Arguments& arguments,
                                                   fuzz::Choices& choices);

}  // namespace tessera::cli
