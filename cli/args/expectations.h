// What the results of a run should be, and how far floats may lie from it: --expect, --rtol, --atol
// and --expected-in.
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

// What says whether a result is as expected.
enum class Rule : std::uint8_t {
  equality,       // of integers
  tolerance,      // of floats: what the user says
  running_bound,  // of floats: a bound of the error that the run carries beside its values
};
std::string_view name(Rule rule);

// A result of one device with what it should be.
struct Expectation {
  const Buffer* buffer;
  int device;
  std::string source;  // a file, or the numbers as they were given
  Tensor tensor;       // of the buffer's stored shape and of its family of types
  Rule rule = Rule::equality;
  Tolerance tolerance{};
  // With a running bound: the type in which the expected numbers were computed, with roundings of
  // their own; none: they are exact but for the last one.
  std::optional<DType> computed_in{};
  bool by_xla_cpu = false;  // --expected-by xla-cpu
};

Options expectation_options();
// In the order of the devices, of each in that of the program's buffers. Errors are names that are
// no results, tensors that do not fit theirs, and floats without a tolerance where nothing bounds
// their errors. `program` must outlive the result.
Expected<std::vector<Expectation>> read_expectations(const Program& program,
                                                     const Arguments& arguments,
                                                     const RunRequest& request);

}  // namespace tessera::cli
