// Every kind of finding, with its exact message and line, and a correct twin of the program.
#include "interp/schedule/strategies.h"
#include "tests/unit/interp_kernel.h"

namespace tessera {
namespace {

using testing::Kernel;
using testing::Operands;
using testing::run_ok;
using testing::text;

std::string run_text(const Program& program, const RunOptions& options = {}) {
  return text(run_ok(program, options));
}

// A copy of `rows` rows from row `from` of a[8], with a wait if is_waited_for.
Program copy(std::int64_t from, std::int64_t rows, bool is_waited_for) {
  Kernel k;
  const ValueId a = k.line(1).ref("a", Role::in, Space::hbm, {8, 4});
  const ValueId x = k.line(2).ref("x", Role::scratch, Space::vmem, {8, 4});
  const ValueId sem = k.line(3).sem("done", SemKind::bytes);
  const auto block = [&](ValueId ref, std::int64_t at) {
    return k.at(ref, {{k.integer(at), k.integer(rows)}, {k.integer(0), k.integer(4)}});
  };
  k.line(4).emit(Start{block(a, from), block(x, 0), k.all(sem), 0});
  if (is_waited_for) k.line(5).emit(Wait{k.all(sem), k.integer(rows * 16)});
  return k.finish();
}

TEST(findings, bounds_of_slices) {
  EXPECT_EQ(run_text(copy(4, 4, true)), "");
  EXPECT_EQ(run_text(copy(5, 4, true)),
            "4: out_of_bounds: read of a[5 .. 9, 0 .. 4] leaves a[8, 4]");
  EXPECT_EQ(run_text(copy(-1, 4, true)),
            "4: out_of_bounds: read of a[-1 .. 3, 0 .. 4] leaves a[8, 4]");
  EXPECT_EQ(run_text(copy(2, -1, true)),
            "4: out_of_bounds: read of a[2 .. 1, 0 .. 4] has size -1 in dimension 0");
}

TEST(findings, unwaited_dma) {
  EXPECT_EQ(run_text(copy(0, 4, false)),
            "4: unwaited_dma: no wait for the copy that is started here: done of dev0 has 64 "
            "bytes at exit\n"
            "  4: signalled 64 from here by dev0.core0");
  EXPECT_EQ(run_text(copy(0, 0, false)), "");
}

TEST(findings, semaphore_leak) {
  const auto program = [](std::int64_t waits) {
    Kernel k;
    const ValueId s = k.line(1).sem("s", SemKind::count, {2});
    k.line(2).emit(For{k.integer(0), k.integer(3), 0});
    k.emit(Signal{k.cell(s, 1), k.device(), k.integer(2)});
    k.emit(End{});
    k.line(3).emit(Wait{k.cell(s, 1), k.integer(waits)});
    return k.finish();
  };
  EXPECT_EQ(run_text(program(6)), "");
  EXPECT_EQ(run_text(program(4)),
            "1: semaphore_leak: s[1] of dev0 is 2 at exit, expected 0\n"
            "  2: signalled 3 x 2 from here by dev0.core0\n"
            "  3: waited for 4 here by dev0.core0");
}

TEST(findings, a_monotone_semaphore_may_keep_its_count) {
  Kernel k;
  const ValueId s = k.line(1).semaphore({.name = "s", .shape = {}, .monotone = true});
  k.emit(Signal{k.all(s), k.device(), k.integer(3)});
  k.emit(Await{k.all(s), k.integer(2)});
  k.emit(Await{k.all(s), k.integer(3)});
  EXPECT_EQ(run_text(k.finish()), "");
}

TEST(findings, semaphore_overflow) {
  const auto program = [](std::int64_t more) {
    Kernel k;
    const ValueId s = k.line(1).sem("s", SemKind::count);
    const ValueId most = k.integer(2147483647);
    k.line(2).emit(Signal{k.all(s), k.device(), most});
    k.line(3).emit(Signal{k.all(s), k.device(), k.integer(more)});
    k.emit(Wait{k.all(s), most});
    return k.finish();
  };
  EXPECT_EQ(run_text(program(0)), "");
  EXPECT_EQ(run_text(program(1)),
            "3: semaphore_overflow: signal of s of dev0 by 1 leaves its range: it has 2147483647, "
            "and at most "
            "2147483647 fit");
}

TEST(findings, uninitialised_scalar) {
  const auto program = [](bool is_stored) {
    Kernel k;
    const ValueId t = k.line(1).ref("t", Role::scratch, Space::smem, {4}, DType::i32);
    if (is_stored) k.line(2).emit(Store{k.cell(t, 3), k.integer(1)});
    k.line(3).emit(Load{k.cell(t, 3)});
    return k.finish();
  };
  EXPECT_EQ(run_text(program(true)), "");
  EXPECT_EQ(run_text(program(false)),
            "3: uninitialised_read: read of t[3] uses t[3], which is undefined\n"
            "  1: undefined since here");
  EXPECT_EQ(run_text(program(false), {.checks = {.uninitialised = Uninitialised::poison}}), "");
}

// Stores the first `rows` rows of x, then copies x to the result.
Program result_of(std::int64_t rows) {
  Kernel k;
  const ValueId out = k.line(1).ref("out", Role::out, Space::hbm, {4, 2});
  const ValueId x = k.line(2).ref("x", Role::scratch, Space::vmem, {4, 2});
  const ValueId y = k.line(3).ref("y", Role::scratch, Space::vmem, {4, 2});
  const ValueId sem = k.line(4).sem("done", SemKind::bytes);
  const Slice stored = k.at(x, {{k.integer(0), k.integer(rows)}, {k.integer(0), k.integer(2)}});
  k.line(5).emit(Cast{stored, Builder::number(k.integer(1))});
  k.line(6).emit(TileAdd{k.all(y), k.all(x), k.all(x)});
  k.line(7).emit(Start{k.all(y), k.all(out), k.all(sem), 0});
  k.line(8).emit(Wait{k.all(sem), k.integer(32)});
  return k.finish();
}

TEST(findings, uninitialised_result) {
  EXPECT_EQ(run_text(result_of(4)), "");
  EXPECT_EQ(run_text(result_of(3)),
            "7: uninitialised_read: copy of y[0 .. 4, 0 .. 2] to out[0 .. 4, 0 .. 2] takes y[3, "
            "0], which is "
            "undefined, into the "
            "result\n"
            "  2: x is undefined since here\n"
            "  6: the undefined data was copied here");
  EXPECT_EQ(run_text(result_of(3), {.checks = {.uninitialised = Uninitialised::poison}}), "");
  EXPECT_EQ(run_text(result_of(3), {.checks = {.uninitialised = Uninitialised::strict}}),
            "6: uninitialised_read: read of x[0 .. 4, 0 .. 2] uses x[3, 0], which is undefined\n"
            "  2: undefined since here");
}

TEST(findings, undefined_data_has_its_access_and_notes_their_roles) {
  const RunResult result = run_ok(result_of(3));
  ASSERT_EQ(result.findings.size(), 1U);
  const Finding& finding = result.findings.front();
  EXPECT_EQ(finding.access.buffer, "y");
  EXPECT_EQ(finding.access.slice, "y[0 .. 4, 0 .. 2]");
  EXPECT_EQ(finding.access.element, "y[3, 0]");
  EXPECT_EQ(finding.access.result, "out");
  ASSERT_EQ(finding.notes.size(), 2U);
  EXPECT_EQ(finding.notes[0].role, NoteRole::undefined_since);
  EXPECT_EQ(finding.notes[0].buffer, "x");
  EXPECT_EQ(finding.notes[1].role, NoteRole::moved_by);
}

TEST(findings, a_result_in_vmem_must_be_defined_too) {
  Kernel k;
  const ValueId out = k.line(1).ref("out", Role::out, Space::vmem, {2});
  const ValueId x = k.line(2).ref("x", Role::scratch, Space::vmem, {2});
  k.line(3).emit(Cast{k.all(out), k.all(x)});
  EXPECT_EQ(run_text(k.finish()),
            "3: uninitialised_read: write of out[0 .. 2] puts an undefined element into the "
            "result: out[0]\n"
            "  2: x is undefined since here\n"
            "  3: the undefined data was copied here");
}

TEST(findings, never_written) {
  const auto program = [](std::int64_t rows) {
    Kernel k;
    const ValueId out = k.line(1).ref("out", Role::out, Space::vmem, {8, 4});
    k.line(2).emit(Cast{k.at(out, {{k.integer(0), k.integer(rows)}, {k.integer(0), k.integer(4)}}),
                        Builder::number(k.integer(0))});
    return k.finish();
  };
  EXPECT_EQ(run_text(program(8)), "");
  EXPECT_EQ(run_text(program(6), {.machine = {.devices = 2}}),
            "1: never_written: out[6 .. 8, 0 .. 4] of dev0 is never written: 8 of 32 elements are "
            "missing\n"
            "1: never_written: out[6 .. 8, 0 .. 4] of dev1 is never written: 8 of 32 elements are "
            "missing");
}

TEST(findings, capacity_of_vmem_counts_tile_registers) {
  const auto program = [](std::int64_t width) {
    Kernel k;
    k.line(1).ref("x", Role::scratch, Space::vmem, {10, 10});
    k.line(2).ref("y", Role::scratch, Space::tile, {10, width});
    return k.finish();
  };
  RunOptions options;
  options.machine.profile = {.name = "small", .vmem_bytes = 1200};
  EXPECT_EQ(run_text(program(20), options), "");
  EXPECT_EQ(run_text(program(30), options),
            "2: capacity: vmem needs 1600 bytes, but small has 1200\n"
            "  2: y takes 1200 bytes\n"
            "  1: x takes 400 bytes");
}

TEST(findings, capacity_at_an_alloc) {
  Kernel k;
  const ValueId x = k.line(1).scoped("x", Space::smem, {10}, DType::i32);
  const ValueId y = k.line(2).scoped("y", Space::smem, {5}, DType::i32);
  k.line(3).emit(Alloc{k.all(x)});
  k.line(4).emit(Alloc{k.all(y)});
  RunOptions options;
  options.machine.profile = {.name = "small", .smem_bytes = 59};
  const Program program = k.finish();
  EXPECT_EQ(run_text(program, options),
            "4: capacity: smem needs 60 bytes, but small has 59\n"
            "  1: x takes 40 bytes\n"
            "  2: y takes 20 bytes");
  options.machine.profile.smem_bytes = 60;
  const RunResult result = run_ok(program, options);
  EXPECT_EQ(text(result), "");
  EXPECT_EQ(result.stats.peak_smem, 60);
}

TEST(findings, capacity_of_semaphores_and_barriers) {
  Kernel k;
  k.line(1).sem("s", SemKind::count, {3});
  k.line(2).sem("t", SemKind::bytes);
  k.line(3).semaphore({.name = "b", .kind = SemKind::barrier, .shape = {}, .collective = 1});
  k.line(4).semaphore({.name = "c", .kind = SemKind::barrier, .shape = {}, .collective = 1});
  k.line(5).semaphore({.name = "d", .kind = SemKind::barrier, .shape = {}, .collective = 2});
  const Program program = k.finish();
  RunOptions options;
  options.machine.profile = {.name = "small", .semaphores = 4, .barrier_ids = 2};
  EXPECT_EQ(run_text(program, options), "");
  options.machine.profile = {.name = "small", .semaphores = 3, .barrier_ids = 2};
  EXPECT_EQ(run_text(program, options),
            "1: capacity: the core needs 4 semaphores, but small has 3\n"
            "  1: s takes 3 semaphores\n"
            "  2: t takes 1 semaphore");
  options.machine.profile = {.name = "small", .semaphores = 4, .barrier_ids = 1};
  EXPECT_EQ(run_text(program, options),
            "3: capacity: the kernel needs 2 barrier ids, but small has 1\n"
            "  3: b takes 1 barrier id\n"
            "  5: d takes 1 barrier id");
}

TEST(findings, lifetime_of_scoped_buffers) {
  Kernel k;
  const ValueId x = k.line(1).scoped("x", Space::vmem, {4});
  k.line(2).emit(Alloc{k.all(x)});
  k.line(3).emit(Cast{k.all(x), Builder::number(k.integer(0))});
  k.line(4).emit(Free{k.all(x)});
  EXPECT_EQ(run_text(Kernel(k).finish()), "");
  Kernel after = k, again = k;
  after.line(5).emit(Cast{k.all(x), Builder::number(k.integer(0))});
  EXPECT_EQ(run_text(after.finish()), "5: lifetime: write of x[0 .. 4], which no longer exists");
  again.line(5).emit(Free{k.all(x)});
  EXPECT_EQ(run_text(again.finish()), "5: lifetime: free of x, which does not exist");
}

TEST(findings, lifetime_before_an_alloc) {
  Kernel k;
  const ValueId x = k.line(1).scoped("x", Space::vmem, {4});
  k.line(2).emit(Cast{k.all(x), Builder::number(k.integer(0))});
  EXPECT_EQ(run_text(k.finish()), "2: lifetime: write of x[0 .. 4], which does not exist yet");
  Kernel twice;
  const ValueId y = twice.line(1).scoped("y", Space::vmem, {4});
  twice.line(2).emit(Alloc{twice.all(y)});
  twice.line(3).emit(Alloc{twice.all(y)});
  EXPECT_EQ(run_text(twice.finish()), "3: lifetime: alloc of y, which exists already");
}

TEST(findings, a_copy_into_a_buffer_that_was_freed) {
  Kernel k;
  const ValueId a = k.line(1).ref("a", Role::in, Space::hbm, {4});
  const ValueId x = k.line(2).scoped("x", Space::vmem, {4});
  const ValueId done = k.line(3).sem("done", SemKind::bytes);
  k.line(4).emit(Alloc{k.all(x)});
  k.line(5).emit(Start{k.all(a), k.all(x), k.all(done), 0});
  k.line(6).emit(Free{k.all(x)});
  k.line(7).emit(Alloc{k.all(x)});
  k.line(8).emit(Wait{k.all(done), k.integer(16)});
  const Program program = k.finish();
  EXPECT_EQ(run_text(program, {.schedule = "eager"}), "");
  EXPECT_EQ(run_text(program, {.schedule = "lazy"}),
            "5: lifetime: a copy writes x[0 .. 4], which no longer exists");
}

// Device 0 signals a scoped semaphore of device 1, which enters late or not at all.
Program signal_of_a_peer(bool waits_for_entry) {
  Kernel k;
  const ValueId s = k.line(1).semaphore({.name = "s", .shape = {}, .scoped = true});
  const ValueId entered = k.line(2).sem("entered", SemKind::count);
  k.line(3).emit(If{k.device()});
  k.line(4).emit(Alloc{k.all(s)});
  if (waits_for_entry) k.line(5).emit(Signal{k.all(entered), k.integer(0), k.integer(1)});
  k.line(6).emit(Wait{k.all(s), k.integer(1)});
  k.line(7).emit(Free{k.all(s)});
  k.line(8).emit(Else{});
  if (waits_for_entry) k.line(9).emit(Wait{k.all(entered), k.integer(1)});
  k.line(10).emit(Signal{k.all(s), k.integer(1), k.integer(1)});
  k.line(11).emit(End{});
  return k.finish();
}

TEST(findings, lifetime_of_a_peer_that_has_not_entered) {
  for (const std::string& schedule : sample_schedules(1))
    EXPECT_EQ(run_text(signal_of_a_peer(true), {.machine = {.devices = 2}, .schedule = schedule}),
              "");
  // The cells exist from the start, unless they are shared with other scopes.
  EXPECT_EQ(run_text(signal_of_a_peer(false), {.machine = {.devices = 2}}), "");
  const MachineProfile shared{.shares_scoped_semaphores = true};
  EXPECT_EQ(run_text(signal_of_a_peer(false), {.machine = {.devices = 2, .profile = shared}}),
            "10: lifetime: signal of s of dev1, which does not exist yet");
  EXPECT_EQ(run_text(signal_of_a_peer(false), {.machine = {.devices = 2, .profile = shared},
                                               .schedule = "steps:dev1.core0"}),
            "");
}

TEST(findings, a_scoped_semaphore_is_zero_when_it_is_freed) {
  const auto program = [](std::int64_t waits) {
    Kernel k;
    const ValueId s = k.line(1).semaphore({.name = "s", .shape = {}, .scoped = true});
    k.line(2).emit(For{k.integer(0), k.integer(2), 0});
    k.line(3).emit(Alloc{k.all(s)});
    k.line(4).emit(Signal{k.all(s), k.device(), k.integer(2)});
    k.line(5).emit(Wait{k.all(s), k.integer(waits)});
    k.line(6).emit(Free{k.all(s)});
    k.line(7).emit(End{});
    return k.finish();
  };
  EXPECT_EQ(run_text(program(2)), "");
  const std::string one =
      "6: semaphore_leak: s of dev0 is 1 when it is freed, expected 0\n"
      "  4: signalled 2 from here by dev0.core0\n"
      "  5: waited for 1 here by dev0.core0";
  // A leftover count stays there and is reported once.
  EXPECT_EQ(run_text(program(1)), one);
}

TEST(findings, a_program_runs_on_as_many_devices_as_its_extents_name) {
  Kernel k;
  k.ref("a", Role::in, Space::hbm, {4});
  Program program = k.finish();
  program.devices = 2;
  Operands operands(program, 3);
  const auto result = run(program, operands.bindings(), {.machine = {.devices = 3}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diags()[0].message,
            "t is instantiated for 2 devices, run on 3: an extent depends on their number");
}

TEST(findings, a_semaphore_freed_before_its_copy) {
  Kernel k;
  const ValueId a = k.line(1).ref("a", Role::in, Space::hbm, {4});
  const ValueId x = k.line(2).ref("x", Role::scratch, Space::vmem, {4});
  const ValueId s =
      k.line(3).semaphore({.name = "s", .kind = SemKind::bytes, .shape = {}, .scoped = true});
  k.line(4).emit(Alloc{k.all(s)});
  k.line(5).emit(Start{k.all(a), k.all(x), k.all(s), 0});
  k.line(6).emit(Free{k.all(s)});
  const Program program = k.finish();
  EXPECT_EQ(run_text(program, {.schedule = "lazy"}),
            "6: lifetime: free of s while a copy will still signal it\n"
            "  5: dev0.core0/dma#0 was started here");
  EXPECT_EQ(run_text(program, {.schedule = "eager"}),
            "5: unwaited_dma: no wait for the copy that is started here: s of dev0 has 16 "
            "bytes when it is freed\n"
            "  5: signalled 16 from here by dev0.core0");
}

TEST(findings, revisit) {
  const auto program = [](bool is_disjoint) {
    Kernel k;
    const ValueId out = k.line(1).ref("out", Role::out, Space::hbm, {4, 2});
    const ValueId o = k.line(2).ref("o", Role::scratch, Space::vmem, {4, 2});
    const ValueId done = k.line(3).sem("done", SemKind::bytes);
    const ValueId two = k.integer(2);
    k.line(4).emit(Once{k.all(out)});
    const ValueId v = k.emit(For{k.integer(0), two, 0}, "v");
    k.line(5).emit(Fresh{k.all(o)});
    const ValueId first = is_disjoint ? k.builder().mul(v, two) : v;
    k.line(6).emit(Cast{k.at(o, {{first, two}, {k.integer(0), two}}), Builder::number(v)});
    k.line(7).emit(WriteBack{k.all(o), k.all(out), k.all(done)});
    k.line(8).emit(Wait{k.all(done), k.integer(32)});
    k.emit(End{});
    return k.finish();
  };
  Operands operands(program(true), 1);
  EXPECT_EQ(text(run_ok(program(true), operands, {})), "");
  EXPECT_EQ(operands.values(0, "out"), (std::vector<double>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(run_text(program(false)),
            "7: revisit: write_back of o[0 .. 4, 0 .. 2] to out[0 .. 4, 0 .. 2] stores out[1, 0] a "
            "second time");
}

TEST(findings, a_copy_that_overlaps_itself) {
  Kernel k;
  const ValueId x = k.line(1).ref("x", Role::scratch, Space::vmem, {8});
  const ValueId done = k.line(2).sem("done", SemKind::bytes);
  k.line(3).emit(Start{k.rows(x, 0, 4), k.rows(x, 3, 7), k.all(done), 0});
  EXPECT_EQ(run_text(k.finish()),
            "3: race: copy of x[0 .. 4] to x[3 .. 7], which overlap: expected a destination "
            "outside the source");
}

TEST(findings, shapes_of_copies) {
  Kernel k;
  const ValueId x = k.line(1).ref("x", Role::scratch, Space::vmem, {8});
  const ValueId y = k.line(2).ref("y", Role::scratch, Space::vmem, {8});
  const ValueId done = k.line(3).sem("done", SemKind::bytes);
  k.line(4).emit(Start{k.rows(x, 0, 4), k.rows(y, 0, 5), k.all(done), 0});
  EXPECT_EQ(run_text(k.finish()),
            "4: out_of_bounds: copy of x[0 .. 4] to y[0 .. 5], expected equal shapes");
}

// Device 0 sends x to `device`.
std::string remote(std::int64_t device, Space space, const MachineProfile& profile) {
  Kernel k;
  const ValueId x = k.line(1).ref("x", Role::scratch, space, {4});
  const ValueId y = k.line(2).ref("y", Role::scratch, space, {4});
  const ValueId sent = k.line(3).sem("sent", SemKind::bytes),
                arrived = k.sem("arrived", SemKind::bytes);
  k.line(4).emit(If{k.emit(Not{k.device()})});
  k.line(5).emit(
      StartRemote{k.all(x), k.integer(device), k.all(y), k.all(sent), k.all(arrived), 0});
  k.emit(Wait{k.all(sent), k.integer(16)});
  k.emit(End{});
  k.line(6).emit(If{k.emit(Eq{k.device(), k.integer(device)})});
  k.emit(Wait{k.all(arrived), k.integer(16)});
  k.emit(End{});
  RunOptions options{.machine = {.devices = 6}};
  options.machine.profile = profile;
  return run_text(k.finish(), options);
}

TEST(findings, what_a_profile_does_not_allow) {
  EXPECT_EQ(remote(3, Space::vmem, {.name = "any"}), "");
  EXPECT_EQ(remote(0, Space::vmem, {.name = "any"}), "");
  EXPECT_EQ(remote(6, Space::vmem, {.name = "any"}),
            "5: out_of_bounds: write of y on device 6, but devices are 0 to 5");
  EXPECT_EQ(remote(-1, Space::vmem, {.name = "any"}),
            "5: out_of_bounds: write of y on device -1, but devices are 0 to 5");
  EXPECT_EQ(remote(1, Space::vmem, {.name = "gpu", .remote_vmem = false}),
            "5: unsupported: remote copy to y[0 .. 4]: on gpu no remote copy can write to vmem");
  EXPECT_EQ(remote(1, Space::smem, {.name = "gpu", .remote_smem = false}),
            "5: unsupported: remote copy to y[0 .. 4]: on gpu no remote copy can write to smem");
  EXPECT_EQ(remote(2, Space::hbm, {.name = "torus", .power_of_two_routes = true}), "");
  EXPECT_EQ(remote(5, Space::hbm, {.name = "torus", .power_of_two_routes = true}),
            "");  // one in the other direction
  EXPECT_EQ(remote(3, Space::hbm, {.name = "torus", .power_of_two_routes = true}),
            "5: unsupported: profile torus sends copies only to devices whose number differs by a "
            "power of two, and 0 and 3 differ by 3; `gmm-run list` shows profiles without this "
            "limit");
}

TEST(findings, checks_of_scalars) {
  // The first number is not a constant, or the builder would fold the op.
  const auto limit = [](std::int64_t a, std::int64_t bound) {
    Kernel k;
    const ValueId d = k.line(1).device();
    k.line(2).emit(Limit{k.builder().add(d, k.integer(a)), k.integer(bound)});
    return run_text(k.finish());
  };
  const auto bounds = [](std::int64_t start, std::int64_t size, std::int64_t end) {
    Kernel k;
    const ValueId d = k.line(1).device();
    k.line(2).emit(Bounds{k.builder().add(d, k.integer(start)), k.integer(size), k.integer(end)});
    return run_text(k.finish());
  };
  EXPECT_EQ(limit(4, 4), "");
  EXPECT_EQ(limit(5, 4),
            "2: out_of_bounds: 5 is outside the bound that `max` gives: expected 0 to 4");
  EXPECT_EQ(limit(-1, 4),
            "2: out_of_bounds: -1 is outside the bound that `max` gives: expected 0 to 4");
  EXPECT_EQ(bounds(4, 4, 8), "");
  EXPECT_EQ(bounds(5, 4, 8), "2: out_of_bounds: the range 5 .. 9 leaves 0 .. 8");
}

TEST(findings, an_integer_that_does_not_fit) {
  const auto program = [](std::int64_t value) {
    Kernel k;
    const ValueId t = k.line(1).ref("t", Role::scratch, Space::smem, {2}, DType::i8);
    k.line(2).emit(Store{k.cell(t, 1), k.integer(value)});
    return k.finish();
  };
  EXPECT_EQ(run_text(program(-128)), "");
  EXPECT_EQ(run_text(program(128)), "2: out_of_bounds: t[1] cannot hold 128: its type is i8");
}

TEST(findings, indices_and_amounts_of_semaphores) {
  const auto program = [](std::int64_t cell, std::int64_t count, std::int64_t device) {
    Kernel k;
    const ValueId s = k.line(1).sem("s", SemKind::count, {2});
    k.line(2).emit(Signal{k.cell(s, cell), k.integer(device), k.integer(count)});
    k.line(3).emit(Wait{k.cell(s, cell), k.integer(count)});
    return k.finish();
  };
  EXPECT_EQ(run_text(program(1, 1, 0)), "");
  EXPECT_EQ(run_text(program(2, 1, 0)),
            "2: out_of_bounds: signal of s with index 2 in dimension 0, expected 0 to 1");
  EXPECT_EQ(run_text(program(1, -1, 0)),
            "2: out_of_bounds: signal s[1] by -1, expected at least 0");
  EXPECT_EQ(run_text(program(1, 1, 1)),
            "2: out_of_bounds: signal of s on device 1, but devices are 0 to 0");
}

TEST(findings, the_call_chain_of_an_inlined_function) {
  Kernel k;
  const ValueId t = k.line(1).ref("t", Role::scratch, Space::smem, {2}, DType::i32);
  const Loc loc = k.builder().program().places[PlaceId(0)].loc;
  const auto at = [&](int line) { return Loc{loc.source, line, 1, 1}; };
  k.builder().at(at(9));
  k.builder().at(at(5), k.builder().place());
  k.builder().at(at(3), k.builder().place());
  k.emit(Load{k.cell(t, 2)});
  EXPECT_EQ(run_text(k.finish()),
            "3: out_of_bounds: read of t[2] leaves t[2]\n"
            "  5: called from here\n"
            "  9: called from here");
}

TEST(findings, a_requirement_that_fails_is_bad_input) {
  Kernel k;
  k.line(4).emit(
      Require{k.emit(Lt{k.device(), k.integer(0)}), k.builder().text("m must be positive")});
  const Program program = k.finish();
  Operands operands(program, 1);
  const auto result = run(program, operands.bindings(), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diags()[0].message, "m must be positive");
  EXPECT_EQ(result.diags()[0].loc.line, 4);
  EXPECT_EQ(result.diags()[0].code, ErrorCode::invalid_value);
}

TEST(findings, bad_operands_are_bad_input) {
  Kernel k;
  k.line(1).ref("a", Role::in, Space::hbm, {4, 2}, DType::bf16);
  k.line(2).ref("b", Role::in, Space::hbm, {4});
  const Program program = k.finish();
  Tensor wrong(DType::f32, {4, 3});
  const std::vector<Binding> bindings = {{{"a", &wrong}}};
  const auto result = run(program, bindings, {});
  ASSERT_FALSE(result);
  ASSERT_EQ(result.diags().size(), 3U);
  EXPECT_EQ(result.diags()[0].message, "`a` of device 0 is f32, expected bf16");
  EXPECT_EQ(result.diags()[1].message, "`a` of device 0 has shape (4, 3), expected (4, 2)");
  EXPECT_EQ(result.diags()[2].message, "device 0 has no tensor for `b`");
}

TEST(findings, a_pipeline_must_be_expanded) {
  Kernel k;
  k.line(3).emit(Pipeline{});
  k.emit(End{});
  const Program program = k.finish();
  const auto result = run(program, {{}}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diags()[0].message,
            "`pipeline` cannot be run directly: expand the program first");
  EXPECT_EQ(result.diags()[0].code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace tessera
