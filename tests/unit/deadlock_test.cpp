// Deadlock reports: each blocked agent with its wait, the agents that could complete the wait, and
// signals and copies to a wrong place.
#include "interp/schedule/strategies.h"
#include "tests/unit/interp_kernel.h"

namespace tessera {
namespace {

using testing::Kernel;
using testing::run_ok;
using testing::text;

TEST(deadlock, a_cycle_of_two_devices) {
  Kernel k;
  const ValueId s = k.line(1).sem("ready", SemKind::count);
  const ValueId other = k.device_to_the_right();
  k.line(2).emit(Wait{k.all(s), k.integer(1)});
  k.line(3).emit(Signal{k.all(s), other, k.integer(1)});
  EXPECT_EQ(text(run_ok(k.finish(), {.machine = {.devices = 2}})),
            "2: deadlock: 2 of 2 cores are blocked, and nothing else can move\n"
            "  2: dev0, dev1 are blocked: wait ready >= 1, has 0, missing 1\n"
            "  3: dev1.core0 can signal it here, done 0 of 1 times, but is blocked before that\n"
            "  2: dev1.core0 is blocked: wait ready >= 1, has 0, missing 1\n"
            "  3: dev0.core0 can signal it here, done 0 of 1 times, but is blocked before that\n"
            "  0: cycle: dev0.core0 -> dev1.core0 -> dev0.core0");
}

TEST(deadlock, a_long_cycle_is_cut_short) {
  Kernel k;
  const ValueId s = k.line(1).sem("ready", SemKind::count);
  const ValueId other = k.device_to_the_right();
  k.line(2).emit(Wait{k.all(s), k.integer(1)});
  k.line(3).emit(Signal{k.all(s), other, k.integer(1)});
  const RunResult result = run_ok(k.finish(), {.machine = {.devices = 64}});
  ASSERT_EQ(result.findings.size(), 1U);
  const std::vector<FindingPlace>& notes = result.findings[0].notes;
  ASSERT_EQ(notes.size(), 2U * 8 + 2);
  EXPECT_EQ(notes[16].message, "56 more cores are blocked");
  EXPECT_EQ(notes[17].message,
            "cycle: dev0.core0 -> dev63.core0 -> dev62.core0 -> dev61.core0 -> dev60.core0 -> "
            "dev59.core0 -> "
            "dev58.core0 -> dev57.core0 -> 56 more -> dev0.core0");
}

TEST(deadlock, a_count_that_is_never_reached) {
  Kernel k;
  const ValueId s = k.line(1).sem("s", SemKind::count, {2});
  const ValueId i = k.line(2).emit(For{k.integer(0), k.integer(3), 0}, "i");
  k.line(3).emit(Signal{k.cell(s, 1), k.device(), i});
  k.emit(End{});
  k.line(4).emit(Wait{k.cell(s, 1), k.integer(4)});
  EXPECT_EQ(text(run_ok(k.finish())),
            "4: deadlock: 1 of 1 cores is blocked, and nothing else can move\n"
            "  4: dev0.core0 is blocked: wait s[1] >= 4, has 3, missing 1\n"
            "  3: signalled 3 x 1 from here by dev0.core0\n"
            "  4: no remaining operation can signal it");
}

TEST(deadlock, a_signaller_that_has_finished) {
  Kernel k;
  const ValueId s = k.line(1).sem("s", SemKind::count);
  k.line(2).emit(If{k.device()});
  k.line(3).emit(Wait{k.all(s), k.integer(2)});
  k.emit(Else{});
  k.line(4).emit(Signal{k.all(s), k.integer(1), k.integer(1)});
  k.emit(End{});
  EXPECT_EQ(text(run_ok(k.finish(), {.machine = {.devices = 2}})),
            "3: deadlock: 1 of 2 cores is blocked, and nothing else can move\n"
            "  3: dev1.core0 is blocked: wait s >= 2, has 1, missing 1\n"
            "  4: signalled 1 from here by dev0.core0\n"
            "  4: its signaller dev0.core0 has finished: done 1 of 1 times");
}

// A shift by one along a line of 4 devices: device 1 sends to device 3 instead of 2.
TEST(deadlock, a_copy_to_the_wrong_device) {
  Kernel k;
  const ValueId x = k.line(1).ref("x", Role::in, Space::hbm, {16});
  const ValueId y = k.line(2).ref("y", Role::scratch, Space::hbm, {16});
  const ValueId sent = k.line(3).sem("sent", SemKind::bytes),
                recv = k.line(4).sem("recv", SemKind::bytes);
  const ValueId me = k.device(), right = k.device_to_the_right();
  const ValueId to = k.builder().select(k.emit(Eq{me, k.integer(1)}), k.integer(3), right);
  k.line(5).emit(StartRemote{k.all(x), to, k.all(y), k.all(sent), k.all(recv), 0});
  k.line(6).emit(Wait{k.all(sent), k.integer(64)});
  k.line(7).emit(Wait{k.all(recv), k.integer(64)});
  const Program program = k.finish();
  const std::string expected =
      "7: deadlock: 1 of 4 cores is blocked, and nothing else can move\n"
      "  7: dev2.core0 is blocked: wait recv >= 64, has 0, missing 64 bytes\n"
      "  7: no remaining operation can signal it\n"
      "  5: recv of dev2 lacks 64 bytes, recv of dev3 has 64 bytes too many: does dev1.core0 name "
      "the wrong device here, dev3 instead of dev2?";
  for (const std::string& schedule : sample_schedules(1))
    EXPECT_EQ(text(run_ok(program, {.machine = {.devices = 4}, .schedule = schedule})), expected)
        << schedule;
}

// Credits for one slot only: every device waits for a credit that its neighbour signals after the
// same wait.
TEST(deadlock, a_ring_without_enough_credits) {
  Kernel k;
  const ValueId credit = k.line(1).sem("credit", SemKind::count);
  const ValueId left = k.device_to_the_left();
  const ValueId s = k.line(2).emit(For{k.integer(0), k.integer(4), 0}, "s");
  k.enter_loop(s);
  k.line(3).emit(If{k.emit(Le{k.integer(1), s})});
  k.line(4).emit(Wait{k.all(credit), k.integer(1)});
  k.emit(End{});
  k.line(5).emit(If{k.emit(Lt{k.integer(1), s})});
  k.line(6).emit(Signal{k.all(credit), left, k.integer(1)});
  k.emit(End{});
  k.emit(End{});
  EXPECT_EQ(text(run_ok(k.finish(), {.machine = {.devices = 3}})),
            "4: deadlock: 3 of 3 cores are blocked, and nothing else can move, at s=1\n"
            "  4: dev0..dev2 are blocked: wait credit >= 1, has 0, missing 1, at s=1\n"
            "  6: dev1.core0 can signal it here, done 0 times, but is blocked before that\n"
            "  4: dev1.core0 is blocked: wait credit >= 1, has 0, missing 1, at s=1\n"
            "  6: dev2.core0 can signal it here, done 0 times, but is blocked before that\n"
            "  4: dev2.core0 is blocked: wait credit >= 1, has 0, missing 1, at s=1\n"
            "  6: dev0.core0 can signal it here, done 0 times, but is blocked before that\n"
            "  0: cycle: dev0.core0 -> dev1.core0 -> dev2.core0 -> dev0.core0");
}

TEST(deadlock, a_core_that_waits_for_itself) {
  Kernel k;
  const ValueId s = k.line(1).sem("s", SemKind::count);
  k.line(2).emit(Wait{k.all(s), k.integer(1)});
  k.line(3).emit(Signal{k.all(s), k.device(), k.integer(1)});
  EXPECT_EQ(text(run_ok(k.finish())),
            "2: deadlock: 1 of 1 cores is blocked, and nothing else can move\n"
            "  2: dev0.core0 is blocked: wait s >= 1, has 0, missing 1\n"
            "  3: dev0.core0 can signal it here, done 0 of 1 times, but is blocked before that\n"
            "  0: cycle: dev0.core0 -> dev0.core0");
}

TEST(deadlock, a_wait_for_more_bytes_than_the_copies_have) {
  Kernel k;
  const ValueId a = k.line(1).ref("a", Role::in, Space::hbm, {16});
  const ValueId x = k.line(2).ref("x", Role::scratch, Space::vmem, {16});
  const ValueId done = k.line(3).sem("done", SemKind::bytes);
  k.line(4).emit(For{k.integer(0), k.integer(2), 0});
  k.line(5).emit(Start{k.rows(a, 0, 8), k.rows(x, 0, 8), k.all(done), 0});
  k.emit(End{});
  k.line(6).emit(Wait{k.all(done), k.integer(128)});
  EXPECT_EQ(text(run_ok(k.finish())),
            "6: deadlock: 1 of 1 cores is blocked, and nothing else can move\n"
            "  6: dev0.core0 is blocked: wait done >= 128, has 64, missing 64 bytes\n"
            "  5: signalled 2 x 32 from here by dev0.core0\n"
            "  6: no remaining operation can signal it");
}

}  // namespace
}  // namespace tessera
