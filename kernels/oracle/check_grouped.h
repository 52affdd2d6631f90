// Checks a grouped matmul's result against the reference: all rows, or those where mistakes are
// likely.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/oracle/reference.h"
#include "kernels/oracle/verdict.h"

namespace tessera {

// Which rows are checked. sample: the first and the last row of each group, of the result and of
// what is outside the groups, and 256 rows by seed.
enum class Check : std::uint8_t { full, sample, none };

std::optional<Check> parse_check(std::string_view text);  // by the enumerator's name
// full up to 1e11 floating-point operations, then sample.
Check default_check(double flops);

// How a result is checked.
struct CheckOptions {
  Check check = Check::full;                            // which rows
  Arithmetic::Values values = Arithmetic::Values::any;  // of the operands
  std::uint64_t seed = 0;                               // of the sampled rows
  double sum_error = 0;                                 // DeviceReport::sum_error
};

// Judges the result of grouped_matmul, of transposed_grouped_matmul, by every checked element.
Verdict check_gmm(const GroupedProblem& problem, const Tensor& out, const CheckOptions& options);
Verdict check_tgmm(const GroupedProblem& problem, const Tensor& out, const CheckOptions& options);

// The rows of a result of `rows` rows that are checked, ascending: all, or a sample with the rows
// before and behind each of `edges`.
std::vector<std::int64_t> checked_rows(std::int64_t rows, const std::vector<std::int64_t>& edges,
                                       Check check, std::uint64_t seed);

}  // namespace tessera
