// Random command lines of the operations, and failing ones made small. What runs them is the
// caller's.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/report/expected.h"
#include "text/invocation.h"

namespace tessera::fuzz {

// What went wrong: a word (a finding's kind, "mismatch", "error", "nondeterminism") and a sentence.
struct Failure {
  std::string kind;
  std::string message;
};
// Runs a case; none where it is right.
using Tester = std::function<std::optional<Failure>(const Invocation&)>;

// "gmm", "tgmm", "ragged-dot", "grouped-gemm".
std::span<const std::string_view> operations();
// A valid case on the interpreter, a function of (seed, index) alone: whatever goes wrong with it
// is a defect. Without an operation: gmm or tgmm.
Invocation draw(std::string_view operation, std::uint64_t seed, std::int64_t index);

// The smallest case found that fails in the same way; tries at most `attempts` others. Options are
// dropped or given a plainer value, and numbers made smaller. Same is the kind, and of an "error"
// the message too: a case that is no longer valid is an error as well.
Invocation shrink(Invocation failing, const Failure& failure, const Tester& tester, int attempts);

// Whether the case is one of a shipped kernel alone: gmm and tgmm.
bool has_program(const Invocation& a_case);
// A program that `gmm-run run` accepts: the kernel's text with the case's parameters as defaults,
// so that it can be read and edited.
Expected<std::string> as_program(const Invocation& a_case, const Failure& failure);

}  // namespace tessera::fuzz
