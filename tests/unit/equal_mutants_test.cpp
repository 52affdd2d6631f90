// Value mutants of kernels that are shipped: each that runs to its end is told different, or equal,
// and runs on integers, whose results are exact, agree with that.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/lang/language.h"
#include "interp/field/equality.h"
#include "interp/field/value_mutants.h"
#include "interp/run.h"
#include "kernels/programs/kernels.h"
#include "tests/unit/interp_kernel.h"

namespace tessera {
namespace {

using fields::Outcome;
using fields::ValueMutant;

struct Case {
  std::string kernel;
  Settings settings;
  std::vector<std::int64_t> group_sizes;
};

KeptRun kept(const Program& program, const std::vector<std::int64_t>& group_sizes) {
  testing::Operands operands(program, 1);
  for (std::size_t i = 0; i < group_sizes.size(); ++i)
    operands.of(0, "group_sizes")
        .set(static_cast<std::int64_t>(i), static_cast<double>(group_sizes[i]));
  LaunchScope scope;
  CHECK(run(program, operands.bindings(), RunOptions{}));
  return *scope.take();
}

// The first result of a run on integers, some small numbers that tell elements apart.
std::vector<double> results(const KeptRun& kept, std::int64_t factor) {
  KeptRun run_of = KeptRun{kept.program, {}, kept.options};
  run_of.operands.emplace_back();
  for (const auto& [name, tensor] : kept.operands.front()) {
    Tensor own = tensor.clone();
    const Buffer& buffer = *kept.program.find_buffer(name);
    for (std::int64_t i = 0;
         buffer.role == Role::in && is_float(buffer.dtype) && i < own.elements(); ++i)
      own.set(i, static_cast<double>((i * factor + i / 7) % 11 - 5));
    run_of.operands.back().emplace(name, std::move(own));
  }
  CHECK(run(run_of.program, run_of.bindings(), RunOptions{}));
  const Tensor& out = run_of.operands.front().find("out")->second;
  std::vector<double> values;
  for (std::int64_t i = 0; i < out.elements(); ++i) values.push_back(out.at(i));
  return values;
}

void expect_all_decided(const Case& c) {
  const auto program = make_kernel(c.kernel, c.settings);
  ASSERT_TRUE(program);
  const auto expanded = expand(*program);
  ASSERT_TRUE(expanded);
  std::map<std::string, int> counts;
  for (const ValueMutant& mutant : fields::value_mutants(*expanded)) {
    const Program changed = fields::mutated(*expanded, mutant);
    KeptRun a = kept(*expanded, c.group_sizes), b = kept(changed, c.group_sizes);
    const auto equality = fields::compare(a, b, 7);
    ASSERT_TRUE(equality) << render(equality.diags());
    const std::string what =
        fmt::format("{}: {} at statement {}, field {}, dimension {}", c.kernel,
                    name(mutant.mutation), mutant.statement.index, mutant.field, mutant.dimension);
    if (equality->outcome == Outcome::not_shown) {
      EXPECT_FALSE(equality->findings.empty() && !equality->refusal) << what << equality->reason;
      ++counts["stopped"];
      continue;
    }
    const bool is_equal = equality->outcome == Outcome::equal;
    bool agree = true;
    for (const std::int64_t factor : {3, 5, 8})
      agree = agree && results(a, factor) == results(b, factor);
    EXPECT_EQ(is_equal, agree) << what;
    ++counts[is_equal ? "equal" : "different"];
  }
  fmt::print("{}: {} different, {} equal, {} stopped\n", c.kernel, counts["different"],
             counts["equal"], counts["stopped"]);
  EXPECT_GT(counts["different"], 0);
}

TEST(EqualMutants, OfGroupedProductsAreAllDecided) {
  for (const char* tile : {"8", "4", "16"})
    expect_all_decided({"gmm",
                        {{"T", "f32"},
                         {"U", "f32"},
                         {"m", "14"},
                         {"k", "16"},
                         {"n", "16"},
                         {"groups", "3"},
                         {"tm", tile},
                         {"tk", "8"},
                         {"tn", tile}},
                        {5, 0, 9}});
  expect_all_decided({"gmm",
                      {{"T", "f32"},
                       {"U", "f32"},
                       {"m", "14"},
                       {"k", "16"},
                       {"n", "16"},
                       {"groups", "3"},
                       {"existing", "1"},
                       {"tm", "8"},
                       {"tk", "8"},
                       {"tn", "8"}},
                      {5, 0, 9}});
}

TEST(EqualMutants, OfAProductWithBiasAreAllDecided) {
  expect_all_decided({"grouped_gemm",
                      {{"T", "f32"},
                       {"R", "f32"},
                       {"U", "f32"},
                       {"B", "f32"},
                       {"m", "14"},
                       {"k", "16"},
                       {"n", "16"},
                       {"groups", "3"},
                       {"biased", "1"},
                       {"tm", "8"},
                       {"tk", "8"},
                       {"tn", "8"}},
                      {5, 0, 9}});
}

}  // namespace
}  // namespace tessera
