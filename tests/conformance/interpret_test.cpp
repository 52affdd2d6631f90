// The published cases of JAX's TPU interpret mode, on one device. A case that is a program alone,
// its verdict on its line, is a golden test beside this file.
#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "analysis/certificate/certificate.h"
#include "interp/machine/idle.h"
#include "interp/schedule/strategies.h"
#include "tests/conformance/text_kernel.h"

namespace tessera {
namespace {

using testing::expanded;
using testing::findings_of;
using testing::Operands;
using testing::run_ok;

// Runs it, expects no finding, and returns the result `o`.
std::vector<double> result_of(const Program& program, const RunOptions& options) {
  Operands operands(program, options.machine.devices);
  const RunResult result = run_ok(program, operands, options);
  EXPECT_EQ(testing::text(result), "");
  return operands.values(0, "o");
}

RunOptions scheduled(const std::string& schedule, int devices = 1) {
  RunOptions options;
  options.schedule = schedule;
  options.machine.devices = devices;
  return options;
}

RunOptions under(Uninitialised policy) {
  RunOptions options;
  options.checks.uninitialised = policy;
  return options;
}

TEST(ConformanceInterpret, matmul_example) {
  const Program program = expanded(R"(
kernel matmul(n = 1024, t = 512)
  in  a: f32[n, n] hbm
  in  b: f32[n, n] hbm
  out o: f32[n, n] hbm
{
  pipeline i in tiles(n, t) parallel, j in tiles(n, t) parallel {
    window x = a[i * t +: t, 0 +: n]
    window w = b[0 +: n, j * t +: t]
    window y = o[i * t +: t, j * t +: t]
    y = 0
    y += x . w
  }
}
)");
  Operands operands(program, 1);
  EXPECT_EQ(testing::text(run_ok(program, operands, scheduled("eager"))), "");
  const auto matrix = [&](const char* name) {
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const std::vector<double> values = operands.values(0, name);
    return Matrix(Eigen::Map<const Matrix>(values.data(), 1024, 1024));
  };
  // Whole numbers below 2^24: every order of the sums gives these very bits.
  EXPECT_EQ(matrix("o"), matrix("a") * matrix("b"));
}

TEST(ConformanceInterpret, not_evenly_divisible_by_block_shape) {
  const Program program = expanded(R"(
kernel doubled(x = 7, y = 768, z = 640)
  in  a: f32[x, y, z] hbm
  out o: f32[x, y, z] hbm
{
  pipeline i in tiles(x, 2) parallel, j in tiles(y, 512) parallel, k in tiles(z, 256) parallel {
    window w = a[i * 2 +: 2, j * 512 +: 512, k * 256 +: 256]
    window v = o[i * 2 +: 2, j * 512 +: 512, k * 256 +: 256]
    v = w + w
  }
}
)");
  Operands operands(program, 1);
  EXPECT_EQ(testing::text(run_ok(program, operands, scheduled("eager"))), "");
  std::vector<double> twice = operands.values(0, "a");
  for (double& value : twice) value *= 2;
  EXPECT_EQ(operands.values(0, "o"), twice);
}

// Ten ranges of a dimension of eight: start, size, and whether they lie inside.
TEST(ConformanceInterpret, is_range_out_of_bounds_for_shape) {
  struct Range {
    int start, size;
    bool inside;
  };
  constexpr Range ranges[] = {{0, 8, true},   {0, 9, false}, {7, 1, true},  {8, 1, false},
                              {-1, 1, false}, {3, 5, true},  {3, 6, false}, {-2, 4, false},
                              {8, 0, true},   {9, 0, true}};  // a copy of no elements has no place
  const Program program = expanded(R"(
kernel range()
  in  at: i32[2] smem
  in  a:  f32[8, 4] hbm
  vmem t: f32[16, 4]
  sem s: bytes
{
  start a[at[0] +: at[1] max 16, :] -> t[0 +: at[1] max 16, :], s
  wait s for t[0 +: at[1] max 16, :]
}
)");
  for (const Range& range : ranges) {
    Operands operands(program, 1);
    operands.of(0, "at").set(0, range.start);
    operands.of(0, "at").set(1, range.size);
    const std::string found = testing::text(run_ok(program, operands, scheduled("eager")));
    if (range.inside) {
      EXPECT_EQ(found, "") << range.start << " +: " << range.size;
    } else {
      EXPECT_TRUE(found.starts_with("8: out_of_bounds: read of a[")) << found;
    }
  }
}

// Undefined memory is NaN and shows in the result when nobody stops the run; under the other
// policies it is a finding.
TEST(ConformanceInterpret, uninitialized_memory) {
  for (const char* dtype : {"bf16", "f32", "i32"}) {
    const Program program = expanded(R"(
kernel undefined[T: bf16 f32 i32]()
  out o: T[4, 128] hbm
  vmem t: T[4, 128]
  vmem u: T[4, 128]
{
  t[0 +: 1, :] = 1
  u = cast(t + t)
  copy u -> o
}
)",
                                     {{"T", dtype}});
    EXPECT_EQ(findings_of(program, scheduled("eager")),
              "9: uninitialised_read: copy of u[0 .. 4, 0 .. 128] to o[0 .. 4, 0 .. 128] takes "
              "u[1, 0], which "
              "is undefined, into the result");
    EXPECT_TRUE(
        findings_of(program, under(Uninitialised::strict)).starts_with("8: uninitialised_read: "))
        << dtype;
    const std::vector<double> seen = result_of(program, under(Uninitialised::poison));
    EXPECT_EQ(seen[127], 2) << dtype;
    if (std::string(dtype) != "i32") {
      EXPECT_TRUE(std::isnan(seen[128])) << dtype;
    }
  }
}

// The number of steps is data, and the block of neither window moves: one copy in, one out.
TEST(ConformanceInterpret, dynamic_grid_and_aliasing) {
  const char* const one_more = R"(
kernel one_more()
  in  n: i32[3] smem
  in  a: f32[8, 128] hbm
  out o: f32[8, 128] hbm
{
  pipeline i in n[2] parallel {
    window x = a[0 +: 8, 0 +: 128]
    window y = o[0 +: 8, 0 +: 128]
    if i + 1 == n[2] { y = x + 1 }
  }
}
)";
  const Program program = expanded(one_more);
  Operands operands(program, 1);
  const RunResult result = run_ok(program, operands, scheduled("eager"));
  EXPECT_EQ(testing::text(result), "");
  EXPECT_EQ(result.stats.dmas, 2);
  std::vector<double> expected = operands.values(0, "a");
  for (double& value : expected) value += 1;
  EXPECT_EQ(operands.values(0, "o"), expected);
}

// What is not stored keeps what was there: the window is fetched before it is stored.
TEST(ConformanceInterpret, store_to_half_of_hbm_output_buffer) {
  const Program program = expanded(R"(
kernel half()
  in  a: f32[8, 128] hbm
  out o: f32[8, 128] hbm
{
  copy a -> o
  pipeline i in 1 {
    window y = o[0 +: 8, 0 +: 128] update
    y[0 +: 4, :] = y[0 +: 4, :] + 100
  }
}
)");
  Operands operands(program, 1);
  EXPECT_EQ(testing::text(run_ok(program, operands, scheduled("eager"))), "");
  std::vector<double> expected = operands.values(0, "a");
  for (std::size_t i = 0; i < 4 * 128; ++i) expected[i] += 100;
  EXPECT_EQ(operands.values(0, "o"), expected);
}

TEST(ConformanceInterpret, scalar_prefetch_example) {
  const Program program = expanded(R"(
kernel gather(n = 4)
  in  order: i32[n] smem
  in  a: f32[n, 128] hbm
  out o: f32[n, 128] hbm
{
  pipeline i in n {
    window x = a[order[i] +: 1, 0 +: 128]
    window y = o[i +: 1, 0 +: 128]
    y = x
  }
}
)");
  Operands operands(program, 1);
  constexpr int order[] = {3, 1, 0, 2};
  for (int i = 0; i < 4; ++i) operands.of(0, "order").set(i, order[i]);
  EXPECT_EQ(testing::text(run_ok(program, operands, scheduled("eager"))), "");
  const std::vector<double> a = operands.values(0, "a"), o = operands.values(0, "o");
  for (std::size_t i = 0; i < 4 * 128; ++i) {
    EXPECT_EQ(o[i], a[static_cast<std::size_t>(order[i / 128]) * 128 + i % 128]);
  }
}

// The tile arithmetic is left out, the protocol and its checks stay.
TEST(ConformanceInterpret, skip_floating_point_ops) {
  const Program program = expanded(R"(
kernel product()
  in  a: f32[64, 64] hbm
  out o: f32[64, 64] hbm
{
  pipeline i in 2, j in 2 {
    window x = a[i * 32 +: 32, 0 +: 64]
    window w = a[0 +: 64, j * 32 +: 32]
    window y = o[i * 32 +: 32, j * 32 +: 32]
    y = 0
    y += x . w
  }
}
)");
  RunOptions protocol_only;
  protocol_only.math = Math::none;
  const RunResult with = run_ok(program, scheduled("eager")),
                  without = run_ok(program, protocol_only);
  EXPECT_EQ(testing::text(without), "");
  EXPECT_GT(with.stats.matmul_flops, 0);
  EXPECT_EQ(with.trace_hash, without.trace_hash);
  EXPECT_EQ(with.stats.dma_bytes, without.stats.dma_bytes);
}

// Without arithmetic operands that are only copied still come to the result, past scratch whose
// floats nobody wants.
TEST(ConformanceInterpret, skip_floating_point_ops_keeps_copies) {
  const Program program = expanded(R"(
kernel copied()
  in   a:    f32[64, 64] hbm
  out  o:    f32[64, 64] hbm
  out  p:    f32[64, 64] hbm
  hbm  kept: f32[64, 64]
  hbm  sent: f32[64, 64]
  vmem x:    f32[64, 64]
  vmem y:    f32[64, 64]
  tile acc:  f32[64, 64]
  sem  done: bytes
{
  start a -> kept, done
  start a -> sent, done
  wait done for kept
  wait done for sent
  start sent -> x, done
  wait done for x
  acc = 0
  acc += x . x
  y = acc
  start kept -> o, done
  start y -> p, done
  wait done for kept
  wait done for y
}
)");
  RunOptions protocol_only;
  protocol_only.math = Math::none;
  const Table<BufferId, bool> idle = idle_buffers(program, protocol_only);
  for (const BufferId b : program.buffers.ids()) {
    const std::string& name = program.buffers[b].name;
    const bool is_kept = name == "a" || name == "o" || name == "p" || name == "kept";
    EXPECT_NE(idle[b], is_kept) << name;
  }
  for (const bool is_idle : idle_buffers(program, scheduled("eager"))) EXPECT_FALSE(is_idle);
  protocol_only.record.results = true;
  for (const bool is_idle : idle_buffers(program, protocol_only)) EXPECT_FALSE(is_idle);
  protocol_only.record.results = false;

  Operands operands(program, 1), with(program, 1);
  const RunResult without = run_ok(program, operands, protocol_only);
  EXPECT_EQ(testing::text(without), "");
  EXPECT_EQ(operands.values(0, "o"), operands.values(0, "a"));
  EXPECT_EQ(without.trace_hash, run_ok(program, with, scheduled("eager")).trace_hash);
}

// What is undefined without arithmetic is so of scratch that has no bytes, too.
TEST(ConformanceInterpret, skip_floating_point_ops_keeps_findings) {
  const Program program = expanded(R"(
kernel half()
  in   a:   f32[64, 64] hbm
  out  o:   f32[64, 64] hbm
  vmem x:   f32[64, 64]
  sem  done: bytes
{
  start a[0 +: 32, :] -> x[0 +: 32, :], done
  wait done for x[0 +: 32, :]
  x = x * 2
  start x -> o, done
  wait done for x
}
)");
  RunOptions protocol_only;
  protocol_only.math = Math::none;
  const RunResult with = run_ok(program, scheduled("eager")),
                  without = run_ok(program, protocol_only);
  ASSERT_EQ(with.findings.size(), 1U);
  EXPECT_EQ(with.findings[0].kind, FindingKind::uninitialised_read);
  EXPECT_EQ(testing::text(with), testing::text(without));
}

// Any order of the parallel points computes the same bits, and a seed gives one order.
TEST(ConformanceInterpret, randomization_of_parallel_dimensions) {
  const Program program = expanded(R"(
kernel rows_apart()
  in  a: f32[8, 512] hbm
  out o: f32[8, 512] hbm
{
  pipeline i in 8 parallel, j in 4 parallel {
    window x = a[0 +: 8, j * 128 +: 128]
    window y = o[0 +: 8, j * 128 +: 128]
    y[i +: 1, :] = x[i +: 1, :] * real(i + 1)
  }
}
)");
  const std::vector<double> expected = result_of(program, scheduled("eager"));
  const auto hash = [&](const std::string& schedule) {
    return run_ok(program, scheduled(schedule)).trace_hash;
  };
  for (int seed = 1; seed <= 20; ++seed) {
    const std::string schedule = "random:" + std::to_string(seed);
    EXPECT_EQ(result_of(program, scheduled(schedule)), expected) << schedule;
    EXPECT_EQ(hash(schedule), hash(schedule));
  }
  EXPECT_NE(hash("random:1"), hash("random:2"));
}

// Every device waits for every device; 1, 2 and 4 of them.
TEST(ConformanceInterpret, core_map) {
  const Program program =
      expanded("kernel meet()\n{\n  core_barrier(0)\n  require core < cores\n}\n");
  for (const int cores : {1, 2, 4}) {
    RunOptions options = scheduled("eager", 2);
    options.machine.cores = cores;
    EXPECT_EQ(findings_of(program, options), "") << cores;
  }
}

// What one run proves of all schedules, as "line: kind: message" of each finding.
std::string proved_of(const Program& program, int cores) {
  Operands operands(program, 1);
  RunOptions options = scheduled("eager");
  options.machine.cores = cores;
  const auto certificate = certify(program, operands.bindings(), {.run = options});
  if (!certificate) return render(certificate.diags());
  std::string all(name(certificate->verdict));
  for (Finding finding : certificate->findings) {
    finding.notes.clear();
    all += "\n" + testing::text(finding);
  }
  for (const RaceWitness& race : certificate->races) EXPECT_TRUE(race.is_shown) << race.outcome;
  return all;
}

// Scratch in hbm is that of the device: what one core writes the others read, behind a barrier.
TEST(ConformanceInterpret, allocate_shared_buffer_in_core_map) {
  const auto shares = [](const std::string& between) {
    return expanded(R"(
kernel shares()
  out  o: f32[4, 8] hbm
  hbm  shared: f32[4, 8]
  vmem t: f32[1, 8]
{
  t = core
  copy t -> shared[core +: 1, :]
)" + between + R"(
  copy shared[(core + 1) mod cores +: 1, :] -> t
  copy t -> o[core +: 1, :]
}
)");
  };
  const Program safe = shares("core_barrier(0)");
  EXPECT_EQ(proved_of(safe, 4), "proved");
  Operands operands(safe, 1);
  RunOptions options = scheduled("random:1");
  options.machine.cores = 4;
  EXPECT_EQ(testing::text(run_ok(safe, operands, options)), "");
  for (std::int64_t row = 0; row < 4; ++row)
    EXPECT_EQ(operands.of(0, "o").at(row * 8), static_cast<double>((row + 1) % 4));
  const std::string racy = proved_of(shares(""), 4);
  EXPECT_TRUE(
      racy.starts_with("refuted\n10: race: dev0.core3/dma#1 reads shared[0 .. 1, 0 .. 8] of dev0"))
      << racy;
}

TEST(ConformanceInterpret, two_cores_along_parallel_dimension) {
  const auto writes = [](const std::string& rows) {
    return expanded(R"(
kernel writes()
  in  a: f32[16, 128] hbm
  out o: f32[16, 128] hbm
{
  pipeline i in )" + rows +
                    R"( parallel {
    window x = a[i * 8 +: 8, :]
    window y = o[i * 8 +: 8, :]
    y = x + core
  }
}
)");
  };
  EXPECT_EQ(proved_of(writes("core .. core + 1"), 2), "proved");
  const std::string racy = proved_of(writes("0 .. 2 - core"), 2);
  EXPECT_TRUE(racy.starts_with("refuted\n")) << racy;
  EXPECT_NE(racy.find("race: dev0.core1/dma#"), std::string::npos) << racy;
  EXPECT_NE(racy.find("o[0 .. 8, 0 .. 128] of dev0"), std::string::npos) << racy;
}

// ceil(points / cores) points for each core, one after the other.
TEST(ConformanceInterpret, parallel_dimension_and_multiple_cores) {
  const Program program = expanded(R"(
kernel points()
  out o: i32[32, 512] hbm
{
  per = tiles(4, cores)
  pipeline i in min(4, core * per) .. min(4, core * per + per) parallel, j in 4 {
    window y = o[i * 8 +: 8, j * 128 +: 128]
    y = core
  }
}
)");
  for (int cores = 1; cores <= 6; ++cores) {
    EXPECT_EQ(proved_of(program, cores), "proved") << cores;
    Operands operands(program, 1);
    RunOptions options = scheduled("lazy");
    options.machine.cores = cores;
    EXPECT_EQ(testing::text(run_ok(program, operands, options)), "");
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t j = 0; j < 4; ++j)
        EXPECT_EQ(operands.of(0, "o").at(i * 8 * 512 + j * 128),
                  static_cast<double>(i / ((4 + cores - 1) / cores)));
  }
}

// One device goes wrong while the other waits for it: the run ends, and says what went wrong, not
// that somebody waits.
TEST(ConformanceInterpret, core_map_exception_no_hang) {
  const Program program = expanded(R"(
kernel fails()
  in  a: f32[8, 4] hbm
  vmem t: f32[1, 4]
  sem s: count
{
  if device == 0 {
    copy a[device + 8 +: 1, :] -> t
    signal s on 1, 1
  } else {
    wait s, 1
  }
}
)");
  for (const std::string& schedule : sample_schedules(2)) {
    EXPECT_EQ(findings_of(program, scheduled(schedule, 2)),
              "8: out_of_bounds: read of a[8 .. 9, 0 .. 4] leaves a[8, 4]");
  }
}

}  // namespace
}  // namespace tessera
