// Factors of grid dimensions in window positions, and sums of factors that would overflow.
#include "analysis/certificate/points/grid_terms.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/language_support.h"

namespace tessera {
namespace {

// Returns the factors of i and j in the position of a window; empty if there are none.
std::vector<std::int64_t> factors(const std::string& position) {
  const Expected<Program> program = test::program(
      "kernel k()\n  in a: f32[64] hbm\n  out o: f32[1] hbm\n{\n"
      "  pipeline i in 2, j in 2 {\n    window x = a[" +
      position + " +: 1]\n    window y = o[:]\n    y = x\n  }\n}\n");
  if (!program) ADD_FAILURE() << test::messages(program.diags());
  if (!program) return {};
  StmtId pipeline;
  std::vector<ValueId> dims;
  for (const StmtId s : program->body.ids()) {
    const Stmt& statement = program->body[s];
    if (std::holds_alternative<Pipeline>(statement.op)) pipeline = s;
    if (std::holds_alternative<Grid>(statement.op)) dims.push_back(statement.result);
    const auto* window = std::get_if<Window>(&statement.op);
    if (window == nullptr) continue;
    const std::optional<GridTerms> terms = grid_terms(*program, pipeline, window->source.start[0]);
    if (!terms) return {};
    std::vector<std::int64_t> found;
    for (const ValueId dim : dims) found.push_back(terms->contains(dim) ? terms->at(dim) : 0);
    return found;
  }
  return {};
}

TEST(GridTerms, are_sums_of_multiples) {
  EXPECT_EQ(factors("i * 8 + j * 4 - i * 2"), (std::vector<std::int64_t>{6, 4}));
  EXPECT_EQ(factors("(i - j) * 3 + 7"), (std::vector<std::int64_t>{3, -3}));
  EXPECT_EQ(factors("i * j"), std::vector<std::int64_t>{});
}

TEST(GridTerms, are_none_if_a_factor_may_overflow) {
  const std::string large = "i * 2147483648 * 1073741824";  // 2^61
  EXPECT_EQ(factors(large), (std::vector<std::int64_t>{std::int64_t{1} << 61, 0}));
  EXPECT_EQ(factors(large + " + " + large), std::vector<std::int64_t>{});
  EXPECT_EQ(factors("i * 2147483648 * 2147483648 + i * 2147483648 * 2147483648"),
            std::vector<std::int64_t>{});
}

}  // namespace
}  // namespace tessera
