#include "tests/mutation/integer_runs.h"

#include <limits>

#include "core/data/splitmix.h"
#include "core/report/try.h"
#include "interp/run.h"

namespace tessera::fields {
namespace {

// Draws of integers; the last two are of zeros, and of integers with an infinity in each operand,
// which tells conditions that only large numbers meet.
constexpr std::size_t draws = 10, zeros = 8, infinity = 9;

// Integers up to 50 of either sign, and one of 100 or -100, which decides maxima: the first, the
// last, or any. Scales are powers of two up to 4. Each operand has others.
void fill(Tensor& tensor, std::uint64_t operand, std::size_t draw) {
  SplitMix random(operand * draws + draw);
  const bool is_scale = tensor.dtype() == DType::e8m0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double integer = static_cast<double>(random.below(101)) - 50;
    const double scale = static_cast<double>(1U << random.below(3));
    tensor.set(i, is_scale ? scale : draw == zeros ? 0 : integer);
  }
  if (is_scale || draw == zeros || tensor.elements() == 0) return;
  const double most = draw == infinity ? std::numeric_limits<double>::infinity() : 100;
  const double sign = draw % 2 == 0 ? 1 : -1;
  std::int64_t place = draw < 2 ? 0 : tensor.elements() - 1;
  if (draw >= 4)
    place = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(tensor.elements())));
  tensor.set(place, sign * most);
}

}  // namespace

Expected<RunResult> IntegerRuns::run_on(KeptRun& program, std::size_t draw) {
  std::uint64_t operand = 0;  // on each device another one
  for (auto& operands : program.operands)
    for (auto& [name, tensor] : operands) {
      const Buffer& buffer = *program.program.find_buffer(name);
      ++operand;
      if (buffer.role == Role::in && is_float(buffer.dtype)) fill(tensor, operand, draw);
    }
  RunOptions options = program.options;
  options.math = Math::library;
  options.record.results = true;
  return run(program.program, program.bindings(), options);
}

Expected<bool> IntegerRuns::end_otherwise(KeptRun& other) {
  for (std::size_t draw = 0; draw < draws; ++draw) {
    if (expected_.size() == draw) expected_.push_back(TRY(run_on(program_, draw)).results);
    const RunResult result = TRY(run_on(other, draw));
    if (!result.findings.empty() || result.results != expected_[draw]) return true;
  }
  return false;
}

}  // namespace tessera::fields
