#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "cli/args/limits.h"
#include "cli/args/options.h"

namespace tessera::cli {
namespace {

const Options options = {{"m", "N", "rows"},
                         {"set", "NAME=VALUE", "a parameter", true},
                         {"check", "full|sample|none", "how much"},
                         {"interpret", "", "run it here"}};

Expected<Arguments> parse(std::vector<std::string> words) {
  words.insert(words.begin(), "gmm");
  return parse_arguments(options, words);
}

std::string only_error(const std::vector<std::string>& words) {
  const Expected<Arguments> arguments = parse(words);
  if (arguments) return "no error";
  return arguments.diags().size() == 1 ? arguments.diags().front().message : "several errors";
}

TEST(Options, values_switches_and_words) {
  const auto arguments =
      parse({"file.tsr", "--m", "12", "--interpret", "--set=a=1", "--set", "b=-2"});
  ASSERT_TRUE(arguments) << render(arguments.diags());
  Diags diags;
  EXPECT_EQ(arguments->integer("m", diags), 12);
  EXPECT_TRUE(arguments->has("interpret"));
  EXPECT_FALSE(arguments->has("check"));
  EXPECT_EQ(arguments->all("set"), (std::vector<std::string>{"a=1", "b=-2"}));
  EXPECT_EQ(arguments->words(), std::vector<std::string>{"file.tsr"});
  EXPECT_TRUE(diags.empty());
}

TEST(Options, words_after_two_dashes_are_no_options) {
  const auto arguments = parse({"--m", "-3", "--", "--interpret", "-x"});
  ASSERT_TRUE(arguments) << render(arguments.diags());
  EXPECT_EQ(arguments->text("m"), "-3");
  EXPECT_EQ(arguments->words(), (std::vector<std::string>{"--interpret", "-x"}));
}

TEST(Options, a_value_that_looks_like_an_option_is_joined) {
  EXPECT_EQ(only_error({"--set", "--interpret"}), "--set needs a value: NAME=VALUE");
  const auto arguments = parse({"--set=--interpret"});
  ASSERT_TRUE(arguments) << render(arguments.diags());
  EXPECT_EQ(arguments->all("set"), std::vector<std::string>{"--interpret"});
  EXPECT_FALSE(arguments->has("interpret"));
}

TEST(Options, what_is_wrong_is_named) {
  EXPECT_EQ(only_error({"--chekc", "full"}), "unknown option --chekc; did you mean 'check'?");
  EXPECT_EQ(only_error({"--zzzzzzzz"}), "unknown option --zzzzzzzz");
  EXPECT_EQ(only_error({"--m"}), "--m needs a value: N");
  EXPECT_EQ(only_error({"--m", "1", "--m", "2"}), "--m is given twice");
  EXPECT_EQ(only_error({"--interpret", "--interpret"}), "--interpret is given twice");
  EXPECT_EQ(only_error({"--interpret=yes"}), "--interpret takes no value");
}

TEST(Options, a_value_may_be_optional) {
  const Options options = {{"bias", "[FILE]", "", false, FileUse::reads, true},
                           {"interpret", "", ""}};
  const auto bias = [&](const std::vector<std::string>& words) {
    const auto arguments = parse_arguments(options, words);
    EXPECT_TRUE(arguments) << render(arguments.diags());
    EXPECT_TRUE(arguments->has("bias") && arguments->has("interpret"));
    EXPECT_EQ(arguments->invocation().words(), words);
    return std::string(arguments->text("bias"));
  };
  EXPECT_EQ(bias({"command", "--bias", "b.npy", "--interpret"}), "b.npy");
  EXPECT_EQ(bias({"command", "--bias", "--interpret"}), "");
  EXPECT_EQ(bias({"command", "--interpret", "--bias"}), "");
  const auto adjacent = parse_arguments(options, {"command", "--bias=b.npy"});
  ASSERT_TRUE(adjacent);
  EXPECT_EQ(adjacent->text("bias"), "b.npy");
  const auto twice = parse_arguments(options, {"command", "--bias", "b.npy", "--bias"});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.diags().front().message, "--bias is given twice");
}

TEST(Options, a_prefix_is_not_the_option) {
  EXPECT_EQ(only_error({"--inter"}), "unknown option --inter; did you mean 'interpret'?");
}

TEST(Options, integers_have_bounds) {
  const auto error_of = [](const std::string& text) {
    Diags diags;
    EXPECT_FALSE(parse({"--m", text})->integer("m", diags, 1, 10)) << text;
    return diags.size() == 1 ? diags.front().message : "no error";
  };
  EXPECT_EQ(error_of("0"), "--m: expected an integer from 1 to 10, found '0'");
  EXPECT_EQ(error_of("-3"), "--m: expected an integer from 1 to 10, found '-3'");
  EXPECT_EQ(error_of("7x"), "--m: expected an integer from 1 to 10, found '7x'");
  EXPECT_EQ(error_of("99999999999999999999"),
            "--m: expected an integer from 1 to 10, found '99999999999999999999'");
}

TEST(Options, a_choice_is_one_of_its_words) {
  constexpr std::array<std::string_view, 3> words = {"full", "sample", "none"};
  Diags diags;
  EXPECT_EQ(parse({"--check", "none"})->choice("check", words, diags), 2U);
  EXPECT_EQ(parse({})->choice("check", words, diags), 0U);
  EXPECT_TRUE(diags.empty());
  parse({"--check", "nnoe"})->choice("check", words, diags);
  ASSERT_EQ(diags.size(), 1U);
  EXPECT_EQ(diags.front().message,
            "--check: expected one of full, sample, none, found 'nnoe'; did you mean 'none'?");
}

TEST(Options, long_names_stand_on_a_line_of_their_own) {
  EXPECT_EQ(
      describe({{"m", "N", "rows"}, {"group-sizes", "LIST|uniform|multinomial|zipf:S", "sizes"}}),
      "  --m N  rows\n"
      "  --group-sizes LIST|uniform|multinomial|zipf:S\n"
      "         sizes\n");
}

TEST(Options, what_nobody_asked_for_is_unread) {
  const auto given = parse({"--m", "3", "--check", "none"});
  ASSERT_TRUE(given);
  const Arguments copy = *given;
  EXPECT_EQ(given->unread().size(), 2U);
  EXPECT_TRUE(given->was_given("check"));
  EXPECT_EQ(given->glance("m").size(), 1U);
  EXPECT_EQ(given->unread().size(), 2U) << "to judge an option is not to honour it";
  copy.text("check");
  const Diags left = given->unread();
  ASSERT_EQ(left.size(), 1U) << "what a copy was asked for counts";
  EXPECT_EQ(left.front().message, "--m changes nothing in this call");
  EXPECT_EQ(left.front().code, ErrorCode::unused_option);
  const auto other = parse({"--m", "3"});
  Diags diags;
  other->integer("m", diags);
  given->read_as(*other);
  EXPECT_TRUE(given->unread().empty());
}

TEST(Options, bytes_have_suffixes) {
  EXPECT_EQ(parse_bytes("1"), 1);
  EXPECT_EQ(parse_bytes("500M"), std::int64_t{500} << 20);
  EXPECT_EQ(parse_bytes("4G"), std::int64_t{4} << 30);
  EXPECT_EQ(parse_bytes("2T"), std::int64_t{2} << 40);
  for (const std::string_view text : {"", "G", "0", "-1", "4g", "4 G", "1.5G", "4GB", "9000000T"})
    EXPECT_FALSE(parse_bytes(text)) << text;
}

}  // namespace
}  // namespace tessera::cli
