// The words of one random case of `verify`: what the command line leaves open, drawn. A draw need
// not be one that the program's `require`s, the operation or the profile allow; then the next one
// is tried.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "core/report/expected.h"
#include "fuzz/choices.h"

namespace tessera::cli {

// `given` are the words of the command without --cases, --seed and the like.
Expected<std::vector<std::string>> draw_case_words(const std::vector<std::string>& given,
                                                   const Arguments& arguments,
                                                   fuzz::Choices& choices);

}  // namespace tessera::cli
