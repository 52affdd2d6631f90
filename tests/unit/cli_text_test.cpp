#include <gtest/gtest.h>

#include <array>

#include "core/report/near.h"
#include "text/invocation.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

TEST(Text, integers) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer(""), std::nullopt);
  EXPECT_EQ(parse_integer("1 "), std::nullopt);
  EXPECT_EQ(parse_integer("0x10"), std::nullopt);
  EXPECT_EQ(parse_integers("100,150,50"), (std::vector<std::int64_t>{100, 150, 50}));
  EXPECT_EQ(parse_integers("100,,50"), std::nullopt);
  EXPECT_EQ(parse_integers(""), std::nullopt);
}

TEST(Text, a_shell_line_reads_back_as_its_words) {
  EXPECT_EQ(shell_line(std::array<std::string, 3>{"gmm-run", "--set", "m=128"}),
            "gmm-run --set m=128");
  EXPECT_EQ(shell_line(std::array<std::string, 4>{"a b", "", "it's", "steps:dev0.core0*12"}),
            "'a b' '' 'it'\\''s' 'steps:dev0.core0*12'");
}

TEST(Invocation, with_and_without_leave_the_rest_in_its_order) {
  const Invocation given{"gmm", {{"m", "8"}, {"", "file"}, {"interpret"}, {"m", "9"}}};
  EXPECT_EQ(given.line(), "gmm-run gmm --m 8 file --interpret --m 9");
  EXPECT_EQ(given.without({"m", "json"}).line(), "gmm-run gmm file --interpret");
  EXPECT_EQ(given.with("m", "10").line(), "gmm-run gmm file --interpret --m 10");
  EXPECT_EQ(given.with("json").line(), "gmm-run gmm --m 8 file --interpret --m 9 --json");
  EXPECT_EQ(given.under("verify").line(), "gmm-run verify gmm --m 8 file --interpret --m 9");
  EXPECT_EQ(given.value("m"), "9");
  EXPECT_EQ(given.value("interpret"), std::nullopt);
  EXPECT_TRUE(given.has("interpret"));
}

TEST(Invocation, a_value_that_looks_like_an_option_is_joined_to_its_own) {
  const Invocation odd{"gmm", {{"out", "--x.npy"}, {"group-sizes", "-1"}, {"lhs", "a b.npy"}}};
  EXPECT_EQ(odd.line(), "gmm-run gmm --out=--x.npy --group-sizes -1 --lhs 'a b.npy'");
}

TEST(Text, figures_for_people) {
  EXPECT_EQ(human_seconds(0.0042), "4.20 ms");
  EXPECT_EQ(human_seconds(12.34), "12.3 s");
  EXPECT_EQ(human_seconds(0.000123), "123 us");
  EXPECT_EQ(human_bytes(98304), "96 KiB");
  EXPECT_EQ(human_bytes(1000), "1000 B");
  EXPECT_EQ(human_bytes(134217728), "128 MiB");
  EXPECT_EQ(human_bytes(1536 * 1024 + 1), "1.50 MiB");
  EXPECT_EQ(human_count(999999), "999999");
  EXPECT_EQ(human_count(2.5e9), "2.50 billion");
  EXPECT_EQ(counted(1, "copy", "copies"), "1 copy");
  EXPECT_EQ(counted(0, "copy", "copies"), "0 copies");
}

TEST(Near, a_slip_finds_its_word) {
  constexpr std::array<std::string_view, 4> words = {"gmm", "tgmm", "group-sizes", "fill"};
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("gmm", "mgm"), 1);
  EXPECT_EQ(nearest("gnm", words), "gmm");
  EXPECT_EQ(nearest("group-size", words), "group-sizes");
  EXPECT_EQ(nearest("gro", words), "group-sizes");
  EXPECT_EQ(nearest("bench", words), "");
}

}  // namespace
}  // namespace tessera::cli
