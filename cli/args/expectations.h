// Expected results of a run, and the allowed differences of floats: --expect, --rtol, --atol and
// --expected-in.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/options.h"
#include "cli/args/run_request.h"
#include "core/data/tensor.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "kernels/oracle/comparison.h"

namespace tessera::cli {

// How a result is compared with its expected values.
enum class Rule : std::uint8_t {
  equality,       // integers: exact
  tolerance,      // floats: --rtol and --atol
  running_bound,  // floats: the error bound that the run computes next to its values
};
std::string_view name(Rule rule);

// Result of one device, with its expected values.
struct Expectation {
  const Buffer* buffer;
  int device;
  std::string source;  // a file, or the numbers as given
  Tensor tensor;       // has the buffer's stored shape; any type of its family
  Rule rule = Rule::equality;
  Tolerance tolerance{};
  // With a running bound: the type in which the expected numbers were computed, with their own
  // rounding errors. None: they are exact except for the last rounding.
  std::optional<DType> computed_in{};
  bool by_xla_cpu = false;  // --expected-by xla-cpu
};

Options expectation_options();
// Reads the expectations, ordered by device and then by buffer; empty without --expect. Fails for
// names that are not results, for tensors that do not fit, for floats without a tolerance if the
// run computes no error bound, for tolerance options that do not apply, with --no-math, and with
// ErrorCode::unsupported for a result with unknown values. `program` must outlive the result.
Expected<std::vector<Expectation>> read_expectations(const Program& program,
                                                     const Arguments& arguments,
                                                     const RunRequest& request);

}  // namespace tessera::cli
