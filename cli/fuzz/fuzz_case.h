// What the fuzzer tries: a problem and how it is run, drawn from (seed, index) alone.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/args/problem.h"
#include "interp/run.h"

namespace tessera::cli {

struct FuzzCase {
  Problem problem;
  std::string schedule = "eager";
  Landing landing = Landing::whole;
  DmaOrder dma_order = DmaOrder::unordered;
  Math math = Math::library;
};

// A valid case: whatever goes wrong with it is a defect. `only`: of this operation.
FuzzCase draw_case(std::uint64_t seed, std::int64_t index, std::optional<Operation> only);
// The words after "gmm-run" that run the case.
std::vector<std::string> to_words(const FuzzCase& a_case);

// What went wrong: a word (a finding's kind, "mismatch", "error", "nondeterminism") and a sentence.
struct Failure {
  std::string kind;
  std::string message;
};
// Runs the case on the interpreter and compares with the reference.
std::optional<Failure> try_case(const FuzzCase& a_case);

using Tester = std::function<std::optional<Failure>(const FuzzCase&)>;
// The smallest case found that fails in the same way; tries at most `attempts` others.
FuzzCase shrink(FuzzCase failing, const Failure& failure, const Tester& tester, int attempts);

// A program that `gmm-run run` accepts: the kernel's text with the case's parameters as defaults.
Expected<std::string> as_program(const FuzzCase& a_case, const Failure& failure);

}  // namespace tessera::cli
