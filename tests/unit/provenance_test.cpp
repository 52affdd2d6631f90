// Provenance of elements.
#include "debugger/session/provenance.h"

#include "debugger/session/contributions.h"
#include "tests/unit/session_support.h"

namespace tessera {
namespace {

Elements element_of(Session& session, std::string_view name, const Index& index, int device = 0) {
  const BufferId buffer = *find_buffer(session.program(), name);
  const CoreIndex owner = owner_of(session.machine(), CoreIndex(device), buffer);
  return {owner, buffer,
          element(session.machine().core_state(owner).storages[buffer]->whole(), index)};
}

// A window with a wrong index: block 1 of `a` is fetched twice, and block 2 never.
constexpr std::string_view twice = R"(kernel twice(steps = 3)
  in  a:   f32[4, 24] hbm
  in  b:   f32[24, 8] hbm
  out out: f32[4, 8] hbm
  vmem acc: f32[4, 8]
{
  acc = 0
  pipeline s in steps {
    window x = a[:, min(s, 1) * 8 +: 8]
    window y = b[s * 8 +: 8, :]
    acc += x . y
  }
  copy acc -> out
}
)";

TEST(Provenance, TellsWhichProductsCameTwiceAndWhichNever) {
  for (const bool has_images : {false, true})
    for (const CopyGranularity granularity : {CopyGranularity::whole, CopyGranularity::partial}) {
      test::SessionCase made({twice, 1, "eager", granularity, has_images});
      const auto session = made.open();
      ASSERT_TRUE(session->forward({}));
      const Expected<Provenance> found = provenance(*session, element_of(*session, "out", {1, 3}));
      ASSERT_TRUE(found);
      EXPECT_TRUE(found->is_complete);
      EXPECT_TRUE(session->is_over());
      ASSERT_EQ(found->asked.size(), 1U);
      const Piece& top = found->pieces[found->asked[0]];
      EXPECT_EQ(top.kind, Piece::From::copy);
      const auto all = products(session->program(), *found, found->asked[0]);
      ASSERT_EQ(all.size(), 3U);
      EXPECT_EQ(to_string(found->pieces[all[0]].loops), "s=0");
      EXPECT_EQ(to_string(found->pieces[all[2]].loops), "s=2");
      const auto shares = contributions(session->program(), *found, all);
      ASSERT_EQ(shares.size(), 2U);
      EXPECT_EQ(shares[0].along, 1);
      EXPECT_EQ(shares[0].box.start[0], 1);
      ASSERT_EQ(shares[0].stretches.size(), 3U);
      EXPECT_EQ(shares[0].stretches[0].times, 1);
      EXPECT_EQ(shares[0].stretches[1].times, 2);
      EXPECT_EQ(shares[0].stretches[1].begin, 8);
      EXPECT_EQ(shares[0].stretches[2].times, 0);
      EXPECT_EQ(shares[1].along, 0);
      ASSERT_EQ(shares[1].stretches.size(), 1U);
      EXPECT_EQ(shares[1].stretches[0].times, 1);
    }
}

// If there are too many answers, the end of the list depends only on the run, not on its images.
TEST(Provenance, EndsAtTheSamePiecesHoweverTheRunIsTaken) {
  for (const std::size_t most :
       {std::size_t{2}, std::size_t{5}, std::size_t{9}, std::size_t{400}}) {
    std::vector<std::string> told;
    for (const bool has_images : {false, true}) {
      test::SessionCase made({twice, 1, "eager", CopyGranularity::whole, has_images});
      const auto session = made.open();
      ASSERT_TRUE(session->forward({}));
      Elements all = element_of(*session, "out", {0, 0});
      all.box = session->machine().core_state(all.owner).storages[all.buffer]->whole();
      const Expected<Provenance> found = provenance(*session, all, most);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->is_complete, most == 400);
      std::string text;
      for (const Piece& piece : found->pieces) {
        text += std::to_string(static_cast<int>(piece.kind)) + "@" + std::to_string(piece.event) +
                "/" + std::to_string(piece.elements.buffer.index) + ":";
        for (const std::size_t from : piece.from) text += std::to_string(from) + ",";
        for (const std::size_t before : piece.before) text += "+" + std::to_string(before);
        text += "\n";
      }
      told.push_back(text);
    }
    EXPECT_EQ(told[0], told[1]);
  }
}

constexpr std::string_view passed_on = R"(kernel passed_on(rows = 4)
  in   a:   f32[rows, 8] hbm
  out  out: f32[rows, 8] hbm
  vmem x:   f32[rows, 8]
  vmem y:   f32[rows, 8]
  sem  sent:    bytes
  sem  arrived: bytes
{
  other = (device + 1) mod devices
  neighbour_barrier((device + devices - 1) mod devices, other, 0)
  copy a -> x
  x = x * 2.0
  start x -> other: y, sent, arrived
  wait arrived for y
  wait sent for x
  copy y[0 +: 2, :] -> out[0 +: 2, :]
  copy y[2 +: 2, :] -> out[2 +: 2, :]
}
)";

TEST(Provenance, FollowsCopiesToOtherDevices) {
  test::SessionCase made({passed_on, 3, "random:2"});
  const auto session = made.open();
  ASSERT_TRUE(session->forward({}));
  const Expected<Provenance> found = provenance(*session, element_of(*session, "out", {3, 5}, 1));
  ASSERT_TRUE(found);
  std::vector<const Piece*> way;
  for (std::size_t at = found->asked.at(0);;) {
    way.push_back(&found->pieces[at]);
    if (way.back()->from.empty()) break;
    ASSERT_EQ(way.back()->from.size(), 1U);
    at = way.back()->from[0];
  }
  ASSERT_EQ(way.size(), 5U);
  EXPECT_EQ(way[1]->agent.device, 0);  // device 0 sent it
  EXPECT_EQ(way[2]->kind, Piece::From::op);
  EXPECT_EQ(way[4]->kind, Piece::From::operand);
  EXPECT_EQ(way[4]->elements.owner, CoreIndex(0));
  EXPECT_EQ(way[4]->elements.box.start[0], 3);
  EXPECT_EQ(way[4]->elements.box.start[1], 5);
  EXPECT_EQ(way[4]->elements.box.elements(), 1);
}

TEST(Provenance, ARectangleMayHaveSeveralWritersAndNone) {
  test::SessionCase made({passed_on, 2});
  const auto session = made.open();
  Elements all = element_of(*session, "out", {0, 0});
  all.box = session->machine().core_state(all.owner).storages[all.buffer]->whole();
  ASSERT_TRUE(session->forward({}));
  const Expected<Provenance> at_end = provenance(*session, all);
  ASSERT_TRUE(at_end);
  EXPECT_EQ(at_end->asked.size(), 2U);
  ASSERT_TRUE(session->go_to(0));
  const Expected<Provenance> at_start = provenance(*session, all);
  ASSERT_TRUE(at_start);
  ASSERT_EQ(at_start->asked.size(), 1U);
  EXPECT_EQ(at_start->pieces[at_start->asked[0]].kind, Piece::From::undefined);
}

}  // namespace
}  // namespace tessera
