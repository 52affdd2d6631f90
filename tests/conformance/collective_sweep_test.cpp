// Whole numbers are exact on every device of rings of 2 to 16, 1 to 4 of them, with shuffled ids,
// under every policy: the kernels that the tests of their own do not sweep.
#include <cstring>
#include <functional>
#include <numeric>

#include "interp/schedule/strategies.h"
#include "kernels/collective/allgather_matmul.h"
#include "kernels/collective/matmul_reduce_scatter.h"
#include "kernels/experts/ring_of_experts.h"
#include "kernels/experts/sharded_grouped_matmul.h"
#include "kernels/inputs/routing.h"
#include "tests/conformance/collective.h"

namespace tessera {
namespace {

using collective::how;
using collective::made;
using collective::mode;
using collective::Tensors;
using collective::under;

const std::vector<std::string> policies = sample_schedules(1, 3);

using Launcher = std::function<Expected<Launch>(const CollectiveOptions&)>;
using Judging = std::function<Verdict(const Launch&)>;

// The first run is judged, the others must give the same bits.
void expect_exact(const Tensor& rings, const Launcher& launch, const Judging& judge,
                  DmaOrder order = DmaOrder::unordered) {
  SCOPED_TRACE(to_string(rings.shape()) + " rings");
  std::vector<Tensor> first;
  for (const std::string& policy : policies) {
    SCOPED_TRACE(policy);
    const RunOptions run = mode(policy, order);
    const CollectiveOptions options = under(CollectiveOptions{}, run);
    const Expected<Launch> call = launch(options);
    collective::run_clean(call, options);
    if (testing::Test::HasFatalFailure()) return;
    if (first.empty()) {
      const Verdict verdict = judge(*call);
      EXPECT_TRUE(verdict.ok) << verdict.message;
      EXPECT_GT(verdict.checked_rows, 0);
    }
    for (std::size_t d = 0; d < call->devices.size(); ++d) {
      const Tensor& out = call->result(d);
      if (policy == policies[0]) {
        first.push_back(out.clone());
      } else {
        EXPECT_EQ(std::memcmp(first[d].data(), out.data(), static_cast<std::size_t>(out.bytes())),
                  0)
            << "device " << d;
      }
    }
  }
}

void on_every_ring(const std::function<void(const Tensor&)>& test) {
  for (std::int64_t length = 2; length <= 16; ++length)
    for (std::int64_t rings = 1; rings <= 4; ++rings)
      test(make_rings(rings, length, static_cast<std::uint64_t>(length * 11 + rings)));
}

template <typename Options>
Options with(const CollectiveOptions& shared) {
  Options options;
  static_cast<CollectiveOptions&>(options) = shared;
  return options;
}

TEST(CollectiveSweep, all_gather_matmul_over_the_rows) {
  on_every_ring([](const Tensor& rings) {
    const std::int64_t length = rings.dim(1), cols = 128 / std::gcd<std::int64_t>(128, length);
    const auto devices = static_cast<std::size_t>(rings.elements());
    const Tensors x = made(devices, DType::bf16, {16, 128}, FillRole::lhs, Fill::integers, 128, 1);
    const Tensors y =
        made(devices, DType::bf16, {128, cols}, FillRole::rhs, Fill::integers, 128, 2);
    expect_exact(
        rings,
        [&](const CollectiveOptions& options) {
          return launch_allgather_matmul_rows(x, y, rings, with<AllgatherRowsOptions>(options));
        },
        [&](const Launch& done) {
          CheckOptions sampled = how(Fill::integers);
          sampled.check = Check::sample;
          return check_gathered(x, y, rings, done, {0, false}, sampled);
        });
  });
}

TEST(CollectiveSweep, matmul_with_reduce_scatter) {
  on_every_ring([](const Tensor& rings) {
    const auto devices = static_cast<std::size_t>(rings.elements());
    const std::int64_t length = rings.dim(1), k = 4 * length;
    const Tensors x =
        made(devices, DType::bf16, {4 * length, 4}, FillRole::lhs, Fill::integers, k, 1);
    const Tensors y = made(devices, DType::bf16, {6, 4}, FillRole::rhs, Fill::integers, k, 2);
    expect_exact(
        rings,
        [&](const CollectiveOptions& shared) {
          auto options = with<MatmulReduceScatterOptions>(shared);
          options.bm = 2, options.bn = 6, options.bk = 4;
          return launch_matmul_reduce_scatter(x, y, rings, options);
        },
        [&](const Launch& done) {
          return check_product_scattered(x, y, rings, done, DType::f32, how(Fill::integers));
        });
  });
}

TEST(CollectiveSweep, the_literal_all_gather_matmul_when_copies_land_in_order) {
  on_every_ring([](const Tensor& rings) {
    if (rings.dim(1) % 2 != 0) return;
    const auto devices = static_cast<std::size_t>(rings.elements());
    const std::int64_t k = 4 * rings.dim(1);
    const Tensors lhs = made(devices, DType::bf16, {4, 4}, FillRole::lhs, Fill::integers, k, 1);
    const Tensors rhs = made(devices, DType::bf16, {k, 4}, FillRole::rhs, Fill::integers, k, 2);
    expect_exact(
        rings,
        [&](const CollectiveOptions& shared) {
          auto options = with<AllgatherMatmulOptions>(shared);
          options.variant = AllgatherMatmulOptions::Variant::literal;
          return launch_allgather_matmul(lhs, rhs, rings, options);
        },
        [&](const Launch& done) {
          return check_gathered(lhs, rhs, rings, done, {1, false}, how(Fill::integers));
        },
        DmaOrder::fifo);
  });
}

// One group for each place, of which every other one is empty.
Tensor alternate(std::int64_t groups) {
  Tensor sizes(DType::i32, {groups});
  for (std::int64_t g = 0; g < groups; g += 2) sizes.set(g, 2);
  return sizes;
}

TEST(CollectiveSweep, sharded_grouped_matmul) {
  on_every_ring([](const Tensor& rings) {
    const auto devices = static_cast<std::size_t>(rings.elements());
    const std::int64_t length = rings.dim(1);
    const Tensors lhs = made(static_cast<std::size_t>(rings.dim(0)), DType::bf16, {2 * length, 4},
                             FillRole::lhs, Fill::integers, 4, 1);
    const Tensors rhs = made(devices, DType::bf16, {1, 4, 4}, FillRole::rhs, Fill::integers, 4, 2);
    Tensors sizes;
    for (std::int64_t ring = 0; ring < rings.dim(0); ++ring) sizes.push_back(alternate(length));
    ShardedGroupedMatmulOptions options;
    options.scatter = length % 3 == 0;
    options.tiling = Tiling{8, 8, 8};
    expect_exact(
        rings,
        [&](const CollectiveOptions& shared) {
          static_cast<CollectiveOptions&>(options) = shared;
          return launch_sharded_grouped_matmul(lhs, rhs, sizes, rings, options);
        },
        [&](const Launch& done) {
          return check_sharded_grouped_matmul(lhs, rhs, sizes, rings, done, options,
                                              how(Fill::integers));
        });
  });
}

TEST(CollectiveSweep, expert_parallel_grouped_matmul) {
  for (std::int64_t length = 2; length <= 16; ++length) {
    const Tensor ring = make_rings(1, length);
    const auto devices = static_cast<std::size_t>(length);
    const Tensors lhs =
        made(devices, DType::bf16, {length + 1, 4}, FillRole::lhs, Fill::integers, 4, 1);
    const Tensors rhs = made(devices, DType::bf16, {1, 4, 4}, FillRole::rhs, Fill::integers, 4, 2);
    Tensors sizes;
    for (std::int64_t d = 0; d < length; ++d) sizes.push_back(alternate(length));
    ExpertParallelOptions options;
    options.tiling = Tiling{8, 8, 8};
    expect_exact(
        ring,
        [&](const CollectiveOptions& shared) {
          static_cast<CollectiveOptions&>(options) = shared;
          return launch_expert_parallel_matmul(lhs, rhs, sizes, options);
        },
        [&](const Launch& done) {
          return check_expert_parallel_matmul(lhs, rhs, sizes, done, options, how(Fill::integers));
        });
  }
}

TEST(CollectiveSweep, ring_of_experts) {
  on_every_ring([](const Tensor& rings) {
    const auto devices = static_cast<std::size_t>(rings.elements());
    const Tensors lhs = made(devices, DType::bf16, {2, 4}, FillRole::lhs, Fill::integers, 64, 1);
    const Tensors rhs = made(devices, DType::bf16, {1, 4, 4}, FillRole::rhs, Fill::integers, 64, 2);
    const Tensors weights =
        made(devices, DType::f32, {2, 2}, FillRole::existing, Fill::integers, 1, 3);
    Tensors experts;
    for (std::size_t d = 0; d < devices; ++d)
      experts.push_back(*random_experts(2, 2, rings.dim(1), d));
    RingOfExpertsOptions options;
    options.tiling = Tiling{8, 8, 8};
    expect_exact(
        rings,
        [&](const CollectiveOptions& shared) {
          static_cast<CollectiveOptions&>(options) = shared;
          return launch_ring_of_experts(lhs, rhs, experts, weights, rings, options);
        },
        [&](const Launch& done) {
          return check_ring_of_experts(lhs, rhs, experts, weights, rings, done, options,
                                       how(Fill::integers));
        });
  });
}

}  // namespace
}  // namespace tessera
