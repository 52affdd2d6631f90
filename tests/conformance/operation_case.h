// Calls of ejKernel's module layer as its conformance tests make them: operands, what the reference
// gives for them, and how results are compared.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/operation/grouped_call.h"
#include "tests/conformance/grouped.h"

namespace tessera::operation {

using grouped::made;
using grouped::Sizes;
using Config = GroupedMatmulConfig;

inline Config blocks(std::int64_t m, std::int64_t k, std::int64_t n) {
  Config config;
  config.kernel.tiling = {m, k, n};
  return config;
}

// Integer operands: the reference's result is exact.
struct Example {
  Tensor lhs, rhs, sizes;
  GroupedMatmulCall call;
  GroupedConfigChain chain{std::nullopt};

  Example(std::int64_t m, std::int64_t k, std::int64_t n, const Sizes& groups,
          bool transposed = false)
      : lhs(made(DType::bf16, {m, k}, FillRole::lhs, Fill::integers, k, 1)),
        rhs(made(DType::bf16,
                 transposed ? Shape{static_cast<std::int64_t>(groups.size()), n, k}
                            : Shape{static_cast<std::int64_t>(groups.size()), k, n},
                 FillRole::rhs, Fill::integers, k, 2)),
        sizes(grouped::sizes_tensor(groups)) {
    call.transpose_rhs = transposed;
    call.interpret = true;
    call.chain = &chain;
  }
  Example(const Example&) = delete;
  GroupedMatmulOperands operands() const { return {&lhs, &rhs, &sizes}; }
  OperationKey key() const { return grouped_key(*tuning_problem(operands(), call)); }
  Expected<ConfigDecision> choose() const { return choose_config(operands(), call); }
  Expected<Tensor> run(const Tensor* existing = nullptr) const {
    return grouped_matmul(lhs, rhs, sizes, nullptr, existing, call);
  }
  Tensor expected(const Tensor* existing = nullptr,
                  ExistingOut mode = ExistingOut::Accumulate) const {
    GroupedMatmulOptions options;
    options.device = "reference";
    options.transpose_rhs = call.transpose_rhs;
    options.existing_out = existing;
    options.existing_mode = mode;
    auto result = tessera::grouped_matmul(lhs, rhs, sizes, options);
    CHECK(result);
    return *std::move(result);
  }
};

inline void expect_equal(const Expected<Tensor>& got, const Tensor& wanted) {
  ASSERT_TRUE(got) << render(got.diags());
  ASSERT_EQ(got->shape(), wanted.shape());
  for (std::int64_t i = 0; i < wanted.elements(); ++i) {
    if (got->at(i) != wanted.at(i)) FAIL() << i << ": " << got->at(i) << ", not " << wanted.at(i);
  }
}

template <typename T>
void expect_error(const Expected<T>& result, ErrorCode code, const std::string& text) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diags()[0].message, text);
  EXPECT_EQ(result.diags()[0].code, code);
}

inline Mesh mesh_of(std::vector<MeshAxis> axes) { return {std::move(axes)}; }

}  // namespace tessera::operation
