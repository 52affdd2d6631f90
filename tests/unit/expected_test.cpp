#include "core/report/expected.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/report/try.h"

namespace tessera {
namespace {

Expected<std::unique_ptr<int>> number(bool is_there) {
  if (!is_there) return error("no number");
  return std::make_unique<int>(3);
}

Expected<void> judged(bool is_good) {
  if (!is_good) return error("not good");
  return {};
}

Expected<int> doubled(bool is_there, bool is_good) {
  const std::unique_ptr<int> value = TRY(number(is_there));
  TRY(judged(is_good));
  return *value + *TRY(number(true));
}

TEST(Expected, try_gives_the_value_or_ends_the_function) {
  ASSERT_TRUE(doubled(true, true));
  EXPECT_EQ(*doubled(true, true), 6);
  ASSERT_FALSE(doubled(false, true));
  EXPECT_EQ(doubled(false, true).diags().front().message, "no number");
  ASSERT_FALSE(doubled(true, false));
  EXPECT_EQ(doubled(true, false).diags().front().message, "not good");
}

TEST(Expected, of_nothing_is_success_or_diagnostics) {
  EXPECT_TRUE(Expected<void>());
  EXPECT_FALSE(Expected<void>(Diags{error("a"), error("b")}));
  EXPECT_EQ(Expected<void>(Diags{error("a"), error("b")}).diags().size(), 2U);
}

TEST(Expected, collect_keeps_what_was_there_and_adds_the_errors) {
  Diags diags = {error("first")};
  collect(diags, {});
  EXPECT_EQ(diags.size(), 1U);
  collect(diags, Diags{error("a"), error("b")});
  ASSERT_EQ(diags.size(), 3U);
  EXPECT_EQ(diags.back().message, "b");
}

}  // namespace
}  // namespace tessera
