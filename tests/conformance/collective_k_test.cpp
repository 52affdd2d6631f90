// All-gather matmul over k: what it refuses, that every device gets the product, the order of its
// sums, and what its two variants promise (collective conformance cases 1 to 5).
#include <algorithm>
#include <cmath>
#include <string>

#include "interp/observe/observer.h"
#include "interp/schedule/strategies.h"
#include "kernels/collective/allgather_matmul.h"
#include "tests/conformance/collective.h"

namespace tessera {
namespace {

using collective::every_fifo_mode;
using collective::every_mode;
using collective::how;
using collective::made;
using collective::mode;
using collective::Tensors;
using Variant = AllgatherMatmulOptions::Variant;

struct Case {
  std::int64_t rows = 8, k_shard = 16, cols = 8;
  Tensor rings = make_rings(1, 4);
  AllgatherMatmulOptions options;
  Fill fill = Fill::integers;

  std::int64_t k() const { return k_shard * rings.dim(1); }
  std::size_t devices() const { return static_cast<std::size_t>(rings.elements()); }
};

void expect_product(const Case& c, const RunOptions& run) {
  const Tensors lhs =
      made(c.devices(), DType::bf16, {c.rows, c.k_shard}, FillRole::lhs, c.fill, c.k(), 1);
  const Tensors rhs =
      made(c.devices(), DType::bf16, {c.k(), c.cols}, FillRole::rhs, c.fill, c.k(), 2);
  const AllgatherMatmulOptions options = collective::under(c.options, run);
  const Expected<Launch> launch = launch_allgather_matmul(lhs, rhs, c.rings, options);
  SCOPED_TRACE(to_string(c.rings.shape()) + " rings, buffering " +
               std::to_string(options.buffering) + ", " + collective::text(run));
  collective::run_clean(launch, options);
  if (testing::Test::HasFatalFailure()) return;
  const Verdict verdict = check_gathered(lhs, rhs, c.rings, *launch, {1, false}, how(c.fill));
  EXPECT_TRUE(verdict.ok) << verdict.message;
  EXPECT_EQ(verdict.checked_rows, c.rows * c.rings.elements());
}

TEST(CollectiveK, case_1_production_equals_the_dense_product_in_every_mode) {
  for (const std::int64_t length : {2, 4, 6, 8})
    for (const std::int64_t rings : {1, 2})
      for (const std::int64_t buffering : {2, 4, 8})
        for (const RunOptions& run : every_mode()) {
          Case c;
          c.rings = make_rings(rings, length, static_cast<std::uint64_t>(length * 10 + rings));
          c.options.buffering = buffering;
          expect_product(c, run);
        }
}

TEST(CollectiveK, case_1_literal_equals_the_dense_product_when_copies_land_in_order) {
  for (const std::int64_t length : {2, 4, 6, 8})
    for (const std::int64_t rings : {1, 2})
      for (const std::int64_t buffering : {2, 4, 8})
        for (const RunOptions& run : every_fifo_mode()) {
          Case c;
          c.rings = make_rings(rings, length, static_cast<std::uint64_t>(length * 10 + rings));
          c.options.variant = Variant::literal;
          c.options.buffering = buffering;
          expect_product(c, run);
        }
}

TEST(CollectiveK, rings_of_1_to_16_and_1_to_4_of_them_are_exact_under_every_policy) {
  for (std::int64_t length = 1; length <= 16; ++length)
    for (std::int64_t rings = 1; rings <= 4; ++rings)
      for (const std::string& schedule : sample_schedules(1, 3)) {
        Case c;
        c.rows = 4;
        c.k_shard = 4;
        c.cols = 4;
        c.rings = make_rings(rings, length, static_cast<std::uint64_t>(length * 7 + rings));
        expect_product(c, mode(schedule));
      }
}

TEST(CollectiveK, odd_rings_a_ring_of_one_tiles_and_slots_in_hbm) {
  for (const std::int64_t length : {1, 3, 5, 7})
    for (const bool in_hbm : {false, true})
      for (const char* schedule : {"lazy", "random:5"})
        for (const Fill fill : {Fill::integers, Fill::normal}) {
          Case c;
          c.rows = 10;
          c.k_shard = 12;
          c.cols = 9;
          c.rings = make_rings(2, length, 3);
          c.options.tiling = Tiling{in_hbm ? 8 : 5, in_hbm ? 8 : 4, 8};
          c.options.slots_in_hbm = in_hbm;
          c.fill = fill;
          expect_product(c, mode(schedule, DmaOrder::unordered, CopyGranularity::partial));
        }
}

Expected<Launch> small_launch(const Tensors& lhs, const Tensors& rhs, const Tensor& rings,
                              Variant variant, std::int64_t buffering, bool checks = true) {
  AllgatherMatmulOptions options;
  options.variant = variant;
  options.buffering = buffering;
  options.protocol_checks = checks;
  return launch_allgather_matmul(lhs, rhs, rings, options);
}

TEST(CollectiveK, case_2_one_buffer_runs_on_two_devices_and_deadlocks_on_four) {
  for (const Variant variant : {Variant::production, Variant::literal}) {
    Case c;
    c.rings = make_rings(1, 2);
    c.options.variant = variant;
    c.options.buffering = 1;
    for (const RunOptions& run : every_fifo_mode()) expect_product(c, run);
  }
  for (const std::int64_t length : {4, 6, 8}) {
    const Tensor rings = make_rings(1, length);
    const auto devices = static_cast<std::size_t>(length);
    const Tensors lhs = made(devices, DType::bf16, {8, 8}, FillRole::lhs, Fill::integers, 64, 1);
    const Tensors rhs =
        made(devices, DType::bf16, {8 * length, 8}, FillRole::rhs, Fill::integers, 64, 2);
    for (const Variant variant : {Variant::production, Variant::literal}) {
      const Expected<Launch> refused = small_launch(lhs, rhs, rings, variant, 1);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.diags()[0].code, ErrorCode::unsupported);
      EXPECT_EQ(refused.diags()[0].message, "buffering 1 on a ring of " + std::to_string(length) +
                                                ": every device would wait for capacity in step 0, "
                                                "which only step 0 of another device provides");
    }
    for (const RunOptions& run : every_fifo_mode()) {
      std::string message;
      const auto options = collective::under(CollectiveOptions{}, run);
      EXPECT_EQ(collective::outcome(small_launch(lhs, rhs, rings, Variant::literal, 1, false),
                                    options, &message),
                "deadlock");
      std::string cycle = "cycle: ";  // each device waits for its left neighbour, the whole ring
      for (std::int64_t d = 0; d < length; ++d) {
        EXPECT_NE(message.find(" blocked in \"Capacity left\": wait capacity_left >= 1, "
                               "has 0, missing 1, at g=1"),
                  std::string::npos)
            << message;
        cycle += "dev" + std::to_string((length - d) % length) + ".core0 -> ";
      }
      EXPECT_NE(message.find(cycle + "dev0.core0"), std::string::npos) << message;
    }
  }
}

// Shard q contributes c[q]: one non-zero k in each shard.
std::vector<double> sums(const std::vector<double>& c, const RunOptions& run) {
  const auto length = static_cast<std::int64_t>(c.size());
  Tensors lhs, rhs;
  for (const double value : c) {
    lhs.emplace_back(DType::bf16, Shape{1, 2});
    const bool large = std::abs(value) > 1;
    lhs.back().set(0, large ? std::copysign(4096.0, value) : value);
    rhs.emplace_back(DType::bf16, Shape{2 * length, 1});
    for (std::int64_t q = 0; q < length; ++q)
      rhs.back().set(2 * q, std::abs(c[static_cast<std::size_t>(q)]) > 1 ? 4096.0 : 1.0);
  }
  std::vector<double> result;
  const Expected<std::vector<Tensor>> out = allgather_matmul(
      lhs, rhs, make_rings(1, length), collective::under(AllgatherMatmulOptions{}, run));
  EXPECT_TRUE(out) << collective::text(out.diags());
  if (out)
    for (const Tensor& tensor : *out) result.push_back(tensor.at(0));
  return result;
}

TEST(CollectiveK, case_3_sums_run_in_the_order_of_the_ring) {
  const double big = 0x1p24;
  for (const RunOptions& run : every_mode()) {
    using Values = std::vector<double>;
    EXPECT_EQ(sums({big, 1, -big, 1}, run), (Values{0, 1, 2, 2})) << collective::text(run);
    EXPECT_EQ(sums({big, 1, 1, -big, 1, 1}, run), (Values{0, 1, 4, 4, 4, 4}));
    EXPECT_EQ(sums({big, 1, 1, 1, -big, 1, 1, 1}, run), (Values{0, 1, 7, 6, 6, 6, 6, 6}));
  }
}

TEST(CollectiveK, case_4_the_production_kernel_is_clean_under_300_schedules) {
  for (const std::int64_t length : {4, 6, 8})
    for (int seed = 0; seed < 100; ++seed) {
      Case c;
      c.rows = c.k_shard = c.cols = 4;
      c.rings = make_rings(1, length);
      expect_product(c, mode("random:" + std::to_string(seed), DmaOrder::unordered,
                             seed % 2 ? CopyGranularity::partial : CopyGranularity::whole));
    }
}

TEST(CollectiveK, case_5_poisoned_scratch_reaches_no_result) {
  for (const std::int64_t length : {1, 2, 5, 8}) {
    Case c;
    c.rings = make_rings(1, length);
    RunOptions run = mode("random:4", DmaOrder::unordered, CopyGranularity::partial);
    run.checks.uninitialised = Uninitialised::poison;
    expect_product(c, run);
  }
}

TEST(CollectiveK, three_calls_in_a_row_with_one_slow_device_are_clean) {
  for (const Variant variant : {Variant::production, Variant::literal})
    for (const std::int64_t length : {2, 4, 6})
      for (int slow = 0; slow < 2; ++slow)
        for (const std::string& schedule : sample_schedules(2)) {
          Case c;
          c.rings = make_rings(1, length);
          c.options.calls = 3;
          c.options.variant = variant;
          expect_product(c, mode(schedule, DmaOrder::fifo, CopyGranularity::whole, slow));
        }
}

// The trace regions of device 0, in the order in which they begin.
class Regions : public Observer {
 public:
  void begin(const Program& program, const RunOptions&) override { program_ = &program; }
  void on(const Event& event) override {
    if (event.kind != EventKind::enter || event.agent.device != 0) return;
    const Op& op = program_->body[event.statement].op;
    names.push_back(program_->texts[std::get<Trace>(op).message]);
  }
  std::vector<std::string> names;

 private:
  const Program* program_ = nullptr;
};

TEST(CollectiveK, trace_regions_have_the_names_and_the_order_of_the_protocol) {
  std::vector<std::string> wanted = {"Init barrier", "Send right"};
  for (int step = 0; step < 3; ++step) {
    for (const char* region : {"Capacity left", "Recv right", "Capacity right", "Compute",
                               "Send left", "Send right", "Recv left"})
      wanted.emplace_back(region);
  }
  for (const char* region : {"Recv right", "Compute", "Final barrier"}) wanted.emplace_back(region);
  for (const Variant variant : {Variant::production, Variant::literal}) {
    Case c;
    c.rings = make_rings(1, 8);
    c.options.variant = variant;
    Regions regions;
    RunOptions run = mode("lazy", DmaOrder::fifo);
    run.observers.push_back(&regions);
    expect_product(c, run);
    EXPECT_EQ(regions.names, wanted);
  }
}

TEST(CollectiveK, the_checks_come_in_their_order_with_their_texts) {
  const TensorType lhs{DType::bf16, {8, 16}}, rhs{DType::bf16, {64, 8}}, out{DType::f32, {8, 8}};
  AllgatherMatmulOptions literal;
  literal.variant = Variant::literal;
  const auto refused = [&](const TensorType& l, const TensorType& r, const TensorType& o,
                           const Tensor& rings, std::int64_t buffering = 2) {
    AllgatherMatmulOptions options = literal;
    options.buffering = buffering;
    const Expected<void> taken = check_allgather_matmul(l, r, o, rings, options);
    if (taken) return std::string("taken");
    const Diag& why = taken.diags()[0];
    return std::string(why.code == ErrorCode::unsupported ? "unsupported: " : "value: ") +
           why.message;
  };
  const Tensor ring = make_rings(1, 4);
  EXPECT_EQ(refused(lhs, rhs, out, ring), "taken");
  EXPECT_EQ(refused({DType::bf16, {8}}, rhs, out, ring),
            "value: lhs and rhs have two dimensions each, got shapes (8,) and (64, 8)");
  // Each call breaks its own rule and all that follow.
  const Tensor flat(DType::f32, {3});
  EXPECT_EQ(refused({DType::f32, {8, 16}}, rhs, out, flat, 3),
            "value: The ring should be a 2D NumPy array");
  Tensor odd(DType::f32, {1, 3});
  EXPECT_EQ(refused({DType::f32, {8, 16}}, rhs, out, odd, 3),
            "value: LHS contraction dimension has size 16, ring has length 3 so expected RHS to "
            "have shape 48, but got 64");
  EXPECT_EQ(refused({DType::f32, {8, 16}}, {DType::bf16, {48, 8}}, out, odd, 3),
            "value: Only bf16 inputs and fp32 outputs supported");
  EXPECT_EQ(refused(lhs, {DType::bf16, {48, 8}}, {DType::bf16, {8, 8}}, odd, 3),
            "value: Only bf16 inputs and fp32 outputs supported");
  EXPECT_EQ(refused(lhs, {DType::bf16, {48, 8}}, out, odd, 3),
            "value: Bidirectional collective matmul only supports evenly sized rings");
  Tensor wide(DType::i64, {1, 4});
  EXPECT_EQ(refused(lhs, rhs, out, wide, 3),
            "value: Ring description should be encoded in 32-bit integers.");
  Tensor twice(DType::i32, {1, 4});
  EXPECT_EQ(refused(lhs, rhs, out, twice, 3),
            "unsupported: Buffering values should be multiples of 2");
  EXPECT_EQ(refused(lhs, rhs, out, twice, 0),
            "unsupported: Buffering values should be multiples of 2");
  EXPECT_EQ(refused(lhs, rhs, out, twice, -2),
            "unsupported: Device IDs used in collective should span a contiguous range starting at "
            "0");
  EXPECT_EQ(refused(lhs, rhs, out, ring, -2), "value: buffering must be at least 1, got -2");
  EXPECT_EQ(refused(lhs, {DType::bf16, {0, 8}}, out, Tensor(DType::i32, {1, 0})),
            "value: a ring has at least one device");
  EXPECT_EQ(refused(lhs, rhs, {DType::f32, {8, 9}}, ring),
            "value: lhs has shape (8, 16) and rhs (64, 8), so out has shape (8, 8), not (8, 9)");
  const Expected<void> taken = check_allgather_matmul(lhs, rhs, out, twice, literal);
  ASSERT_FALSE(taken);
  const Diags& diags = taken.diags();
  ASSERT_EQ(diags[0].notes.size(), 1U);
  EXPECT_EQ(diags[0].notes[0].message, "repeated: 0");
}

}  // namespace
}  // namespace tessera
