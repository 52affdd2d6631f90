// Several devices: remote copies, barriers and credits. Every schedule and copy granularity gives
// the same values and no findings.
#include "interp/observe/trace_text.h"
#include "interp/schedule/schedule.h"
#include "interp/schedule/strategies.h"
#include "tests/unit/interp_kernel.h"

namespace tessera {
namespace {

using testing::Kernel;
using testing::Operands;
using testing::run_ok;
using testing::text;

constexpr std::int64_t width = 16;
constexpr std::int64_t block_bytes = width * 4;

// Each device sends its shard to the right, after a barrier with its neighbours.
Program right_permute() {
  Kernel k;
  k.line(1);
  const ValueId shard = k.ref("shard", Role::in, Space::hbm, {width});
  const ValueId out = k.ref("out", Role::out, Space::hbm, {width});
  k.line(2);
  const ValueId entry =
      k.semaphore({.name = "entry", .kind = SemKind::barrier, .shape = {}, .collective = 7});
  const ValueId sent = k.sem("sent", SemKind::bytes), arrived = k.sem("arrived", SemKind::bytes);
  const ValueId left = k.device_to_the_left(), right = k.device_to_the_right();
  k.line(3);
  k.emit(Signal{k.all(entry), left, k.integer(1)});
  k.emit(Signal{k.all(entry), right, k.integer(1)});
  k.line(4);
  k.emit(Wait{k.all(entry), k.integer(2)});
  k.line(5);
  k.emit(StartRemote{k.all(shard), right, k.all(out), k.all(sent), k.all(arrived), 0});
  k.line(6);
  k.emit(Wait{k.all(sent), k.integer(block_bytes)});
  k.line(7);
  k.emit(Wait{k.all(arrived), k.integer(block_bytes)});
  return k.finish();
}

// out[d] = the shard of device d, passed around the ring in slots that the receiver credits.
Program all_gather(int devices, std::int64_t slots) {
  Kernel k;
  k.line(1);
  const ValueId n = k.integer(devices), one = k.integer(1), zero = k.integer(0),
                w = k.integer(width);
  const ValueId shard = k.ref("shard", Role::in, Space::hbm, {width});
  const ValueId out = k.ref("out", Role::out, Space::hbm, {devices, width});
  const ValueId slot = k.ref("slot", Role::scratch, Space::hbm, {slots, width});
  const ValueId sent = k.sem("sent", SemKind::bytes),
                arrived = k.sem("arrived", SemKind::bytes, {slots});
  const ValueId stored = k.sem("stored", SemKind::bytes), credit = k.sem("credit", SemKind::count);
  const ValueId me = k.device(), left = k.device_to_the_left(), right = k.device_to_the_right();
  const auto row = [&](ValueId ref, ValueId i) { return k.at(ref, {{i}, {zero, w}}); };
  k.line(2);
  k.emit(Start{k.all(shard), row(out, me), k.all(stored), 0});
  k.emit(Wait{k.all(stored), k.integer(block_bytes)});
  const ValueId s = k.emit(For{zero, k.integer(devices - 1), 0}, "s");
  Builder& b = k.builder();
  const ValueId source = k.emit(Mod{b.add(b.sub(me, s), n), n});
  const ValueId next = k.emit(Mod{b.sub(b.add(b.sub(me, s), n), one), n});
  const ValueId to = k.emit(Mod{s, k.integer(slots)});
  k.line(3);
  k.emit(If{k.emit(Le{k.integer(slots), s})});
  k.emit(Wait{k.all(credit), one});
  k.emit(End{});
  k.line(4);
  k.emit(
      StartRemote{row(out, source), right, row(slot, to), k.all(sent), k.at(arrived, {{to}}), 0});
  k.emit(Wait{k.all(sent), k.integer(block_bytes)});
  k.line(5);
  k.emit(Wait{k.at(arrived, {{to}}), k.integer(block_bytes)});
  k.emit(Start{row(slot, to), row(out, next), k.all(stored), 0});
  k.emit(Wait{k.all(stored), k.integer(block_bytes)});
  k.line(6);
  k.emit(If{k.emit(Lt{b.add(s, k.integer(slots)), k.integer(devices - 1)})});
  k.emit(Signal{k.all(credit), left, one});
  k.emit(End{});
  k.emit(End{});
  return k.finish();
}

// Every device adds its shard to a sum on device 0, which starts at zero.
Program sum_to_device_0() {
  Kernel k;
  k.line(1);
  const ValueId shard = k.ref("shard", Role::in, Space::hbm, {width});
  const ValueId sum = k.ref("sum", Role::in, Space::hbm, {width});
  const ValueId sent = k.sem("sent", SemKind::bytes), arrived = k.sem("arrived", SemKind::bytes);
  k.emit(StartRemote{k.all(shard), k.integer(0), k.all(sum), k.all(sent), k.all(arrived), 1});
  k.emit(Wait{k.all(sent), k.integer(block_bytes)});
  k.emit(If{k.emit(Eq{k.device(), k.integer(0)})});
  k.emit(Wait{k.all(arrived), k.builder().mul(k.emit(DeviceCount{}), k.integer(block_bytes))});
  k.emit(End{});
  return k.finish();
}

std::vector<RunOptions> every_way(int devices) {
  std::vector<RunOptions> all;
  for (const std::string& schedule : sample_schedules(3))
    for (const CopyGranularity granularity : {CopyGranularity::whole, CopyGranularity::partial})
      for (const DmaOrder order : {DmaOrder::unordered, DmaOrder::fifo})
        for (const int slow : {-1, 0, devices - 1})
          all.push_back({.machine = {.devices = devices, .slow_device = slow},
                         .schedule = schedule,
                         .copies = {.granularity = granularity, .order = order}});
  return all;
}

TEST(devices, a_right_permute_is_the_same_in_every_schedule) {
  const Program program = right_permute();
  for (const RunOptions& options : every_way(4)) {
    Operands operands(program, 4);
    const RunResult result = run_ok(program, operands, options);
    EXPECT_EQ(text(result), "") << options.schedule;
    for (int d = 0; d < 4; ++d)
      EXPECT_EQ(operands.values((d + 1) % 4, "out"), operands.values(d, "shard"));
    // Per device: 3 signals and waits, 1 start, 2 waits, and 2 sides of the copy; 4 parts for
    // partial copies, or a random number.
    const bool draws = find_strategy(parse_schedule(options.schedule)->strategy)->arguments !=
                       ScheduleArguments::none;
    const bool is_drawn = options.copies.granularity == CopyGranularity::partial && draws;
    if (!is_drawn) {
      EXPECT_EQ(result.stats.steps,
                4 * (options.copies.granularity == CopyGranularity::whole ? 8 : 10));
    }
  }
}

TEST(devices, an_all_gather_with_credits_is_the_same_in_every_schedule) {
  for (const std::int64_t slots : {1, 2}) {
    const Program program = all_gather(5, slots);
    for (const RunOptions& options : every_way(5)) {
      Operands operands(program, 5);
      EXPECT_EQ(text(run_ok(program, operands, options)), "") << options.schedule;
      std::vector<double> whole;
      for (int d = 0; d < 5; ++d)
        for (const double v : operands.values(d, "shard")) whole.push_back(v);
      for (int d = 0; d < 5; ++d) EXPECT_EQ(operands.values(d, "out"), whole) << options.schedule;
    }
  }
}

TEST(devices, copies_that_add_sum_in_any_order) {
  const Program program = sum_to_device_0();
  for (const RunOptions& options : every_way(3)) {
    Operands operands(program, 3);
    std::vector<double> expected(width);
    for (int d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] += operands.values(d, "shard")[i] + (d == 0 ? operands.values(0, "sum")[i] : 0);
    EXPECT_EQ(text(run_ok(program, operands, options)), "") << options.schedule;
    EXPECT_EQ(operands.values(0, "sum"), expected) << options.schedule;
  }
}

TEST(devices, a_recorded_run_replays_to_the_same_events) {
  const Program program = all_gather(4, 2);
  for (RunOptions options : every_way(4)) {
    options.record.schedule = true;
    std::string first_text, second_text;
    TextTrace trace([&](std::string_view line) { first_text += line; });
    TextTrace again([&](std::string_view line) { second_text += line; });
    options.observers = {&trace};
    const RunResult first = run_ok(program, options);
    options.schedule = first.schedule;
    options.observers = {&again};
    const RunResult second = run_ok(program, options);
    EXPECT_EQ(first.trace_hash, second.trace_hash);
    EXPECT_EQ(first_text, second_text);
    EXPECT_EQ(second.schedule, first.schedule);
  }
}

TEST(devices, a_finding_names_the_schedule_that_was_run) {
  EXPECT_EQ(run_ok(right_permute(), {.machine = {.devices = 2}, .schedule = "lazy"}).schedule,
            "lazy");
}

TEST(devices, a_schedule_that_does_not_fit_is_refused) {
  const Program program = right_permute();
  Operands operands(program, 2);
  const auto stops = run(program, operands.bindings(),
                         {.machine = {.devices = 2}, .schedule = "steps:dev0.core0*9"});
  ASSERT_FALSE(stops);
  EXPECT_EQ(stops.diags()[0].message,
            "entry 1 of the schedule requires 9 steps of dev0.core0, which can take only 2");
  const auto missing =
      run(program, operands.bindings(),
          {.machine = {.devices = 2}, .schedule = "steps:dev0.core0,dev1.core0/dma#0"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(
      missing.diags()[0].message,
      "entry 2 of the schedule names dev1.core0/dma#0, which cannot move at that moment: it is "
      "blocked, has ended or was not started");
}

TEST(devices, a_partial_schedule_goes_on_eagerly) {
  const RunResult result = run_ok(
      right_permute(),
      {.machine = {.devices = 2}, .schedule = "steps:dev1.core0*2", .record = {.schedule = true}});
  EXPECT_EQ(text(result), "");
  EXPECT_EQ(result.schedule.substr(0, 31), "steps:dev1.core0*2,dev0.core0*4");
}

TEST(devices, the_trace_is_one_line_a_step) {
  std::string lines;
  TextTrace trace([&](std::string_view line) { lines += line; });
  RunOptions options{.machine = {.devices = 2}, .observers = {&trace}};
  run_ok(right_permute(), options);
  EXPECT_EQ(lines, R"(dev0.core0  1  signal  entry += 1 on dev1  t.tsr:3
dev0.core0  2  signal  entry += 1 on dev1  t.tsr:3
dev1.core0  3  signal  entry += 1 on dev0  t.tsr:3
dev1.core0  4  signal  entry += 1 on dev0  t.tsr:3
dev1.core0  5  wait  entry -= 2  t.tsr:4
dev1.core0  6  start_remote  dma#0 of 64 bytes  t.tsr:5
dev1.core0/dma#0  7  start_remote  read shard[0 .. 16]  sent += 64  t.tsr:5
dev1.core0/dma#0  8  start_remote  write out[0 .. 16] on dev0  arrived += 64 on dev0  t.tsr:5
dev0.core0  9  wait  entry -= 2  t.tsr:4
dev0.core0  10  start_remote  dma#0 of 64 bytes  t.tsr:5
dev0.core0/dma#0  11  start_remote  read shard[0 .. 16]  sent += 64  t.tsr:5
dev0.core0/dma#0  12  start_remote  write out[0 .. 16] on dev1  arrived += 64 on dev1  t.tsr:5
dev1.core0  13  wait  sent -= 64  t.tsr:6
dev1.core0  14  wait  arrived -= 64  t.tsr:7
dev0.core0  15  wait  sent -= 64  t.tsr:6
dev0.core0  16  wait  arrived -= 64  t.tsr:7
)");
}

TEST(devices, partial_landing_lets_parts_of_two_copies_pass_a_wait) {
  Kernel k;
  k.line(1);
  const ValueId a = k.ref("a", Role::in, Space::hbm, {100});
  const ValueId x = k.ref("x", Role::scratch, Space::vmem, {100}),
                y = k.ref("y", Role::scratch, Space::vmem, {100});
  const ValueId got = k.ref("got", Role::scratch, Space::smem, {1});
  const ValueId sem = k.sem("sem", SemKind::bytes);
  k.emit(Start{k.rows(a, 0, 25), k.rows(x, 0, 25), k.all(sem), 0});
  k.emit(Start{k.rows(a, 0, 75), k.rows(y, 0, 75), k.all(sem), 0});
  k.line(2);
  k.emit(Wait{k.all(sem), k.integer(300)});
  k.line(3);
  k.emit(Wait{k.all(sem), k.integer(100)});
  static_cast<void>(got);
  const Program program = k.finish();
  // 300 = 296 + 4: all except the last granule of the big copy, and 96 of the small one.
  RunOptions options{.copies = {.granularity = CopyGranularity::partial},
                     .record = {.schedule = true}};
  options.machine.profile.dma_granule = 4;
  options.schedule = "steps:dev0.core0*2,dev0.core0/dma#0*2,dev0.core0/dma#1*2,dev0.core0";
  const RunResult result = run_ok(program, options);
  EXPECT_EQ(text(result), "");
  EXPECT_EQ(result.schedule,
            options.schedule + ",dev0.core0/dma#0*2,dev0.core0/dma#1*2,dev0.core0");
  // If copies are whole, the same wait needs the second copy.
  options.copies.granularity = CopyGranularity::whole;
  options.schedule = "lazy";
  EXPECT_EQ(run_ok(program, options).schedule,
            "steps:dev0.core0*2,dev0.core0/dma#0*2,dev0.core0/dma#1*2,dev0.core0*2");
}

// Device 0 sends twice to device 1, and both wait for the second copy first.
Program two_to_one_device() {
  Kernel k;
  k.line(1);
  const ValueId a = k.ref("a", Role::in, Space::hbm, {4});
  const ValueId x = k.ref("x", Role::scratch, Space::vmem, {2, 4});
  const ValueId sent = k.sem("sent", SemKind::bytes, {2});
  const ValueId arrived = k.sem("arrived", SemKind::bytes, {2});
  const ValueId zero = k.integer(0), one = k.integer(1), four = k.integer(4);
  k.emit(If{k.emit(Eq{k.device(), zero})});
  for (const int i : {0, 1})
    k.emit(StartRemote{k.all(a), one, k.at(x, {{k.integer(i)}, {zero, four}}), k.cell(sent, i),
                       k.cell(arrived, i), 0});
  for (const int i : {1, 0}) k.emit(Wait{k.cell(sent, i), k.integer(16)});
  k.emit(End{});
  k.emit(If{k.emit(Eq{k.device(), one})});
  for (const int i : {1, 0}) k.emit(Wait{k.cell(arrived, i), k.integer(16)});
  k.emit(End{});
  return k.finish();
}

// Reads are unordered, also for copies that complete in order.
TEST(devices, copies_of_a_link_land_in_order) {
  const Program program = two_to_one_device();
  const auto schedule = [&](const char* name, DmaOrder order) {
    const RunResult result = run_ok(program, {.machine = {.devices = 2},
                                              .schedule = name,
                                              .copies = {.order = order},
                                              .record = {.schedule = true}});
    EXPECT_EQ(text(result), "");
    return result.schedule;
  };
  EXPECT_EQ(schedule("lazy", DmaOrder::unordered),
            "steps:dev0.core0*2,dev0.core0/dma#1*2,dev0.core0,dev0.core0/dma#0,dev1.core0,"
            "dev0.core0/dma#0,dev0.core0,dev1.core0");
  // The second copy reads its source before the first one moves, and completes after it.
  EXPECT_EQ(schedule("lazy", DmaOrder::fifo),
            "steps:dev0.core0*2,dev0.core0/dma#1,dev0.core0/dma#0*2,dev0.core0/dma#1,dev0.core0*2,"
            "dev1.core0*2");
  EXPECT_EQ(schedule("lifo", DmaOrder::fifo),
            "steps:dev0.core0*2,dev0.core0/dma#1,dev0.core0,dev0.core0/dma#0,dev0.core0,dev0.core0/"
            "dma#0,dev0.core0/dma#1,dev1.core0*2");
}

TEST(devices, a_slow_device_moves_last) {
  const RunResult result = run_ok(all_gather(3, 1), {.machine = {.devices = 3, .slow_device = 0},
                                                     .record = {.schedule = true}});
  EXPECT_EQ(text(result), "");
  // The other devices run until they need device 0, and again after each of its steps that unblocks
  // them.
  EXPECT_EQ(
      result.schedule.substr(0, result.schedule.find(",dev0")),
      "steps:dev1.core0,dev1.core0/dma#0*2,dev2.core0,dev2.core0/dma#0*2,dev1.core0*2,dev1.core0/"
      "dma#1*2,"
      "dev2.core0*2,dev2.core0/dma#1*2,dev1.core0,dev2.core0*3,dev2.core0/dma#2*2,dev2.core0*2");
}

TEST(devices, parallel_loops_follow_the_order_of_the_seed) {
  Kernel k;
  k.line(1);
  const ValueId out = k.ref("out", Role::out, Space::smem, {8}, DType::i32);
  const ValueId count = k.ref("count", Role::scratch, Space::smem, {1}, DType::i32);
  k.emit(Store{k.cell(count, 0), k.integer(0)});
  const ValueId i = k.emit(For{k.integer(0), k.integer(8), 1}, "i");
  const ValueId n = k.emit(Load{k.cell(count, 0)});
  k.emit(Store{k.at(out, {{i}}), n});
  k.emit(Store{k.cell(count, 0), k.builder().add(n, k.integer(1))});
  k.emit(End{});
  const Program program = k.finish();
  const auto visits = [&](const std::string& schedule, std::string* recorded = nullptr) {
    Operands operands(program, 1);
    const RunResult result =
        run_ok(program, operands, {.schedule = schedule, .record = {.schedule = true}});
    EXPECT_EQ(text(result), "");
    if (recorded != nullptr) *recorded = result.schedule;
    return operands.values(0, "out");
  };
  const std::vector<double> ascending = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(visits("eager"), ascending);
  std::string recorded;
  const std::vector<double> mixed = visits("random:3", &recorded);
  EXPECT_NE(mixed, ascending);
  EXPECT_EQ(recorded, "steps:order:3,dev0.core0*25");
  EXPECT_EQ(visits(recorded), mixed);
}

TEST(devices, many_copies_need_little_memory) {
  Kernel k;
  k.line(1);
  const ValueId x = k.ref("x", Role::scratch, Space::vmem, {2, 8}),
                y = k.ref("y", Role::scratch, Space::vmem, {2, 8});
  const ValueId sent = k.sem("sent", SemKind::bytes, {2}),
                arrived = k.sem("arrived", SemKind::bytes, {2});
  const ValueId right = k.device_to_the_right();
  const ValueId s = k.emit(For{k.integer(0), k.integer(12500), 0}, "s");
  const ValueId slot = k.emit(Mod{s, k.integer(2)});
  const auto row = [&](ValueId ref) { return k.at(ref, {{slot}, {k.integer(0), k.integer(8)}}); };
  k.emit(StartRemote{row(x), right, row(y), k.at(sent, {{slot}}), k.at(arrived, {{slot}}), 0});
  k.emit(Wait{k.at(sent, {{slot}}), k.integer(32)});
  k.emit(Wait{k.at(arrived, {{slot}}), k.integer(32)});
  k.emit(End{});
  const Program program = k.finish();
  for (const std::string& schedule : sample_schedules(1)) {
    const RunResult result = run_ok(program, {.machine = {.devices = 8}, .schedule = schedule});
    EXPECT_EQ(text(result), "");
    EXPECT_EQ(result.stats.dmas, 100000);
    EXPECT_EQ(result.stats.steps, 500000);
  }
}

}  // namespace
}  // namespace tessera
