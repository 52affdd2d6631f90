// Cases of the operations whose options are drawn as words: what is tried is the command itself.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/fuzz/fuzz_case.h"

namespace tessera::cli {

struct WordCase {
  std::string command;
  std::vector<std::pair<std::string, std::string>> options;  // name and value; "" for a switch
};

// "ragged-dot", "grouped-gemm".
std::vector<std::string_view> word_operations();
// A valid case: whatever goes wrong with it is a defect.
WordCase draw_words(std::string_view operation, std::uint64_t seed, std::int64_t index);
// The words after "gmm-run" that run the case.
std::vector<std::string> to_words(const WordCase& a_case);
// Runs the command, which judges its result; bad input is a failure too.
std::optional<Failure> try_words(const WordCase& a_case);

using WordTester = std::function<std::optional<Failure>(const WordCase&)>;
// Drops options and makes numbers smaller while the case fails in the same way.
WordCase shrink_words(WordCase failing, const Failure& failure, const WordTester& tester,
                      int attempts);

}  // namespace tessera::cli
