// Checks the result of a grouped matmul against the reference, in all rows or in a sample.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/oracle/reference.h"
#include "kernels/oracle/verdict.h"

namespace tessera {

// Rows to check. sample: the first and the last row of each group, of the result and of the rows
// outside the groups, and 256 random rows. Results with at most 256 rows are checked fully.
enum class Check : std::uint8_t { full, sample, none };

// Parses an enumerator's name; none for other texts.
std::optional<Check> parse_check(std::string_view text);
// Returns full for at most 1e11 floating-point operations, otherwise sample.
Check default_check(double flops);

// Options of a check.
struct CheckOptions {
  Check check = Check::full;                            // rows to check
  Arithmetic::Values values = Arithmetic::Values::any;  // of the operands
  std::uint64_t seed = 0;                               // for the sampled rows
  double sum_error = 0;                                 // DeviceReport::sum_error
};

// Compare every element of a result's checked rows with the reference. The verdict is not ok if
// `out` has a wrong shape or no data. The problem must be valid (gmm_problem(), tgmm_problem()); it
// is not checked.
Verdict check_gmm(const GroupedProblem& problem, const Tensor& out, const CheckOptions& options);
Verdict check_tgmm(const GroupedProblem& problem, const Tensor& out, const CheckOptions& options);

// Returns the rows to check, ascending, of a result with `rows` rows: all, none, or a sample as
// described at Check. edges: rows at which a part of the result begins or ends; the sample has the
// rows before and after them. seed: of the random rows.
std::vector<std::int64_t> checked_rows(std::int64_t rows, const std::vector<std::int64_t>& edges,
                                       Check check, std::uint64_t seed);

}  // namespace tessera
