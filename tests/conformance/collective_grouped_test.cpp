// Grouped matmuls whose groups are shared by devices (collective conformance case 19).
#include <numeric>

#include "interp/schedule/strategies.h"
#include "kernels/experts/sharded_grouped_matmul.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/inputs/group_sizes.h"
#include "kernels/inputs/routing.h"
#include "kernels/oracle/check_grouped.h"
#include "tests/conformance/collective.h"

namespace tessera {
namespace {

using collective::every_mode;
using collective::how;
using collective::inner;
using collective::made;
using collective::mode;
using collective::Tensors;
using collective::under;
using Sizes = std::vector<std::int64_t>;

Tensor tensor_of(const Sizes& sizes) {
  Tensor tensor(DType::i32, {static_cast<std::int64_t>(sizes.size())});
  for (std::size_t g = 0; g < sizes.size(); ++g)
    tensor.as<std::int32_t>()[g] = static_cast<std::int32_t>(sizes[g]);
  return tensor;
}

// Sizes of 12 groups for 24 rows: drawn, half of them empty, the first shard empty, all rows on the
// last shard, no rows at all.
std::vector<Sizes> every_kind_of_sizes(std::uint64_t seed) {
  std::vector<Sizes> all;
  for (const char* kind : {"multinomial", "empty:50", "zipf:1.5"})
    all.push_back(*generate_group_sizes(kind, 12, 24, seed));
  Sizes no_first = {0, 0, 0, 0, 0, 0, 7, 0, 1, 5, 11, 0};
  Sizes on_last = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24};
  all.push_back(no_first);
  all.push_back(on_last);
  all.emplace_back(12, 0);
  return all;
}

struct Sharded {
  std::int64_t m = 24, k = 12, n = 10, groups = 12;
  Tensor rings = make_rings(1, 4);
  DType type = DType::f32;
  Fill fill = Fill::integers;
  Sizes sizes;
  ShardedGroupedMatmulOptions options;
  std::int64_t seed = 1;

  std::int64_t local_groups() const { return groups / rings.dim(1); }
  Tensors lhs() const {
    return made(static_cast<std::size_t>(rings.dim(0)), type, {m, k}, FillRole::lhs, fill, k, 1);
  }
  Tensors rhs() const {
    return made(static_cast<std::size_t>(rings.elements()), type,
                options.transpose_rhs ? Shape{local_groups(), n, k} : Shape{local_groups(), k, n},
                FillRole::rhs, fill, k, 2);
  }
  Tensors all_sizes() const {
    Tensors all;
    for (std::int64_t r = 0; r < rings.dim(0); ++r) {
      Sizes own = sizes;  // another order on every ring
      std::rotate(own.begin(), own.begin() + r, own.end());
      all.push_back(tensor_of(own));
    }
    return all;
  }
};

void expect_sharded(const Sharded& c, const RunOptions& run) {
  SCOPED_TRACE(to_string(c.rings.shape()) + " rings, " + collective::text(run));
  const Tensors lhs = c.lhs(), rhs = c.rhs(), sizes = c.all_sizes();
  const auto options = under(c.options, run);
  const auto launch = launch_sharded_grouped_matmul(lhs, rhs, sizes, c.rings, options);
  collective::run_clean(launch, options);
  if (testing::Test::HasFatalFailure()) return;
  const Verdict verdict =
      check_sharded_grouped_matmul(lhs, rhs, sizes, c.rings, *launch, options, how(c.fill));
  EXPECT_TRUE(verdict.ok) << verdict.message;
  EXPECT_EQ(verdict.checked_rows, c.m * c.rings.dim(0) * (c.options.scatter ? 1 : c.rings.dim(1)));
}

TEST(CollectiveGrouped, case_19_shards_give_the_whole_for_all_kinds_of_sizes) {
  for (const std::int64_t length : {1, 2, 3, 4, 6})
    for (const Sizes& sizes : every_kind_of_sizes(static_cast<std::uint64_t>(length)))
      for (const bool scatter : {false, true})
        for (const DType type : {DType::f32, DType::bf16})
          for (const Fill fill : {Fill::integers, Fill::normal}) {
            Sharded c;
            c.rings = make_rings(2, length, static_cast<std::uint64_t>(length + 1));
            c.sizes = sizes;
            c.type = type;
            c.fill = fill;
            c.options.scatter = scatter;
            c.options.transpose_rhs = type == DType::bf16;
            c.options.tiling = Tiling{8, 8, 8};
            expect_sharded(c, mode("random:1", DmaOrder::unordered, CopyGranularity::partial));
          }
}

TEST(CollectiveGrouped, case_19_shards_in_every_mode_and_in_an_order_of_their_own) {
  for (const RunOptions& run : every_mode()) {
    Sharded c;
    c.sizes = every_kind_of_sizes(5)[1];
    c.options.group_offset = {6, 0, 9, 3};
    expect_sharded(c, run);
  }
  Sharded half;  // nobody holds groups 3 .. 6 and 9 .. 12: their rows are zero
  half.sizes = every_kind_of_sizes(5)[0];
  half.rings = make_rings(1, 2);
  half.groups = 6;
  half.options.group_offset = {6, 0};
  expect_sharded(half, mode("lifo"));
}

TEST(CollectiveGrouped, shards_that_do_not_fit_are_refused_by_name) {
  Sharded c;
  c.sizes = Sizes(12, 2);
  const Tensors lhs = c.lhs(), rhs = c.rhs(), sizes = c.all_sizes();
  const auto refused = [&](const ShardedGroupedMatmulOptions& options, const Tensors& given) {
    const auto launch = launch_sharded_grouped_matmul(lhs, rhs, given, c.rings, options);
    return launch ? std::string("taken") : launch.diags()[0].message;
  };
  EXPECT_EQ(refused({}, sizes), "taken");
  ShardedGroupedMatmulOptions options;
  options.group_offset = {0, 3, 5, 9};
  EXPECT_EQ(refused(options, sizes), "the shards of places 1 and 2 both hold group 5");
  options.group_offset = {0, 3, 6, 10};
  EXPECT_EQ(refused(options, sizes),
            "group_offset 10 and 3 of rhs's groups exceed the 12 groups of group_sizes");
  options.group_offset = {0, 3};
  EXPECT_EQ(refused(options, sizes), "group_offset has 2 entries, and a ring has 4 places");
  Tensors many;
  many.push_back(tensor_of(Sizes(12, 3)));
  EXPECT_EQ(refused({}, many), "the group sizes up to group 8 sum to more than m = 24");
  Sharded odd;
  odd.m = 26;
  odd.sizes = c.sizes;
  const Tensors rows = odd.lhs();
  options = {};
  options.scatter = true;
  const auto launch = launch_sharded_grouped_matmul(rows, rhs, sizes, c.rings, options);
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.diags()[0].message,
            "the 26 rows of lhs cannot be divided into a block for each of 4 places");
}

struct Parallel {
  std::int64_t rows = 24, k = 12, n = 10, groups = 12;
  std::size_t devices = 4;
  DType type = DType::f32;
  Fill fill = Fill::integers;
  std::vector<Sizes> sizes;  // of each device
  ExpertParallelOptions options;

  Tensors lhs() const { return made(devices, type, {rows, k}, FillRole::lhs, fill, k, 1); }
  Tensors rhs() const {
    const std::int64_t experts = groups / static_cast<std::int64_t>(devices);
    return made(devices, type, options.transpose_rhs ? Shape{experts, n, k} : Shape{experts, k, n},
                FillRole::rhs, fill, k, 2);
  }
  Tensors all_sizes() const {
    Tensors all;
    for (const Sizes& own : sizes) all.push_back(tensor_of(own));
    return all;
  }
};

void expect_parallel(const Parallel& c, const Tensors& lhs, const RunOptions& run) {
  SCOPED_TRACE(std::to_string(c.devices) + " devices, " + collective::text(run));
  const Tensors rhs = c.rhs(), sizes = c.all_sizes();
  const auto options = under(c.options, run);
  const auto launch = launch_expert_parallel_matmul(lhs, rhs, sizes, options);
  collective::run_clean(launch, options);
  if (testing::Test::HasFatalFailure()) return;
  const Verdict verdict =
      check_expert_parallel_matmul(lhs, rhs, sizes, *launch, options, how(c.fill));
  EXPECT_TRUE(verdict.ok) << verdict.message;
  EXPECT_EQ(verdict.checked_rows, c.rows * static_cast<std::int64_t>(c.devices));
}

TEST(CollectiveGrouped, case_19_rows_go_to_their_experts_and_back_for_all_kinds_of_sizes) {
  for (const std::size_t devices : {1U, 2U, 3U, 4U, 6U})
    for (std::size_t kind = 0; kind < 6; ++kind)
      for (const DType type : {DType::f32, DType::bf16})
        for (const Fill fill : {Fill::integers, Fill::normal}) {
          Parallel c;
          c.devices = devices;
          // Device 1 has sizes of the next kind, so that some send nothing and some everything.
          for (std::size_t d = 0; d < devices; ++d)
            c.sizes.push_back(every_kind_of_sizes(d + 1)[(kind + d % 2) % 6]);
          c.type = type;
          c.fill = fill;
          c.options.transpose_rhs = type == DType::bf16;
          c.options.tiling = Tiling{8, 8, 8};
          expect_parallel(c, c.lhs(),
                          mode("random:1", DmaOrder::unordered, CopyGranularity::partial));
        }
}

TEST(CollectiveGrouped, case_19_expert_parallel_in_every_mode_three_calls_one_slow_device) {
  Parallel c;
  for (std::size_t d = 0; d < c.devices; ++d) c.sizes.push_back(every_kind_of_sizes(d)[1]);
  for (const RunOptions& run : every_mode()) expect_parallel(c, c.lhs(), run);
  c.options.calls = 3;
  for (const std::string& schedule : sample_schedules(1, 3))
    expect_parallel(c, c.lhs(), mode(schedule, DmaOrder::unordered, CopyGranularity::whole, 2));
}

// Tokens go to their top_k experts, whose results are weighted and summed: as token by token.
TEST(CollectiveGrouped, case_19_top_k_of_1_2_and_8) {
  for (const std::int64_t top_k : {1, 2, 8}) {
    Parallel c;
    const std::int64_t tokens = 9;
    c.groups = 8;
    c.rows = tokens * top_k;
    const Tensors all = made(c.devices, c.type, {tokens, c.k}, FillRole::lhs, c.fill, c.k, 3);
    std::vector<Routing> routes;
    std::vector<Tensor> chosen;
    Tensors lhs, weights;
    for (std::size_t d = 0; d < c.devices; ++d) {
      chosen.push_back(*random_experts(tokens, top_k, c.groups, d + 1));
      routes.push_back(*route(chosen[d], c.groups));
      lhs.push_back(*routed_rows(all[d], routes[d]));
      Sizes own;
      for (std::int64_t g = 0; g < c.groups; ++g)
        own.push_back(static_cast<std::int64_t>(routes[d].group_sizes.at(g)));
      EXPECT_EQ(std::accumulate(own.begin(), own.end(), std::int64_t{0}), c.rows);
      c.sizes.push_back(own);
      weights.emplace_back(DType::f32, Shape{tokens, top_k});
      for (std::int64_t i = 0; i < weights[d].elements(); ++i)
        weights[d].set(i, 1 + static_cast<double>(i % 3));
    }
    expect_parallel(c, lhs, mode("lifo"));
    const RunOptions run = mode("random:2");
    const auto out = expert_parallel_matmul(lhs, c.rhs(), c.all_sizes(), under(c.options, run));
    ASSERT_TRUE(out) << collective::text(out.diags());
    const Tensors rhs = c.rhs();
    for (std::size_t d = 0; d < c.devices; ++d) {
      const Tensor sum = *weighted_tokens((*out)[d], routes[d], weights[d]);
      for (std::int64_t t = 0; t < tokens; ++t)
        for (std::int64_t j = 0; j < c.n; ++j) {
          double expected = 0;
          for (std::int64_t choice = 0; choice < top_k; ++choice) {
            const auto g = static_cast<std::int64_t>(chosen[d].at(t * top_k + choice));
            const Tensor& shard = rhs[static_cast<std::size_t>(g / 2)];
            for (std::int64_t i = 0; i < c.k; ++i)
              expected += weights[d].at(t * top_k + choice) * all[d].at(t * c.k + i) *
                          shard.at((g % 2 * c.k + i) * c.n + j);
          }
          ASSERT_EQ(sum.at(t * c.n + j), expected) << "token " << t << " of device " << d;
        }
    }
  }
}

TEST(CollectiveGrouped, a_route_names_tokens_whose_expert_is_none) {
  Tensor experts(DType::i32, {2, 2});
  experts.set(3, 5);
  const auto refused = route(experts, 4);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diags()[0].message, "token 1 goes to expert 5, and there are 4");
}

TEST(CollectiveGrouped, a_device_that_receives_more_than_its_capacity_is_named) {
  Parallel c;
  c.sizes.assign(4, Sizes{2, 2, 2, 2, 2, 2, 2, 2, 2, 6, 0, 0});
  c.options.capacity = 23;
  const auto launch = launch_expert_parallel_matmul(c.lhs(), c.rhs(), c.all_sizes(), c.options);
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.diags()[0].message, "device 0 receives 24 rows, more than its capacity of 23");
  c.options.capacity = 24;
  expect_parallel(c, c.lhs(), mode("eager"));
}

// The operation is linear in each operand, so <c, f(l, r)> = <dl, l> = <dr, r> for every l and r:
// exactly, in whole numbers.
TEST(CollectiveGrouped, case_19_gradients_of_the_shards_are_the_adjoint) {
  const RunOptions run = mode("random:1");
  for (const bool scatter : {false, true})
    for (const bool transpose : {false, true})
      for (const Sizes& sizes : every_kind_of_sizes(3)) {
        Sharded c;
        c.rings = make_rings(2, 3, 2);
        c.sizes = sizes;
        c.options.scatter = scatter;
        c.options.transpose_rhs = transpose;
        c.options.tiling = Tiling{8, 4, 8};
        const Tensors lhs = c.lhs(), rhs = c.rhs(), all = c.all_sizes();
        const auto options = under(c.options, run);
        const Shape shape = {scatter ? c.m / 3 : c.m, c.n};
        const Tensors cotangent =
            made(6, DType::f32, shape, FillRole::existing, Fill::integers, 1, 9);
        const auto out = sharded_grouped_matmul(lhs, rhs, all, c.rings, options);
        const auto gradients =
            sharded_grouped_matmul_vjp(cotangent, lhs, rhs, all, c.rings, options);
        ASSERT_TRUE(out && gradients) << collective::text(gradients.diags());
        EXPECT_EQ(inner(cotangent, *out), inner(gradients->lhs, lhs));
        EXPECT_EQ(inner(cotangent, *out), inner(gradients->rhs, rhs));
        EXPECT_TRUE(sizes[6] == 0 || inner(cotangent, *out) != 0);
      }
}

TEST(CollectiveGrouped, case_19_gradients_of_expert_parallel_rows_are_the_adjoint) {
  const RunOptions run = mode("random:1");
  for (const bool transpose : {false, true})
    for (std::size_t kind = 0; kind < 6; ++kind) {
      Parallel c;
      c.devices = 3;
      for (std::size_t d = 0; d < 3; ++d) c.sizes.push_back(every_kind_of_sizes(d)[(kind + d) % 6]);
      c.options.transpose_rhs = transpose;
      c.options.tiling = Tiling{8, 4, 8};
      const Tensors lhs = c.lhs(), rhs = c.rhs(), sizes = c.all_sizes();
      const auto options = under(c.options, run);
      const Tensors cotangent =
          made(3, DType::f32, {c.rows, c.n}, FillRole::existing, Fill::integers, 1, 9);
      const auto out = expert_parallel_matmul(lhs, rhs, sizes, options);
      const auto gradients = expert_parallel_matmul_vjp(cotangent, lhs, rhs, sizes, options);
      ASSERT_TRUE(out && gradients) << collective::text(gradients.diags());
      EXPECT_EQ(inner(cotangent, *out), inner(gradients->lhs, lhs));
      EXPECT_EQ(inner(cotangent, *out), inner(gradients->rhs, rhs));
      EXPECT_NE(inner(cotangent, *out), 0);
    }
}

// In bf16, element by element against the reference on the whole problem.
TEST(CollectiveGrouped, case_19_gradients_in_bf16_are_those_of_the_unsharded_product) {
  const RunOptions run = mode("lifo");
  Sharded c;
  c.type = DType::bf16;
  c.sizes = every_kind_of_sizes(3)[0];
  const Tensors lhs = c.lhs(), rhs = c.rhs(), sizes = c.all_sizes();
  const auto options = under(c.options, run);
  Tensors cotangent;  // of the first place alone: that of the shared result
  for (int d = 0; d < 4; ++d) cotangent.emplace_back(DType::f32, Shape{c.m, c.n});
  fill(cotangent[0], Fill::integers, FillRole::existing, 1, 4);
  const auto gradients = sharded_grouped_matmul_vjp(cotangent, lhs, rhs, sizes, c.rings, options);
  ASSERT_TRUE(gradients) << collective::text(gradients.diags());
  std::vector<const Tensor*> shards;
  for (const Tensor& shard : rhs) shards.push_back(&shard);
  const Tensor whole = joined(shards, 0);
  GroupedMatmulOptions unsharded;
  unsharded.device = "reference";
  const auto expected = grouped_matmul_vjp(cotangent[0], lhs[0], whole, sizes[0], unsharded);
  ASSERT_TRUE(expected) << collective::text(expected.diags());
  EXPECT_EQ(gradients->lhs[0].dtype(), DType::bf16);
  for (std::int64_t i = 0; i < lhs[0].elements(); ++i)
    ASSERT_EQ(gradients->lhs[0].at(i), expected->lhs.at(i)) << i;
  for (std::int64_t i = 0; i < whole.elements(); ++i)
    ASSERT_EQ(
        gradients->rhs[static_cast<std::size_t>(i / rhs[0].elements())].at(i % rhs[0].elements()),
        expected->rhs.at(i))
        << i;
}

}  // namespace
}  // namespace tessera
