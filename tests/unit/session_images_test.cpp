// Images of a machine: their shared and own data, and that runs from an image are the original run.
#include <cstring>
#include <vector>

#include "interp/memory/byte_image.h"
#include "tests/unit/session_support.h"

namespace tessera {
namespace {

TEST(ByteImage, SharesEqualBlocksAndHoldsNoZeros) {
  std::vector<std::byte> memory(100'000);
  const HeldBytes held;
  {
    const ByteImage zeros(memory.data(), 100'000, nullptr, held);
    EXPECT_EQ(held.count(), 0);
    memory[70'000] = std::byte{1};
    const ByteImage first(memory.data(), 100'000, &zeros, held);
    const std::int64_t block = held.count();
    EXPECT_GT(block, 0);
    EXPECT_LT(block, 20'000);
    const ByteImage same(memory.data(), 100'000, &first, held);
    EXPECT_EQ(held.count(), block);
    memory[10] = std::byte{2};
    const ByteImage other(memory.data(), 100'000, &same, held);
    EXPECT_EQ(held.count(), 2 * block);

    std::vector<std::byte> again(100'000, std::byte{7});
    first.put(again.data());
    EXPECT_EQ(again[70'000], std::byte{1});
    EXPECT_EQ(again[10], std::byte{0});
    other.put(again.data(), &first);
    EXPECT_EQ(again, memory);
  }
  EXPECT_EQ(held.count(), 0);
}

constexpr std::string_view passes = R"(kernel passes(rows = 16, steps = 40)
  in   a:   f32[rows, 32] hbm
  out  out: f32[rows, 32] hbm
  vmem x:   f32[rows, 32]
  sem  done[steps]: count
{
  copy a -> x
  for i in steps {
    x = x * 0.5
    signal done[i] on device, 1
    wait done[i], 1
  }
  copy x -> out
}
)";

// Every position is found, even with very few images.
TEST(RecordedRun, ThinsWhenImagesTakeTooMuch) {
  test::SessionCase made({passes});
  const auto plain = made.open();
  std::vector<std::uint64_t> there = {test::state(*plain)};
  while (!plain->is_over()) {
    ASSERT_TRUE(plain->go_to(plain->position() + 1));
    there.push_back(test::state(*plain));
  }
  Recording little = Recording::of_every_step();
  little.bytes = 8 << 10;
  const auto session = made.open(little);
  ASSERT_TRUE(session->forward({}));
  for (std::int64_t p = static_cast<std::int64_t>(there.size()) - 1; p >= 0; p -= 3) {
    ASSERT_TRUE(session->go_to(p));
    EXPECT_EQ(test::state(*session), there[static_cast<std::size_t>(p)]) << p;
    ASSERT_TRUE(session->go_to((p * 7) % 50));
    EXPECT_EQ(test::state(*session), there[static_cast<std::size_t>((p * 7) % 50)]) << p;
  }
}

constexpr std::string_view two_devices = R"(kernel two_devices(rows = 4)
  in   a:   f32[rows, 8] hbm
  out  out: f32[rows, 8] hbm
  sem  sent:    bytes
  sem  arrived: bytes
{
  other = 1 - device
  neighbour_barrier(other, other, 0)
  start a -> other: out, sent, arrived
  wait arrived for out
  wait sent for a
}
)";

TEST(Session, AScheduleMadeByHandLeadsToTheSamePlaces) {
  for (const std::string schedule : {"eager", "random:3"}) {
    test::SessionCase made({two_devices, 2, schedule});
    const auto session = made.open();
    ASSERT_TRUE(session->go_to(3));
    const Moment here = session->here();
    ASSERT_TRUE(here.mover);
    const std::uint64_t before = test::state(*session);
    const auto refused = session->choose({7, 0});
    EXPECT_FALSE(refused);
    EXPECT_EQ(test::state(*session), before);
    EXPECT_EQ(session->position(), 3);

    const AgentId other{1 - here.mover->device, 0};
    if (!session->choose(other)) continue;  // it is blocked there
    EXPECT_EQ(session->position(), 4);
    const std::uint64_t chosen = test::state(*session);
    const Expected<Schedule> by_hand = session->schedule_to_here();
    ASSERT_TRUE(by_hand);
    EXPECT_EQ(by_hand->items.back().agent, other);
    EXPECT_EQ(test::state(*session), chosen);
    test::SessionCase again({two_devices, 2, to_string(*by_hand)});
    const auto replayed = again.open();
    ASSERT_TRUE(replayed->go_to(4));
    EXPECT_EQ(test::state(*replayed), chosen);
    ASSERT_TRUE(replayed->forward({}));
    ASSERT_TRUE(session->forward({}));
    EXPECT_TRUE(session->findings().empty());
    EXPECT_EQ(test::state(*replayed), test::state(*session));
  }
}

}  // namespace
}  // namespace tessera
