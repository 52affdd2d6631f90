// Checks a grouped matmul's result against the reference: all of it, or the rows where mistakes
// live.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/oracle/reference.h"
#include "kernels/oracle/verdict.h"

namespace tessera {

// sample: the first and the last row of every group, of the result and of what lies outside the
// groups, and 256 rows by seed.
enum class Check : std::uint8_t { full, sample, none };

std::optional<Check> parse_check(std::string_view text);  // "full", "sample", "none"
// full up to 1e11 flops, then sample.
Check default_check(double flops);

struct CheckOptions {
  Check check = Check::full;
  Arithmetic::Values values = Arithmetic::Values::any;  // whole: the operands are an integer fill
  std::uint64_t seed = 0;
  double sum_error = 0;  // DeviceReport::sum_error
};

Verdict check_gmm(const GroupedProblem& problem, const Tensor& out, const CheckOptions& options);
Verdict check_tgmm(const GroupedProblem& problem, const Tensor& out, const CheckOptions& options);

// The rows that are checked, ascending: all `rows`, or a sample with the neighbours of every edge.
std::vector<std::int64_t> checked_rows(std::int64_t rows, const std::vector<std::int64_t>& edges,
                                       Check check, std::uint64_t seed);

}  // namespace tessera
