// The loops and calls around a statement, and stepping out of them.
#include <array>
#include <string>

#include "debugger/session/frames.h"
#include "tests/unit/session_support.h"

namespace tessera {
namespace {

constexpr std::string_view nested = R"(function twice(x: f32[m, 8], y: f32[m, 8]) {
  for k in 2 {
    copy x -> y
  }
}
kernel calls(rows = 4)
  in  a:   f32[rows, 8] hbm
  out out: f32[rows, 8] hbm
  vmem t:  f32[rows, 8]
{
  for i in 2 {
    for j in 3 {
      twice(a, t)
    }
  }
  copy t -> out
}
)";

// Returns the stack as text, like "3 twice, 2 for k = 0, ...".
std::string stack(Session& session) {
  const Standing stands = standing(session.machine(), CoreIndex(0));
  std::string text;
  for (const Frame& frame : frames_of(session.program(), stands.statement, stands.loops))
    text += (text.empty() ? "" : ", ") + std::to_string(frame.loc.line) + " " + to_string(frame);
  return text;
}

std::string after_leaving(Session& session) {
  FrameLeft left({0, 0});
  const std::array<StopCondition*, 1> all = {&left};
  const auto arrival = session.forward(all);
  EXPECT_TRUE(arrival);
  return session.is_over() ? "over" : stack(session);
}

TEST(SessionFrames, are_loops_and_calls_from_the_inside) {
  const auto session = test::SessionCase({nested}).open();
  EXPECT_EQ(stack(*session), "3 twice, 2 for k = 0, 13 calls, 12 for j = 0, 11 for i = 0");
  EXPECT_TRUE(frames_of(session->program(), StmtId()).empty());
}

// The next iteration of an outer loop is outside, whatever its first statement is.
TEST(SessionFrames, are_left_for_the_next_turn_of_a_loop_around) {
  const auto session = test::SessionCase({nested}).open();
  EXPECT_EQ(after_leaving(*session), "3 twice, 2 for k = 0, 13 calls, 12 for j = 1, 11 for i = 0");
  EXPECT_EQ(after_leaving(*session), "3 twice, 2 for k = 0, 13 calls, 12 for j = 2, 11 for i = 0");
  EXPECT_EQ(after_leaving(*session), "3 twice, 2 for k = 0, 13 calls, 12 for j = 0, 11 for i = 1");
  for (int i = 0; i < 3; ++i) after_leaving(*session);
  EXPECT_EQ(stack(*session), "16 calls");
  EXPECT_EQ(after_leaving(*session), "over");
}

}  // namespace
}  // namespace tessera
