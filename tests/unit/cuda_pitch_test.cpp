// Operands whose rows are further apart than they are long.
#include <fmt/format.h>

#include "tests/unit/cuda_emulation.h"

namespace tessera::cuda {
namespace {

// A matrix with `more` elements after each row, all bits set.
std::vector<char> spread(const Tensor& tensor, std::int64_t more) {
  const std::int64_t row = tensor.dim(tensor.rank() - 1) * size_of(tensor.dtype());
  const std::int64_t rows = tensor.bytes() / row, apart = row + more * size_of(tensor.dtype());
  std::vector<char> wide(static_cast<std::size_t>(rows * apart), static_cast<char>(0xFF));
  for (std::int64_t r = 0; r < rows; ++r)
    std::memcpy(wide.data() + r * apart, tensor.data() + r * row, static_cast<std::size_t>(row));
  return wide;
}

std::string with_pitches(const TestConfiguration& configuration, const Sizes& sizes,
                         std::uint64_t seed) {
  GroupedCase a_case(configuration, sizes, seed, Fill::integers);
  if (!a_case.problem().empty()) return a_case.problem();
  const Expected<LoweredKernel> kernel = lower(a_case.program(), a_case.hints());
  if (!kernel) return render(kernel.diags());
  std::map<BufferId, std::vector<char>> wide;
  std::map<BufferId, void*> memory;
  std::map<BufferId, std::int64_t> pitches;
  for (const BufferId b : a_case.program().buffers.ids()) {
    const Buffer& buffer = a_case.program().buffers[b];
    if (buffer.role == Role::scratch) continue;
    Tensor& tensor = a_case.tensor(buffer.name);
    memory[b] = tensor.data();
    if (tensor.rank() < 2) continue;
    const std::int64_t more = 8 * (1 + b.index);
    memory[b] = (wide[b] = spread(tensor, more)).data();
    pitches[b] = tensor.dim(tensor.rank() - 1) + more;
  }
  EmulatedKernel emulated(*kernel);
  if (!emulated.problem().empty()) return emulated.problem();
  const std::string objection = emulated.run(*kernel, memory, 2, seed, true, pitches);
  if (!objection.empty()) return objection;
  Tensor& out = a_case.tensor("out");
  const BufferId result = kernel->tensor_core()->result.buffer;
  const std::int64_t row = out.dim(out.rank() - 1) * size_of(out.dtype());
  const std::int64_t apart = pitches.at(result) * size_of(out.dtype());
  std::vector<char>& found = wide.at(result);
  for (std::int64_t r = 0; r < out.bytes() / row; ++r) {
    std::memcpy(out.data() + r * row, found.data() + r * apart, static_cast<std::size_t>(row));
    for (std::int64_t i = row; i < apart; ++i) {
      if (found[static_cast<std::size_t>(r * apart + i)] != static_cast<char>(0xFF))
        return "something was written between the rows of the result";
    }
  }
  return a_case.verdict();
}

TEST_F(CudaEmulate, rows_further_apart_than_they_are_long) {
  EXPECT_EQ(with_pitches(gmm_configuration(128, 128, 4, "bf16", "bf16", 0), ragged, 251), "");
  EXPECT_EQ(
      with_pitches(gmm_configuration(128, 128, 4, "bf16", "f32", 1).with(row_pairs), full, 252),
      "");
  EXPECT_EQ(with_pitches(tgmm_configuration(128, 128, 3, "bf16", "bf16"), ragged, 253), "");
}

TEST(CudaPitch, what_a_launch_cannot_take_is_named) {
  const auto problem = [](const TestConfiguration& configuration, const Pitches& pitches) {
    const Program program = *make_kernel(configuration.kernel, configuration.settings);
    const LoweredKernel kernel = *lower(program, configuration.hints);
    const auto found = check_pitches(program, kernel, pitches);
    return found ? "" : found.diags().front().message;
  };
  const TestConfiguration gmm = gmm_configuration(128, 128, 4, "bf16", "bf16", 0, 1);
  EXPECT_EQ(problem(gmm, {{"lhs", 208}, {"rhs", 776}, {"out", 1024}}), "");
  EXPECT_EQ(problem(gmm, {{"lhs", 192}}),
            "the rows of `lhs` of the launch of gmm are 200 elements long, and 192 apart");
  EXPECT_EQ(
      problem(gmm, {{"lhs", 204}}),
      "the rows of `lhs` of the launch of gmm are 408 bytes apart, which is not a multiple of 16");
  EXPECT_EQ(problem(gmm, {{"lsh", 1024}}),
            "the launch of gmm has a pitch for `lsh`, which is not an operand");
  for (const char* name : {"existing_out", "group_sizes"}) {
    EXPECT_EQ(problem(gmm, {{name, 1024}}),
              fmt::format("the rows of `{}` of the launch of gmm are adjacent: a pitch is only for "
                          "operands that the fast kernels copy by boxes",
                          name));
  }
}

}  // namespace
}  // namespace tessera::cuda
