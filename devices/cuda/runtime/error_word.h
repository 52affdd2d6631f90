// The number that a kernel leaves when it finds its operands wrong, as a sentence.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "core/report/finding.h"
#include "devices/cuda/lower/lower.h"

namespace tessera::cuda {

// 0 is nothing. Positive: rows, or steps along the contraction, that the memory does not have.
// Negative: -1 - (index * counted_operands + buffer), counts that no program can mean
// (templates/prepare.cuh). At or below first_refusal: what a statement of the program requires.
std::string error_text(const Program& program, const LoweredKernel& kernel, std::int64_t word);

// The finding that the word stands for, or none. ErrorCode::invalid_value, with its place, for what
// the program requires and the operands are not.
Expected<std::optional<Finding>> finding_of(const Program& program, const LoweredKernel& kernel,
                                            std::int64_t word);

}  // namespace tessera::cuda
