// Collectives that move or add rows around rings, and the products on them (collective conformance
// cases 6 to 9, 16, 17, 21 to 23).
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "interp/schedule/strategies.h"
#include "kernels/collective/all_gather.h"
#include "kernels/collective/all_reduce.h"
#include "kernels/collective/allgather_matmul.h"
#include "kernels/collective/matmul_reduce_scatter.h"
#include "kernels/collective/reduce_scatter.h"
#include "kernels/collective/right_permute.h"
#include "kernels/programs/kernels.h"
#include "tests/conformance/collective.h"

namespace tessera {
namespace {

using collective::every_mode;
using collective::how;
using collective::made;
using collective::mode;
using collective::Tensors;
using collective::under;

// One of the collectives on matrices of its own.
struct Subject {
  std::string name;
  std::function<Expected<Launch>(const Tensors&, const Tensor&, const CollectiveOptions&)> launch;
  std::function<Verdict(const Tensors&, const Tensor&, const Launch&, const CheckOptions&)> check;
  bool blocks = false;  // the operand has a block of rows for each place
};

template <typename Options>
Options with(const CollectiveOptions& shared, Options options = {}) {
  static_cast<CollectiveOptions&>(options) = shared;
  return options;
}

std::vector<Subject> subjects() {
  return {
      {"right permute",
       [](const Tensors& x, const Tensor& rings, const CollectiveOptions& o) {
         return launch_right_permute(x, rings, with<RightPermuteOptions>(o));
       },
       [](const Tensors& x, const Tensor& rings, const Launch& done, const CheckOptions& c) {
         return check_permuted(x, rings, done, c);
       }},
      {"all-gather",
       [](const Tensors& x, const Tensor& rings, const CollectiveOptions& o) {
         AllGatherOptions options = with<AllGatherOptions>(o);
         options.halves = false;
         return launch_all_gather(x, rings, options);
       },
       [](const Tensors& x, const Tensor& rings, const Launch& done, const CheckOptions& c) {
         return check_all_gathered(x, rings, done, c);
       }},
      {"all-gather in halves",
       [](const Tensors& x, const Tensor& rings, const CollectiveOptions& o) {
         return launch_all_gather(x, rings, with<AllGatherOptions>(o));
       },
       [](const Tensors& x, const Tensor& rings, const Launch& done, const CheckOptions& c) {
         return check_all_gathered(x, rings, done, c);
       }},
      {"all-reduce",
       [](const Tensors& x, const Tensor& rings, const CollectiveOptions& o) {
         return launch_all_reduce(x, rings, with<ReduceOptions>(o));
       },
       [](const Tensors& x, const Tensor& rings, const Launch& done, const CheckOptions& c) {
         return check_all_reduced(x, rings, done, c);
       }},
      {"reduce-scatter",
       [](const Tensors& x, const Tensor& rings, const CollectiveOptions& o) {
         return launch_reduce_scatter(x, rings, with<ReduceOptions>(o));
       },
       [](const Tensors& x, const Tensor& rings, const Launch& done, const CheckOptions& c) {
         return check_reduce_scattered(x, rings, done, c);
       },
       true},
  };
}

void expect_right(const Subject& subject, const Tensor& rings, Shape shape, DType type, Fill fill,
                  const RunOptions& run, int calls = 1) {
  SCOPED_TRACE(subject.name + " on " + to_string(rings.shape()) + " rings, " +
               collective::text(run));
  if (subject.blocks) shape[0] *= rings.dim(1);
  const Tensors x = made(static_cast<std::size_t>(rings.elements()), type, shape, FillRole::lhs,
                         fill, rings.dim(1), 5);
  CollectiveOptions options = under(CollectiveOptions{}, run);
  options.calls = calls;
  const Expected<Launch> launch = subject.launch(x, rings, options);
  collective::run_clean(launch, options);
  if (testing::Test::HasFatalFailure()) return;
  const Verdict verdict = subject.check(x, rings, *launch, how(fill));
  EXPECT_TRUE(verdict.ok) << verdict.message;
  EXPECT_GT(verdict.checked_rows, 0);
}

TEST(CollectiveRing, cases_6_to_9_eight_devices_in_every_mode) {
  for (const Subject& subject : subjects())
    for (const RunOptions& run : every_mode())
      expect_right(subject, make_rings(1, 8), {8, 128}, DType::f32, Fill::uniform, run);
}

TEST(CollectiveRing, rings_of_1_to_16_and_1_to_4_of_them_are_exact_under_every_policy) {
  for (const Subject& subject : subjects())
    for (std::int64_t length = 1; length <= 16; ++length)
      for (std::int64_t rings = 1; rings <= 4; ++rings)
        for (const std::string& schedule : sample_schedules(1, 3)) {
          const auto shuffle = static_cast<std::uint64_t>(length * 5 + rings);
          expect_right(subject, make_rings(rings, length, shuffle), {3, 5}, DType::f32,
                       Fill::integers, mode(schedule));
        }
}

TEST(CollectiveRing, other_types_and_shapes) {
  for (const Subject& subject : subjects()) {
    expect_right(subject, make_rings(2, 3, 1), {7, 33}, DType::i32, Fill::uniform, mode("lazy"));
    expect_right(subject, make_rings(1, 4), {200, 140}, DType::f32, Fill::normal, mode("random:1"));
  }
  for (const DType type : {DType::bf16, DType::f16, DType::i8})
    for (std::size_t i = 0; i < 3; ++i)
      expect_right(subjects()[i], make_rings(1, 5), {4, 16}, type, Fill::uniform, mode("lifo"));
}

TEST(CollectiveRing, case_21_three_calls_in_a_row_with_one_slow_device) {
  for (const Subject& subject : subjects())
    for (const std::int64_t length : {2, 3, 5, 8})
      for (const int slow : {0, 1})
        for (const std::string& schedule : sample_schedules(3))
          expect_right(subject, make_rings(1, length), {4, 8}, DType::f32, Fill::integers,
                       mode(schedule, DmaOrder::unordered, CopyGranularity::partial, slow), 3);
}

// Three calls of the permutation with the barrier of one semaphore, one device slow.
std::string single_barrier(std::int64_t length, const RunOptions& run) {
  const Tensors x = made(static_cast<std::size_t>(length), DType::f32, {4, 8}, FillRole::lhs,
                         Fill::integers, 1, 5);
  RightPermuteOptions options = under(RightPermuteOptions{}, run);
  options.calls = 3;
  options.double_barrier = false;
  return collective::outcome(launch_right_permute(x, make_rings(1, length), options), options);
}

TEST(CollectiveRing, case_22_a_single_barrier_is_not_enough_from_five_devices_on) {
  for (const std::int64_t length : {2, 3, 4, 5, 6, 8}) {
    int found = 0;
    for (int slow = 0; slow < 2; ++slow)
      for (int seed = 0; seed < 30; ++seed) {
        const std::string kind =
            single_barrier(length, mode("random:" + std::to_string(seed), DmaOrder::unordered,
                                        CopyGranularity::whole, slow));
        if (kind == "clean") continue;
        ++found;
        // What came too early met memory that is gone, or was counted in a scope that has ended.
        EXPECT_TRUE(kind == "lifetime" || kind == "semaphore_leak")
            << kind << ", ring of " << length;
      }
    if (length <= 4) {
      EXPECT_EQ(found, 0) << "ring of " << length;
    } else {
      EXPECT_GT(found, 0) << "ring of " << length;
    }
  }
}

TEST(CollectiveRing, sums_run_in_the_order_of_the_ring) {
  const double big = 0x1p24;
  const std::vector<double> c = {big, 1, -big, 1};
  Tensors one, blocks;
  for (const double value : c) {
    one.emplace_back(DType::f32, Shape{1, 1});
    one.back().set(0, value);
    blocks.emplace_back(DType::f32, Shape{8, 1});  // a row of each half for every place
    for (std::int64_t i = 0; i < 8; ++i) blocks.back().set(i, value);
  }
  for (const RunOptions& run : every_mode()) {
    const auto reduce = under(ReduceOptions{}, run);
    const auto values = [](const std::vector<Tensor>& all, std::int64_t row) {
      std::vector<double> result;
      for (const Tensor& tensor : all) result.push_back(tensor.at(row));
      return result;
    };
    using Values = std::vector<double>;
    const auto all = results(launch_all_reduce(one, make_rings(1, 4), reduce), reduce);
    ASSERT_TRUE(all);
    // place - 1, place - 2, ..., place
    EXPECT_EQ(values(*all, 0), (Values{2, 1, 0, 2}));
    const auto scattered = results(launch_reduce_scatter(blocks, make_rings(1, 4), reduce), reduce);
    ASSERT_TRUE(scattered);
    // top: b, b - 1, ..., b + 1; bottom: b, b + 1, ..., b - 1
    EXPECT_EQ(values(*scattered, 0), (Values{1, 0, 2, 2}));
    EXPECT_EQ(values(*scattered, 1), (Values{1, 2, 2, 0}));

    // The product of ones with c: [rows, 1] . [1, 1].
    Tensors x, y;
    for (const double value : c) {
      x.emplace_back(DType::f32, Shape{8, 1});
      for (std::int64_t i = 0; i < 8; ++i) x.back().set(i, value);
      y.emplace_back(DType::f32, Shape{1, 1});
      y.back().set(0, 1);
    }
    MatmulReduceScatterOptions options = under(MatmulReduceScatterOptions{}, run);
    options.bm = options.bn = options.bk = 1;
    const auto product =
        results(launch_matmul_reduce_scatter(x, y, make_rings(1, 4), options), options);
    ASSERT_TRUE(product) << collective::text(product.diags());
    EXPECT_EQ(values(*product, 0), (Values{2, 1, 0, 2}));
    EXPECT_EQ(values(*product, 1), (Values{2, 2, 0, 1}));
  }
}

TEST(CollectiveRing, sums_are_of_any_tile_and_of_no_empty_one) {
  const Tensor rings = make_rings(1, 2);
  const Tensors x = made(2, DType::f32, {20, 30}, FillRole::lhs, Fill::integers, 2, 1);
  const RunOptions run = every_mode().front();
  ReduceOptions options = under(ReduceOptions{}, run);
  options.bm = 7;
  options.bn = 64;
  const auto tiled = results(launch_all_reduce(x, rings, options), options);
  ASSERT_TRUE(tiled) << render(tiled.diags());
  for (std::int64_t i = 0; i < 600; ++i) ASSERT_EQ((*tiled)[0].at(i), x[0].at(i) + x[1].at(i)) << i;
  options.bm = 0;
  const auto refused = launch_reduce_scatter(x, rings, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diags()[0].message, "bm and bn are at least 1, got 0 and 64");
}

TEST(CollectiveRing, case_23_an_all_reduce_needs_its_credits_and_no_other_schedule_is_wrong) {
  for (const std::int64_t length : {2, 3, 5, 8})
    for (const bool credits : {true, false}) {
      const RunOptions run = mode("eager");
      ReduceOptions options = under(ReduceOptions{}, run);
      options.credits = credits;
      const Tensors x = made(static_cast<std::size_t>(length), DType::f32, {2, 4}, FillRole::lhs,
                             Fill::integers, length, 1);
      EXPECT_EQ(
          collective::certified(launch_all_reduce(x, make_rings(1, length), options), options),
          credits ? "proved" : "race")
          << "ring of " << length;
    }
}

// Each direction's copy is waited for before the other's starts, so a neighbour's slot is free
// whenever its data was needed: the credits of the published kernel guard what cannot happen.
TEST(CollectiveRing, a_reduce_scatter_of_two_directions_is_proved_with_and_without_credits) {
  for (const std::int64_t length : {2, 3, 5, 8})
    for (const bool credits : {true, false}) {
      const RunOptions run = mode("eager");
      ReduceOptions options = under(ReduceOptions{}, run);
      options.credits = credits;
      const Tensors x = made(static_cast<std::size_t>(length), DType::f32, {2 * length, 4},
                             FillRole::lhs, Fill::integers, length, 1);
      EXPECT_EQ(
          collective::certified(launch_reduce_scatter(x, make_rings(1, length), options), options),
          "proved")
          << "ring of " << length << (credits ? "" : " without credits");
    }
}

struct Rows {
  std::int64_t m = 16, k = 128, cols = 32;
  DType type = DType::f32;
  Fill fill = Fill::integers;
  Tensor rings = make_rings(1, 4);
  AllgatherRowsOptions options;
};

RunStats expect_rows(const Rows& c, RunOptions run) {
  const auto devices = static_cast<std::size_t>(c.rings.elements());
  const Shape y_shape = c.options.transpose_rhs ? Shape{c.cols, c.k} : Shape{c.k, c.cols};
  const Tensors x = made(devices, c.type, {c.m, c.k}, FillRole::lhs, c.fill, c.k, 1);
  const Tensors y = made(devices, c.type, y_shape, FillRole::rhs, c.fill, c.k, 2);
  const AllgatherRowsOptions options = under(c.options, run);
  SCOPED_TRACE(to_string(c.rings.shape()) + " rings, " + collective::text(run));
  const Expected<Launch> launch = launch_allgather_matmul_rows(x, y, c.rings, options);
  if (!launch) {
    ADD_FAILURE() << collective::text(launch.diags());
    return {};
  }
  const Expected<DeviceReport> report = tessera::run(*launch, options);
  EXPECT_TRUE(report && report->findings.empty())
      << (report ? render(report->findings) : collective::text(report.diags()));
  if (run.math != Math::none) {
    const Verdict verdict =
        check_gathered(x, y, c.rings, *launch, {0, c.options.transpose_rhs}, how(c.fill));
    EXPECT_TRUE(verdict.ok) << verdict.message;
  }
  return report ? report->simulated->stats : RunStats{};
}

TEST(CollectiveRows, case_16_every_length_grid_transpose_and_type) {
  for (const std::int64_t length : {1, 2, 3, 4, 5, 8})
    for (const std::int64_t grid_n : {1, 2, 3})
      for (const std::int64_t grid_k : {1, 2, 3})
        for (const bool transpose : {false, true})
          for (const DType type : {DType::f32, DType::bf16}) {
            Rows c;
            c.type = type;
            c.fill = grid_k == 2 ? Fill::normal : Fill::integers;
            c.k = 128 * grid_k;
            c.cols = 128 * grid_n;
            c.rings = make_rings(1, length, static_cast<std::uint64_t>(length));
            c.options.transpose_rhs = transpose;
            c.options.bn = 128;
            c.options.bk = 128;
            expect_rows(c, mode("random:1", DmaOrder::unordered, CopyGranularity::partial));
          }
}

TEST(CollectiveRows, case_16_in_every_mode_and_three_calls_with_a_slow_device) {
  Rows c;
  for (const RunOptions& run : every_mode()) expect_rows(c, run);
  c.options.calls = 3;
  for (const std::string& schedule : sample_schedules(1))
    expect_rows(c, mode(schedule, DmaOrder::unordered, CopyGranularity::whole, 1));
}

// The scratch shapes of the tuned entries: both slots of x, the whole of y, both slots of the
// result, and what is accumulated at once.
TEST(CollectiveRows, case_16_peak_vmem_is_that_of_the_tuned_shapes) {
  struct Entry {
    std::int64_t m, n, k, bn, bk;
    const char* mebibytes;  // as published
  };
  for (const Entry& e :
       {Entry{1024, 51200, 5120, 6400, 2560, "71.2"}, Entry{1024, 57344, 8192, 7168, 8192, "119.5"},
        Entry{2048, 51200, 5120, 1280, 5120, "68.8"}, Entry{2048, 57344, 8192, 1024, 8192, "121.0"},
        Entry{4096, 51200, 5120, 3200, 5120, "78.8"},
        Entry{8192, 51200, 5120, 1280, 5120, "87.5"}}) {
    const std::int64_t rows = e.m / 8, cols = e.n / 8;
    Settings settings = {{"T", "bf16"}, {"rings", "1"}, {"length", "8"}};
    const auto set = [&](const char* name, std::int64_t value) {
      settings[name] = std::to_string(value);
    };
    set("rows", rows);
    set("k", e.k);
    set("cols", cols);
    set("bn", e.bn);
    set("bk", e.bk);
    if (e.k == e.bk) set("acc_rows", 8), set("acc_cols", 128);
    const Expected<Program> program = make_kernel("allgather_matmul_rows", settings);
    ASSERT_TRUE(program) << collective::text(program.diags());
    std::int64_t bytes = 0;
    for (const Buffer& buffer : program->buffers)
      if (buffer.space == Space::vmem || buffer.space == Space::tile)
        bytes += elements(buffer.shape) * size_of(buffer.dtype);
    EXPECT_EQ(fmt::format("{:.1f}", static_cast<double>(bytes) / (1 << 20)), e.mebibytes)
        << e.m << " " << e.n;
  }
}

// A run reports what is really held, tiles included.
TEST(CollectiveRows, case_16_a_run_reports_that_peak) {
  Rows c;
  c.cols = 64;
  c.options.bn = 32;
  c.options.acc_rows = 8;
  const std::int64_t size = 4, x = 2 * c.m * c.k, y = c.k * c.cols, result = 2 * c.m * 32;
  const RunStats stats = expect_rows(c, mode("lazy"));
  EXPECT_EQ(stats.peak_vmem, (x + y + result + 8 * 32) * size);
}

TEST(CollectiveRows, the_checks_come_in_their_order_with_their_texts) {
  const Tensor rings = make_rings(1, 2);
  const auto refused = [&](const Shape& x, const Shape& y, DType type = DType::f32,
                           AllgatherRowsOptions options = {}) {
    Tensors a, b;
    for (int d = 0; d < 2; ++d) a.emplace_back(DType::f32, x), b.emplace_back(type, y);
    const Expected<Launch> launch = launch_allgather_matmul_rows(a, b, rings, options);
    return launch ? std::string("taken") : launch.diags()[0].message;
  };
  EXPECT_EQ(refused({16, 128}, {128, 64}), "taken");
  EXPECT_EQ(refused({16}, {128, 64}), "Inputs must be 2D, got shapes (16,) and (128, 64).");
  EXPECT_EQ(refused({15, 100}, {128, 63}, DType::bf16),
            "Input dtypes must match, got f32 and bf16.");
  EXPECT_EQ(refused({15, 100}, {128, 63}),
            "Incompatible shapes for matmul: contracting dimension mismatch: (30, 100) and (128, "
            "126).");
  EXPECT_EQ(refused({15, 100}, {100, 63}), "k (100) must be divisible by 128.");
  EXPECT_EQ(refused({15, 128}, {128, 63}), "n (126) must be divisible by 128.");
  EXPECT_EQ(refused({15, 128}, {128, 64}), "m (30) must be divisible by 32.");
  AllgatherRowsOptions options;
  options.bn = 48;
  EXPECT_EQ(refused({16, 128}, {128, 64}, DType::f32, options),
            "n_per_device (64) must be divisible by bn (48).");
  options.bn = 64;
  options.bk = 96;
  EXPECT_EQ(refused({16, 128}, {128, 64}, DType::f32, options),
            "k (128) must be divisible by bk (96).");
  options.bk = 0;
  EXPECT_EQ(refused({16, 128}, {128, 64}, DType::f32, options),
            "bn and bk must be positive, got bn=64 and bk=0.");
}

struct Scattered {
  std::int64_t rows = 64, k_shard = 24, cols = 40;  // rows of one block
  DType type = DType::f32;
  Fill fill = Fill::integers;
  Tensor rings = make_rings(1, 4);
  MatmulReduceScatterOptions options;

  Scattered() { options.bm = 16, options.bn = 20, options.bk = 8; }
};

// Operands for the problem.
struct ScatteredOperands {
  Tensors x, y;

  explicit ScatteredOperands(const Scattered& c) {
    const auto devices = static_cast<std::size_t>(c.rings.elements());
    const std::int64_t length = c.rings.dim(1), k = c.k_shard * length;
    x = made(devices, c.type, {c.rows * length, c.k_shard}, FillRole::lhs, c.fill, k, 1);
    y = made(devices, c.type, {c.cols, c.k_shard}, FillRole::rhs, c.fill, k, 2);
  }
};

void expect_scattered(const Scattered& c, const RunOptions& run) {
  SCOPED_TRACE(to_string(c.rings.shape()) + " rings, " + collective::text(run));
  const ScatteredOperands given(c);
  const MatmulReduceScatterOptions options = under(c.options, run);
  const Expected<Launch> launch = launch_matmul_reduce_scatter(given.x, given.y, c.rings, options);
  ASSERT_EQ(collective::outcome(launch, options), "clean");
  const Verdict verdict = check_product_scattered(given.x, given.y, c.rings, *launch,
                                                  c.options.wire_dtype, how(c.fill));
  EXPECT_TRUE(verdict.ok) << verdict.message;
  EXPECT_GT(verdict.checked_rows, 0);
}

std::string certified(const Scattered& c, const RunOptions& run) {
  const ScatteredOperands given(c);
  const MatmulReduceScatterOptions options = under(c.options, run);
  return collective::certified(launch_matmul_reduce_scatter(given.x, given.y, c.rings, options),
                               options);
}

TEST(CollectiveScatter, case_17_every_length_type_and_wire) {
  for (const std::int64_t length : {1, 2, 3, 4, 8})
    for (const DType type : {DType::f32, DType::bf16, DType::f16})
      for (const DType wire : {DType::f32, DType::bf16, DType::f16})
        for (const Fill fill : {Fill::integers, Fill::normal}) {
          // Whole numbers that are exact in f32 are too large for f16.
          if (fill == Fill::integers && (type == DType::f16 || wire == DType::f16)) continue;
          Scattered c;
          c.type = type;
          c.fill = fill;
          c.rings = make_rings(2, length, 4);
          c.options.wire_dtype = wire;
          c.options.out_dtype = type;
          expect_scattered(c, mode("random:2", DmaOrder::unordered, CopyGranularity::partial));
        }
  for (const RunOptions& run : every_mode()) expect_scattered(Scattered{}, run);
}

TEST(CollectiveScatter, case_17_the_shapes_of_the_source) {
  Scattered cube;  // 128 cubed on 2 devices with a tile of 64... rows of one block
  cube.rings = make_rings(1, 2);
  cube.rows = 128, cube.k_shard = 128, cube.cols = 128;
  cube.options.bm = 64, cube.options.bn = cube.options.bk = 128;
  expect_scattered(cube, mode("lazy"));
  cube.rows = 256;
  cube.options.bm = 128;
  cube.fill = Fill::normal;
  expect_scattered(cube, mode("lifo"));
}

TEST(CollectiveScatter, case_21_three_calls_with_a_slow_device_are_clean) {
  for (const int slow : {0, 1})
    for (const std::string& schedule : sample_schedules(1)) {
      Scattered c;
      c.rows = 4, c.options.bm = 2;
      c.options.calls = 3;
      c.rings = make_rings(1, 5);
      expect_scattered(c, mode(schedule, DmaOrder::unordered, CopyGranularity::whole, slow));
    }
}

TEST(CollectiveScatter, case_23_needs_its_credits_from_three_devices_on) {
  for (const std::int64_t length : {2, 3, 8})
    for (const bool credits : {true, false}) {
      Scattered c;
      c.rows = 4, c.options.bm = 2;
      c.options.credits = credits;
      c.rings = make_rings(1, length);
      EXPECT_EQ(certified(c, mode("eager")), credits || length == 2 ? "proved" : "race")
          << "ring of " << length << (credits ? "" : " without credits");
    }
}

TEST(CollectiveScatter, the_checks_come_in_their_order_with_their_texts) {
  const Tensor rings = make_rings(1, 2);
  const auto refused = [&](const Shape& x, const Shape& y, std::int64_t bm = 128,
                           std::int64_t bn = 128, std::int64_t bk = 128) {
    Tensors a, b;
    for (int d = 0; d < 2; ++d) a.emplace_back(DType::f32, x), b.emplace_back(DType::f32, y);
    MatmulReduceScatterOptions options;
    options.bm = bm, options.bn = bn, options.bk = bk;
    const Expected<Launch> launch = launch_matmul_reduce_scatter(a, b, rings, options);
    return launch ? std::string("taken") : launch.diags()[0].message;
  };
  EXPECT_EQ(refused({512, 128}, {128, 128}), "taken");
  EXPECT_EQ(refused({511, 100}, {100, 100}), "M (511) must be divisible by num_devices (2).");
  EXPECT_EQ(refused({510, 100}, {100, 100}), "M_block (255) must be divisible by 2.");
  EXPECT_EQ(refused({400, 100}, {100, 100}), "M_half_block (100) must be divisible by bm (128).");
  EXPECT_EQ(refused({512, 100}, {100, 100}), "N (100) must be divisible by bn (128).");
  EXPECT_EQ(refused({512, 100}, {128, 100}), "K_shard (100) must be divisible by bk (128).");
  EXPECT_EQ(refused({512, 100}, {128, 101}),
            "Incompatible shapes for matmul: contracting dimension mismatch: (512, 100) and (128, "
            "101).");
}

}  // namespace
}  // namespace tessera
