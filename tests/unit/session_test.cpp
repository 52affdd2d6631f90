// A session can be positioned between any two steps of a run. Its state does not depend on the path
// to this position.
#include "debugger/session/session.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "core/lang/language.h"
#include "debugger/session/conditions.h"
#include "debugger/session/inspect.h"
#include "interp/run.h"
#include "tests/unit/session_support.h"

namespace tessera {
namespace {

constexpr std::string_view two_slots = R"(kernel two_slots(blocks = 3)
  in  a:   f32[blocks, 4, 8] hbm
  out out: f32[blocks, 4, 8] hbm
  vmem slot: f32[2, 4, 8]
  sem landed[2]: bytes
{
  start a[0, :, :] -> slot[0, :, :], landed[0]
  for i in blocks {
    now = i mod 2;  next = (i + 1) mod 2
    if i + 1 < blocks { start a[i + 1, :, :] -> slot[next, :, :], landed[next] }
    wait landed[now] for slot[now, :, :]
    slot[now, :, :] = slot[now, :, :] * 2.0
    copy slot[now, :, :] -> out[i, :, :]
  }
}
)";

constexpr std::string_view ring = R"(kernel ring(rows = 4)
  in   a:   f32[rows, 8] hbm
  out  out: f32[rows, 8] hbm
  sem  sent:    bytes
  sem  arrived: bytes
{
  right = (device + 1) mod devices
  neighbour_barrier((device - 1) mod devices, right, 0)
  start a -> right: out, sent, arrived
  wait arrived for out
  wait sent for a
}
)";

constexpr std::string_view stuck = R"(kernel stuck(rows = 4)
  in   a:   f32[rows, 8] hbm
  out  out: f32[rows, 8] hbm
  sem  go: count
{
  copy a -> out
  wait go, 1
}
)";

// Scopes, write-backs of blocks that extend beyond the shape, and accumulators.
constexpr std::string_view windows = R"(kernel windows(rows = 6, steps = 3)
  in  a:   f32[rows, 24] hbm
  in  b:   f32[24, 8] hbm
  out out: f32[rows, 8] hbm
{
  for i in 2 {
    scoped vmem acc: f32[4, 8]
    acc = 0
    pipeline s in steps {
      window x = a[i * 4 +: 4, s * 8 +: 8]   depth 2, pad 0
      window y = b[s * 8 +: 8, :]
      acc += x . y
    }
    n = i == 0 ? 4 : 2
    copy acc[0 +: n, :] -> out[i * 4 +: n, :]
  }
}
)";

// Large enough for copies that are aliases of their sources.
constexpr std::string_view gather = R"(kernel gather(rows = 16)
  in   a:   f32[rows, 32] hbm
  out  out: f32[rows, 32] hbm
  hbm  all: f32[3, rows, 32]
  vmem x:   f32[rows, 32]
  sem  sent:    bytes
  sem  arrived[3]: bytes
{
  copy a -> all[device, :, :]
  barrier(0)
  for step in devices - 1 {
    at = (device + devices - step) mod devices
    right = (device + 1) mod devices
    start all[at, :, :] -> right: all[at, :, :], sent, arrived[step]
    before = (at + devices - 1) mod devices
    wait arrived[step] for all[before, :, :]
    wait sent for a
  }
  copy all[0, :, :] -> x
  x = x * 2.0
  copy x -> out
}
)";

using test::SessionCase;
using test::state;
using Case = test::SessionSetup;

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string schedule : {"eager", "lazy", "random:3", "pct:5:3"})
    for (const CopyGranularity granularity : {CopyGranularity::whole, CopyGranularity::partial})
      for (const bool has_images : {false, true}) {
        all.push_back({two_slots, 1, schedule, granularity, has_images});
        all.push_back({ring, 3, schedule, granularity, has_images});
        all.push_back({stuck, 2, schedule, granularity, has_images});
      }
  // Longer runs, with images.
  for (const std::string schedule : {"eager", "random:3"})
    for (const CopyGranularity granularity : {CopyGranularity::whole, CopyGranularity::partial}) {
      all.push_back({windows, 1, schedule, granularity, true});
      all.push_back({gather, 3, schedule, granularity, true});
    }
  return all;
}

std::string name_of(const Case& c) {
  return fmt::format("{} on {} devices, {}, {}{}", c.text.substr(0, 12), c.devices, c.schedule,
                     name(c.granularity), c.has_images ? ", with images" : "");
}

// Returns the state before each step and at the end, for a run that only goes forward.
std::vector<std::uint64_t> hashes(Session& session) {
  std::vector<std::uint64_t> all = {state(session)};
  while (!session.is_over()) {
    EXPECT_TRUE(session.go_to(session.position() + 1));
    all.push_back(state(session));
  }
  return all;
}

TEST(Session, EveryPlaceIsThatOfAFreshRunWhicheverWayItWasReached) {
  for (const Case& given : cases()) {
    SCOPED_TRACE(name_of(given));
    SessionCase made(given);
    const auto walked = made.open();
    const std::vector<std::uint64_t> there = hashes(*walked);
    ASSERT_GT(there.size(), 5U);
    for (std::int64_t p = static_cast<std::int64_t>(there.size()) - 1; p >= 0; --p) {
      ASSERT_TRUE(walked->go_to(p));
      EXPECT_EQ(state(*walked), there[static_cast<std::size_t>(p)]) << "back to " << p;
      const auto fresh = made.open();
      ASSERT_TRUE(fresh->go_to(p));
      EXPECT_EQ(state(*fresh), there[static_cast<std::size_t>(p)]) << "anew to " << p;
    }
  }
}

TEST(Session, ARunInPartsIsTheRun) {
  for (const Case& given : cases()) {
    SCOPED_TRACE(name_of(given));
    SessionCase made(given);
    const RunResult whole = made.whole();
    const auto session = made.open();
    hashes(*session);
    EXPECT_EQ(session->position(), whole.stats.steps);
    EXPECT_EQ(session->machine().trace_hash(), whole.trace_hash);
    ASSERT_EQ(session->findings().size(), whole.findings.size());
    for (std::size_t i = 0; i < whole.findings.size(); ++i)
      EXPECT_EQ(testing::text(session->findings()[i]), testing::text(whole.findings[i]));
  }
}

// The positions at which conditions hold are the same forward and backward.
TEST(Session, TheWayBackMeetsTheSamePlaces) {
  for (const Case& given : cases()) {
    SCOPED_TRACE(name_of(given));
    SessionCase made(given);
    const auto session = made.open();
    const Program& program = session->program();
    LineReached line(program, {"", 11}, {}, {});
    Written out(
        *find_buffer(program, "out"),
        session->machine().core_state(CoreIndex(0)).storages[*find_buffer(program, "out")]->whole(),
        CoreIndex(0));
    Found found;
    const std::array<StopCondition*, 3> all = {&line, &out, &found};
    std::vector<std::int64_t> forth, back;
    while (!session->is_over()) {
      const auto arrival = session->forward(all);
      ASSERT_TRUE(arrival);
      // A condition that only holds at the end of the run is not a stop.
      if (arrival->why == Arrival::Why::condition && !session->is_over())
        forth.push_back(session->position());
    }
    EXPECT_FALSE(forth.empty());
    while (session->position() > 0) {
      const auto arrival = session->backward(all);
      ASSERT_TRUE(arrival);
      if (arrival->why == Arrival::Why::condition) back.insert(back.begin(), session->position());
    }
    EXPECT_EQ(forth, back);
  }
}

TEST(Session, LoopIndicesChooseAmongThePassesOfALine) {
  SessionCase made({two_slots});
  const auto session = made.open();
  LineReached third(session->program(), {"", 12}, {}, {{"i", 2}});
  const std::array<StopCondition*, 1> all = {&third};
  const auto arrival = session->forward(all);
  ASSERT_TRUE(arrival);
  ASSERT_EQ(arrival->why, Arrival::Why::condition);
  const Standing stands = standing(session->machine(), CoreIndex(0));
  EXPECT_EQ(line_of(session->program(), stands.statement).line, 12);
  EXPECT_EQ(to_string(stands.loops), "i=2");
  EXPECT_EQ(find_scalar(session->machine(), CoreIndex(0), "now")->integer, 0);
}

TEST(Session, ACoreThatWaitsSaysForWhat) {
  SessionCase made({stuck, 2});
  const auto session = made.open();
  const auto arrival = session->forward({});
  ASSERT_TRUE(arrival);
  EXPECT_EQ(arrival->why, Arrival::Why::end);
  ASSERT_TRUE(session->is_over());
  const Standing stands = standing(session->machine(), CoreIndex(1));
  EXPECT_EQ(stands.status, CoreStatus::waits);
  EXPECT_EQ(stands.semaphore, "go");
  EXPECT_EQ(stands.need, 1);
  ASSERT_EQ(session->findings().size(), 1U);
  EXPECT_EQ(session->findings()[0].kind, FindingKind::deadlock);
}

TEST(Session, ElementsAreUndefinedUntilTheyAreWritten) {
  SessionCase made({two_slots});
  const auto session = made.open();
  const BufferId out = *find_buffer(session->program(), "out");
  const auto defined = [&] {
    Storage& storage = *(*session->valued())->core_state(CoreIndex(0)).storages[out];
    std::int64_t n = 0;
    for (const Element& e : elements_of(storage, storage.whole())) n += e.is_defined ? 1 : 0;
    return n;
  };
  EXPECT_EQ(defined(), 0);
  ASSERT_TRUE(session->forward({}));
  EXPECT_EQ(defined(), 96);
  // The operand counts from 0.
  Storage& storage = *(*session->valued())->core_state(CoreIndex(0)).storages[out];
  EXPECT_EQ(elements_of(storage, storage.whole())[7].real, 14);
  ASSERT_TRUE(session->go_to(0));
  EXPECT_EQ(defined(), 0);
}

}  // namespace
}  // namespace tessera
