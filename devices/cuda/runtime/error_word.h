// Decodes the error word that a kernel writes if its operands are invalid.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "core/report/finding.h"
#include "devices/cuda/lower/lower.h"

namespace tessera::cuda {

// Returns the message for an error word. 0: no error, empty. Positive: the number of rows, or of
// steps along the contraction, that exceeds the memory. Negative: -1 - (index * counted_operands +
// buffer) for invalid counts (templates/prepare.cuh). first_refusal and below: a violated `require`
// statement of the program.
std::string error_text(const Program& program, const LoweredKernel& kernel, std::int64_t word);

// Returns the finding (out_of_bounds) for an error word; nullopt for 0. Fails with
// ErrorCode::invalid_value, and the place of the statement, if a requirement of the program is
// violated.
Expected<std::optional<Finding>> finding_of(const Program& program, const LoweredKernel& kernel,
                                            std::int64_t word);

}  // namespace tessera::cuda
