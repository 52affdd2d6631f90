// Random command lines of the operations, and reduction of failing ones. The caller runs them.
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

// A failure: its kind (a finding's kind, "mismatch", "error", "nondeterminism") and a sentence.
struct Failure {
  std::string kind;
  std::string message;
};
// Runs a case; returns none if it is right.
using Tester = std::function<std::optional<Failure>(const Invocation&)>;

// Returns the operations that draw() accepts: "gmm", "tgmm", "ragged-dot", "grouped-gemm".
std::span<const std::string_view> operations();
// Returns a valid case for the interpreter, determined by the operation, seed and index. Every
// failure of the case is a defect. operation: one of operations(); empty: gmm or tgmm.
Invocation draw(std::string_view operation, std::uint64_t seed, std::int64_t index);

// Returns the smallest case found that fails with the same kind; tries at most `attempts` other
// cases. Options are removed or get a simpler value, and numbers are reduced. For the kind "error",
// the message must also be the same, because a case that is no longer valid is also an error.
// failure: result of the tester for `failing`, which is not tested again.
Invocation shrink(Invocation failing, const Failure& failure, const Tester& tester, int attempts);

// True if the case runs a single shipped kernel: gmm and tgmm.
bool has_program(const Invocation& a_case);
// Returns a program for `gmm-run run`, to read and edit: the text of the kernel, with the
// parameters of the case as defaults, and the case and its failure as comments. Requires
// has_program().
Expected<std::string> as_program(const Invocation& a_case, const Failure& failure);

}  // namespace tessera::fuzz
