// One device: a tile product with copies in and out, under every schedule.
#include "analysis/certificate/certificate.h"
#include "interp/schedule/strategies.h"
#include "tests/unit/interp_kernel.h"

namespace tessera {
namespace {

using testing::Kernel;
using testing::Operands;
using testing::run_ok;
using testing::text;

constexpr std::int64_t tile = 8;

// out = a . b with k in steps. Two slots are prefetched, and the sum is written back once.
Program product(std::int64_t steps) {
  Kernel k;
  k.line(1);
  const ValueId a = k.ref("a", Role::in, Space::hbm, {tile, steps * tile});
  const ValueId b = k.ref("b", Role::in, Space::hbm, {steps * tile, tile});
  const ValueId out = k.ref("out", Role::out, Space::hbm, {tile, tile});
  k.line(2);
  const ValueId x = k.ref("x", Role::scratch, Space::vmem, {2, tile, tile});
  const ValueId y = k.ref("y", Role::scratch, Space::vmem, {2, tile, tile});
  const ValueId o = k.ref("o", Role::scratch, Space::vmem, {tile, tile});
  const ValueId arrived = k.sem("arrived", SemKind::bytes, {2});
  const ValueId done = k.sem("done", SemKind::bytes);
  k.line(3);
  const ValueId acc = k.scoped("acc", Space::tile, {tile, tile});
  k.emit(Alloc{k.all(acc)});
  k.emit(Cast{k.all(acc), Builder::number(k.builder().real(0))});
  const ValueId t = k.integer(tile), zero = k.integer(0);
  const auto fetch = [&](ValueId s) {
    const ValueId slot = k.emit(Mod{s, k.integer(2)});
    const ValueId at = k.builder().mul(s, t);
    k.emit(Fresh{k.at(x, {{slot}, {zero, t}, {zero, t}})});
    k.emit(Start{k.at(a, {{zero, t}, {at, t}}), k.at(x, {{slot}, {zero, t}, {zero, t}}),
                 k.at(arrived, {{slot}}), 0});
    k.emit(Start{k.at(b, {{at, t}, {zero, t}}), k.at(y, {{slot}, {zero, t}, {zero, t}}),
                 k.at(arrived, {{slot}}), 0});
  };
  k.line(4);
  fetch(zero);
  const ValueId s = k.emit(For{zero, k.integer(steps), 0}, "s");
  const ValueId next = k.builder().add(s, k.integer(1));
  k.emit(If{k.emit(Lt{next, k.integer(steps)})});
  k.line(5);
  fetch(next);
  k.emit(End{});
  const ValueId slot = k.emit(Mod{s, k.integer(2)});
  k.line(6);
  k.emit(Wait{k.at(arrived, {{slot}}), k.integer(2 * tile * tile * 4)});
  k.emit(Matmul{k.all(acc), k.at(x, {{slot}, {zero, t}, {zero, t}}),
                k.at(y, {{slot}, {zero, t}, {zero, t}}), 0, 0});
  k.emit(End{});
  k.line(7);
  k.emit(Fresh{k.all(o)});
  k.emit(Cast{k.all(o), k.all(acc)});
  k.emit(Free{k.all(acc)});
  k.emit(Once{k.all(out)});
  k.emit(WriteBack{k.all(o), k.all(out), k.all(done)});
  k.emit(Wait{k.all(done), k.integer(tile * tile * 4)});
  return k.finish();
}

std::vector<double> expected_product(Operands& operands, std::int64_t steps) {
  const std::vector<double> a = operands.values(0, "a"), b = operands.values(0, "b");
  std::vector<double> c(tile * tile);
  const std::int64_t depth = steps * tile;
  for (std::int64_t i = 0; i < tile; ++i)
    for (std::int64_t j = 0; j < tile; ++j)
      for (std::int64_t l = 0; l < depth; ++l)
        c[static_cast<std::size_t>(i * tile + j)] +=
            a[static_cast<std::size_t>(i * depth + l)] * b[static_cast<std::size_t>(l * tile + j)];
  return c;
}

TEST(machine, computes_a_tile_product_under_every_schedule) {
  const Program program = product(5);
  for (const std::string& schedule : sample_schedules(2)) {
    for (const CopyGranularity granularity : {CopyGranularity::whole, CopyGranularity::partial}) {
      for (const DmaOrder order : {DmaOrder::unordered, DmaOrder::fifo}) {
        Operands operands(program, 1);
        RunOptions options{.schedule = schedule,
                           .copies = {.granularity = granularity, .order = order}};
        const RunResult result = run_ok(program, operands, options);
        EXPECT_EQ(text(result), "") << schedule;
        EXPECT_EQ(operands.values(0, "out"), expected_product(operands, 5)) << schedule;
      }
    }
  }
}

TEST(machine, counts_what_it_did) {
  const RunResult result = run_ok(product(5));
  EXPECT_EQ(result.stats.dmas, 11);
  EXPECT_EQ(result.stats.dma_bytes, 11 * 256);
  EXPECT_EQ(result.stats.matmul_flops, 5 * 2 * 8 * 8 * 8);
  EXPECT_EQ(result.stats.peak_vmem, (2 + 2 + 1 + 1) * 256);
  EXPECT_EQ(result.stats.peak_semaphores, 3);
  // alloc, cast; 5 x (fresh, 2 starts, wait, matmul); 6 at the end; 2 sides per copy.
  EXPECT_EQ(result.stats.steps, 2 + 5 * 5 + 6 + 11 * 2);
}

TEST(machine, runs_unchecked_to_the_same_values) {
  const Program program = product(3);
  Operands operands(program, 1);
  const RunResult result = run_ok(program, operands, {.checks = {.enabled = false}});
  EXPECT_EQ(text(result), "");
  EXPECT_EQ(result.trace_hash, 0U);
  EXPECT_EQ(operands.values(0, "out"), expected_product(operands, 3));
}

// Without checks, an analysis receives no events and would prove wrong claims.
TEST(machine, what_is_not_checked_cannot_be_observed) {
  const Program program = product(3);
  Operands operands(program, 1);
  const auto certificate =
      certify(program, operands.bindings(),
              {.run = {.checks = {.enabled = false}}, .granularity = CopyGranularity::whole});
  ASSERT_FALSE(certificate);
  EXPECT_EQ(certificate.diags().front().message, "expected no observers for a run without checks");
}

TEST(machine, hash_is_the_same_in_every_run) {
  const Program program = product(3);
  const std::uint64_t first = run_ok(program, {.schedule = "random:7"}).trace_hash;
  EXPECT_NE(first, run_ok(program, {.schedule = "random:8"}).trace_hash);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(run_ok(program, {.schedule = "random:7"}).trace_hash, first);
  // The same with every compiler.
  EXPECT_EQ(run_ok(program, {.schedule = "eager"}).trace_hash, 14081995631057208952U);
}

}  // namespace
}  // namespace tessera
