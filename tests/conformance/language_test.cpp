// The numbered requirements of the language, each shown by a small program whose result is known.
#include <numeric>
#include <vector>

#include "interp/observe/observer.h"
#include "interp/schedule/strategies.h"
#include "tests/conformance/text_kernel.h"

namespace tessera {
namespace {

using testing::expanded;
using testing::findings_of;
using testing::Operands;
using testing::run_ok;

using Values = std::vector<double>;

RunOptions scheduled(const std::string& schedule, int devices = 1) {
  RunOptions options;
  options.schedule = schedule;
  options.machine.devices = devices;
  return options;
}

struct Ran {
  Values a, o;
  RunResult result;
};

// Runs it without a finding; `sizes` goes into the operand of that name.
Ran ran(const Program& program, const std::vector<int>& sizes = {},
        const std::string& schedule = "eager", int devices = 1) {
  Operands operands(program, devices);
  for (int d = 0; d < devices; ++d) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      operands.of(d, "sizes").set(static_cast<std::int64_t>(i), sizes[i]);
  }
  Ran all;
  all.result = run_ok(program, operands, scheduled(schedule, devices));
  EXPECT_EQ(testing::text(all.result), "");
  all.a = operands.values(0, "a");
  all.o = operands.values(0, "o");
  return all;
}

std::string errors_of(const std::string& text, const Settings& settings = {}) {
  const auto program = test::program(text, settings);
  return program ? "" : test::messages(program.diags());
}

// A slice of dynamic size serves copies, waits, loads, stores and views; its bound is checked where
// it is used.
TEST(Language, R1_one_notion_of_slice) {
  const Program program = expanded(R"(
kernel part()
  in  sizes: i32[1] smem
  in  a: f32[8, 4] hbm
  out o: f32[8, 4] hbm
  vmem t: f32[8, 4]
  sem s: bytes
{
  n = sizes[0]
  t = 0
  start a[8 - n +: n max 8, :] -> t[0 +: n max 8, :], s
  wait s for t[0 +: n max 8, :]
  t[n +: 8 - n max 8, 1 +: 2] = 7
  copy t -> o
}
)");
  const Ran three = ran(program, {3});
  for (std::size_t i = 0; i < 32; ++i) {
    const std::size_t row = i / 4, column = i % 4;
    const double expected = row < 3 ? three.a[i + 20] : column == 1 || column == 2 ? 7 : 0;
    EXPECT_EQ(three.o[i], expected) << i;
  }
  Operands operands(program, 1);
  operands.of(0, "sizes").set(0, 9);
  EXPECT_TRUE(testing::text(run_ok(program, operands, scheduled("eager")))
                  .starts_with("11: out_of_bounds: "));
}

// Functions are inlined; they have scratch and defaults, take extents from their arguments, and
// give back scalars, arrays and functions of an index.
TEST(Language, R2_functions) {
  const Program program = expanded(R"(
function doubled(to: f32[r, c], from: f32[r, c], by = 2)
  vmem t: f32[r, c]
{
  copy from -> t
  t = t * real(by)
  copy t -> to
}

function cut(sizes: i32[n]) {
  sums = prefix_sum(sizes)
  begin(g) = sums[g]
  return total = sums[n]
         ends = sums
         length(g) = sums[g + 1] - begin(g)
}

kernel calls()
  in  sizes: i32[3] smem
  in  a: f32[8, 4] hbm
  out o: f32[8, 4] hbm
{
  c = cut(sizes)
  require c.total == 8 and c.length(1) == 5 and c.ends[2] == 7, "the pieces are 2, 5 and 1"
  doubled(o[0 +: 2, :], a[0 +: 2, :])
  doubled(o[2 +: 6, :], a[2 +: 6, :], by = 3)
}
)");
  const Ran all = ran(program, {2, 5, 1});
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(all.o[i], all.a[i] * (i < 8 ? 2 : 3)) << i;
}

// A window on data that is in vmem copies nothing; outside its bounds it reads the pad value.
TEST(Language, R3_a_window_on_vmem_is_a_view) {
  const Program program = expanded(R"(
kernel view()
  in  a: f32[6, 4] hbm
  out o: f32[8, 4] hbm
  vmem t: f32[6, 4]
  vmem u: f32[8, 4]
{
  copy a -> t
  pipeline i in 2 {
    window x = t[i * 4 +: 4, 0 +: 4] pad 0
    u[i * 4 +: 4, :] = x + 1
  }
  copy u -> o
}
)");
  const Ran all = ran(program);
  EXPECT_EQ(all.result.stats.dmas, 2);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(all.o[i], i < 24 ? all.a[i] + 1 : 1) << i;
}

// `pad 0` gives zeros where the window leaves the operand; `when` fetches and stores nothing;
// reading then is an error.
TEST(Language, R4_windows_have_padding_conditions_and_depth) {
  const auto text = [](const char* condition) {
    return R"(
kernel sums(deep = 2)
  in  a: f32[8, 6] hbm
  out o: f32[8, 1] hbm
{
  pipeline i in 4 {
    window x = a[i * 2 +: 2, 0 +: 8] depth deep, pad 0, when i mod 2 == 0
    window y = o[i * 2 +: 2, 0 +: 1]
    y = 0
    if )" + std::string(condition) +
           R"( { y = row_sum(x) }
  }
}
)";
  };
  for (const char* depth : {"1", "2", "3", "7"}) {
    const Ran all = ran(expanded(text("i mod 2 == 0"), {{"deep", depth}}));
    EXPECT_EQ(all.result.stats.dmas, 2 + 4) << depth;
    for (std::size_t row = 0; row < 8; ++row) {
      const double sum =
          std::accumulate(all.a.begin() + static_cast<std::ptrdiff_t>(row * 6),
                          all.a.begin() + static_cast<std::ptrdiff_t>(row * 6 + 6), 0.0);
      EXPECT_EQ(all.o[row], row / 2 % 2 == 0 ? sum : 0) << row;
    }
  }
  EXPECT_NE(findings_of(expanded(text("i < 4")), scheduled("eager")), "");
}

// Only what was stored goes back, and the copy still counts the whole block.
TEST(Language, R5_stores_have_row_and_column_ranges) {
  const Program program = expanded(R"(
kernel corners()
  in  a: f32[8, 8] hbm
  out o: f32[8, 8] hbm
{
  pipeline i in 2, j in 2 {
    window x = a[0 +: 8, 0 +: 8]
    window y = o[0 +: 8, 0 +: 8]
    y[i * 4 +: 4, j * 4 +: 4] = x[i * 4 +: 4, j * 4 +: 4]
  }
  pipeline i in 1 {
    window z = o[0 +: 8, 0 +: 8] update
    z[2 +: 1, 3 +: 2] = z[2 +: 1, 3 +: 2] + 100
  }
}
)");
  const Ran all = ran(program);
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_EQ(all.o[i], all.a[i] + (i == 19 || i == 20 ? 100 : 0)) << i;
}

// Rows inside a product, and a grid dimension that ends where the one to its left says.
TEST(Language, R6_row_ranges_in_products_and_grids_of_other_shapes) {
  const Program program = expanded(R"(
kernel ragged()
  in  sizes: i32[2] smem
  in  a: f32[8, 8] hbm
  out o: f32[8, 8] hbm
  tile acc: f32[8, 8]
{
  rows = sizes[0] .. sizes[1]
  pipeline i in 3, j in i + 1 {
    window x = a[0 +: 8, 0 +: 8]
    window y = o[0 +: 8, 0 +: 8]
    if first(i) { acc = 0 }
    acc += x[:, rows] . x[rows, :]
    if last(i) and last(j) { y = acc }
  }
}
)");
  const Ran all = ran(program, {2, 5});
  for (std::size_t r = 0; r < 8; ++r) {
    for (std::size_t c = 0; c < 8; ++c) {
      double sum = 0;
      for (std::size_t k = 2; k < 5; ++k) sum += all.a[r * 8 + k] * all.a[k * 8 + c];
      EXPECT_EQ(all.o[r * 8 + c], 6 * sum) << r << ", " << c;  // 1 + 2 + 3 steps
    }
  }
}

const char* const exchange = R"(
kernel exchange()
  in  a: f32[2, 4] hbm
  in  table: i32[1, 2] smem
  out o: f32[2, 4] hbm
  out places: i32[1, 2] smem
  vmem inbox: f32[2, 4]
  sem sent: bytes
  sem arrived[2]: bytes
  sem met: barrier(1)
  sem stage: count monotone
{
  other = (device + 1) mod devices
  signal met on other, 1
  wait met, 1
  start a -> other: inbox, sent, arrived[0]
  start table -> other: places, sent, arrived[1]
  wait sent for a
  wait sent for table
  wait arrived[0] for inbox
  wait arrived[1] for places
  signal stage, 2
  await stage, 1
  await stage, 2
  copy inbox -> o
}
)";

// Counting, byte and barrier semaphores, arrays of them, monotone ones; copies to vmem and smem of
// another device.
TEST(Language, R7_R8_semaphores_and_copies) {
  const Program program = expanded(exchange);
  for (const std::string& schedule : sample_schedules(1)) {
    Operands operands(program, 2);
    EXPECT_EQ(testing::text(run_ok(program, operands, scheduled(schedule, 2))), "");
    EXPECT_EQ(operands.values(0, "o"), operands.values(1, "a"));
    EXPECT_EQ(operands.values(1, "places"), operands.values(0, "table"));
  }
  RunOptions gpu = scheduled("eager", 2);
  gpu.machine.profile.name = "gpu";
  gpu.machine.profile.remote_vmem = false;
  const std::string of_one_device =
      "16: unsupported: remote copy to inbox[0 .. 2, 0 .. 4]: on gpu no remote copy can write to "
      "vmem";
  EXPECT_EQ(findings_of(program, gpu), of_one_device + "\n" + of_one_device);
}

// A place in a ring and a device id are different things: neighbours come from a table.
TEST(Language, R9_neighbours_come_from_tables) {
  const Program program = expanded(R"(
kernel around()
  in  ring:  i32[4] smem
  in  place: i32[4] smem
  in  a: f32[1, 4] hbm
  out o: f32[1, 4] hbm
  sem sent: bytes
  sem arrived: bytes
{
  start a -> ring[(place[device] + 1) mod devices]: o, sent, arrived
  wait sent for a
  wait arrived for o
}
)");
  constexpr int ring[] = {2, 0, 3, 1}, place[] = {1, 3, 0, 2};
  Operands operands(program, 4);
  for (int d = 0; d < 4; ++d) {
    for (int i = 0; i < 4; ++i)
      operands.of(d, "ring").set(i, ring[i]), operands.of(d, "place").set(i, place[i]);
  }
  EXPECT_EQ(testing::text(run_ok(program, operands, scheduled("random:3", 4))), "");
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(operands.values(ring[(i + 1) % 4], "o"), operands.values(ring[i], "a")) << i;
}

// Tuning changes no result; a kernel validates its parameters when it is made, and what it reads
// when it runs.
TEST(Language, R10_parameters_and_requirements) {
  const std::string text = R"(
kernel doubled(rows; tile_rows = 4)
  in  sizes: i32[1] smem
  in  a: f32[rows, 4] hbm
  out o: f32[rows, 4] hbm
  hbm between: f32[rows, 4]
{
  require rows mod 2 == 0, "rows come in pairs"
  require sizes[0] <= rows, "more rows than there are"
  pipeline i in tiles(rows, tile_rows) {
    window x = a[i * tile_rows +: tile_rows, 0 +: 4]
    window y = between[i * tile_rows +: tile_rows, 0 +: 4]
    y = x * 2
  }
  copy between -> o
}
)";
  Values first;
  for (const char* tile : {"1", "3", "4", "100"}) {
    const Ran all = ran(expanded(text, {{"rows", "10"}, {"tile_rows", tile}}), {10});
    if (first.empty()) first = all.o;
    EXPECT_EQ(all.o, first) << tile;
  }
  EXPECT_EQ(errors_of(text, {{"rows", "9"}}), "8:3: rows come in pairs");
  const Program program = expanded(text, {{"rows", "10"}});
  Operands operands(program, 1);
  operands.of(0, "sizes").set(0, 11);
  const auto refused = run(program, operands.bindings(), scheduled("eager"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(test::messages(refused.diags()), "9:3: more rows than there are");
}

// One text for every type; the accumulator's type follows; an operand says how it is stored.
TEST(Language, R11_type_parameters) {
  const std::string text = R"(
kernel product[T: bf16 f32 i8]()
  in  a: T[4, 8] hbm
  in  b: T[4, 8] hbm order(1, 0)
  out o: accumulator(T)[4, 4] hbm
  tile acc: accumulator(T)[4, 4]
{
  pipeline i in 1 {
    window x = a[0 +: 4, 0 +: 8]
    window w = b[0 +: 4, 0 +: 8]
    window y = o[0 +: 4, 0 +: 4]
    acc = x . transpose(w)
    y = acc
  }
}
)";
  for (const char* type : {"bf16", "f32", "i8"}) {
    const Program program = expanded(text, {{"T", type}});
    EXPECT_EQ(program.find_buffer("o")->dtype, std::string(type) == "i8" ? DType::i32 : DType::f32);
  }
  EXPECT_EQ(errors_of(text, {{"T", "f16"}}),
            "2:16: type parameter `T` is one of bf16, f32, i8, found `f16`");
}

// Scalars have 64 bits, `mod` is never negative, division rounds down; floats are operands of tile
// ops only.
TEST(Language, R12_scalars) {
  const Program program = expanded(R"(
kernel scalars()
  in  sizes: i32[2] smem
  in  a: f32[1, 8] hbm
  out o: i64[6] smem
{
  x = sizes[0]
  big = x * 1000000007 * 1000000007
  o[0] = big / 1000000007
  o[1] = (0 - 7) mod x
  o[2] = (0 - 7) / x
  o[3] = select(x > 2, min(x, 9), max(x, 9))
  o[4] = clamp(x, 4, 5)
  o[5] = popcount(x + sizes[1])
}
)");
  EXPECT_EQ(ran(program, {3, 4}).o, (Values{3000000021, 2, -3, 3, 4, 3}));
  EXPECT_EQ(errors_of("kernel k()\n  in a: f32[1] smem\n{\n  if load_real(a[0]) { x = 1 }\n}\n")
                .substr(0, 4),
            "4:6:");
}

// A hundred runs, one trace.
TEST(Language, R13_a_run_is_a_function_of_its_schedule) {
  const Program program = expanded(exchange);
  const auto hash = [&](const std::string& schedule) {
    return run_ok(program, scheduled(schedule, 2)).trace_hash;
  };
  for (const std::string schedule : {"eager", "random:7"}) {
    const std::uint64_t first = hash(schedule);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(hash(schedule), first);
  }
}

// What an executor does not do is refused with the op, the line and the reason.
TEST(Language, R14_accepted_or_refused_with_a_reason) {
  RunOptions torus = scheduled("eager", 8);
  torus.machine.profile.name = "v5e";
  torus.machine.profile.power_of_two_routes = true;
  const Program program = expanded(R"(
kernel far()
  in  a: f32[1, 4] hbm
  out o: f32[1, 4] hbm
  sem sent: bytes
  sem arrived: bytes
{
  if device == 0 { start a -> 3: o, sent, arrived }
}
)");
  const std::string found = findings_of(program, torus);
  EXPECT_TRUE(found.starts_with(
      "8: unsupported: profile v5e sends copies only to devices whose number differs by a "
      "power of two, and 0 and 3 differ by 3; `gmm-run list` shows profiles without this limit\n"))
      << found;
}

// What `expand` prints is a program: it parses, verifies, expands to itself and runs to the same
// results.
TEST(Language, R15_an_expanded_program_is_a_program) {
  const std::string text = R"(
kernel product()
  in  a: f32[20, 12] hbm
  out o: f32[20, 20] hbm
  tile acc: f32[8, 8]
{
  pipeline i in 3 parallel, j in 3 parallel, s in 2 {
    window x = a[i * 8 +: 8, s * 8 +: 8] pad 0
    window w = a[j * 8 +: 8, s * 8 +: 8] depth 3, pad 0
    window y = o[i * 8 +: 8, j * 8 +: 8]
    if first(s) { acc = 0 }
    acc += x . transpose(w)
    if last(s) { y = acc }
  }
}
)";
  const Program once = expanded(text);
  const std::string printed = print(once);
  const Program again = expanded(printed);
  // The text has no table of loops, and so not the numbers that only the table keeps.
  EXPECT_EQ(print(expanded(print(again))), print(again));
  const Ran first = ran(once), second = ran(again);
  EXPECT_EQ(first.o, second.o);
  EXPECT_EQ(first.result.stats.steps, second.result.stats.steps);
}

// Each step's block arrives by a wait in the step before it: it is not fetched any earlier.
TEST(Language, R16_no_prefetch_across_a_wait_in_the_body) {
  const Program program = expanded(R"(
kernel hops(n = 4)
  in  a: f32[1, 128] hbm
  out o: f32[n, 128] hbm
  hbm inbox: f32[n, 1, 128]
  sem sent: bytes
  sem arrived[n]: bytes
{
  copy a -> inbox[0, :, :]
  all_barrier(0)
  pipeline s in n {
    window x = inbox[s, 0 +: 1, 0 +: 128] depth 3
    window y = o[s +: 1, 0 +: 128]
    y = x
    if s + 1 < n {
      start inbox[s, :, :] -> 1 - device: inbox[s + 1, :, :], sent, arrived[s]
      wait sent for inbox[s, :, :]
      wait arrived[s] for inbox[s + 1, :, :]
    }
  }
}
)");
  for (const std::string& schedule : sample_schedules(2)) {
    Operands operands(program, 2);
    EXPECT_EQ(testing::text(run_ok(program, operands, scheduled(schedule, 2))), "") << schedule;
    const Values mine = operands.values(0, "a"), theirs = operands.values(1, "a"),
                 o = operands.values(0, "o");
    for (std::size_t i = 0; i < 4 * 128; ++i)
      EXPECT_EQ(o[i], (i / 128 % 2 == 0 ? mine : theirs)[i % 128]) << schedule;
  }
}

}  // namespace
}  // namespace tessera
