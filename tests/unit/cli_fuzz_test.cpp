#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/cli.h"
#include "cli/operations/fuzz_tester.h"
#include "fuzz/fuzz.h"
#include "text/numbers.h"

namespace tessera::fuzz {
namespace {

using cli::run;
using cli::try_command;
using Numbers = std::vector<std::int64_t>;

std::int64_t number(const Invocation& a_case, const char* option, std::int64_t fallback) {
  const auto value = a_case.value(option);
  return value ? parse_integer(*value).value_or(fallback) : fallback;
}

Numbers sizes_of(const Invocation& a_case) {
  return parse_integers(a_case.value("group-sizes").value_or("")).value_or(Numbers{});
}

std::int64_t rows_of(const Invocation& a_case) {
  std::int64_t rows = 0;
  for (const std::int64_t size : sizes_of(a_case)) rows += size;
  return number(a_case, "m", rows);
}

TEST(Fuzz, a_case_is_a_function_of_seed_and_index) {
  for (std::int64_t index = 0; index < 20; ++index) {
    EXPECT_EQ(draw("", 5, index), draw("", 5, index));
  }
  EXPECT_NE(draw("", 5, 0), draw("", 6, 0));
  EXPECT_EQ(draw("tgmm", 5, 0).command, "tgmm");
}

TEST(Fuzz, every_case_runs_from_its_command_line) {
  for (std::int64_t index = 0; index < 30; ++index) {
    const Invocation a_case = draw("", 9, index);
    std::ostringstream out, err;
    EXPECT_EQ(run(a_case.words(), out, err), 0) << a_case.line() << "\n" << out.str() << err.str();
    const std::optional<Failure> failure = try_command(a_case);
    EXPECT_FALSE(failure) << a_case.line() << "\n" << failure->message;
  }
}

// Returns the error for invocations that the command rejects, as in try_command.
std::optional<Failure> refusal(const Invocation& a_case) {
  for (const char* needed : {"k", "n", "group-sizes"})
    if (!a_case.has(needed)) return Failure{"error", std::string(needed) + " is missing"};
  const Numbers sizes = sizes_of(a_case);
  const std::int64_t groups = static_cast<std::int64_t>(sizes.size());
  const std::int64_t first = number(a_case, "group-offset", 0);
  const std::int64_t local = number(a_case, "local-groups", groups - first);
  if (first + local > groups || local < 1) return Failure{"error", "the window does not fit"};
  std::int64_t rows = 0;
  for (std::int64_t g = 0; g < groups; ++g) {
    const bool counts = a_case.value("rows") != "local" || (g >= first && g < first + local);
    if (counts) rows += sizes[static_cast<std::size_t>(g)];
  }
  if (rows_of(a_case) < rows) return Failure{"error", "m is too small"};
  return std::nullopt;
}

TEST(Fuzz, a_failure_becomes_small) {
  // Fails if k is at least 5 and a processed group has more than 3 rows.
  const Tester fails = [](const Invocation& a_case) -> std::optional<Failure> {
    if (auto refused = refusal(a_case)) return refused;
    const Numbers sizes = sizes_of(a_case);
    const bool long_group =
        std::any_of(sizes.begin(), sizes.end(), [](auto size) { return size > 3; });
    if (number(a_case, "k", 0) < 5 || !long_group) return std::nullopt;
    return Failure{"mismatch", "made up"};
  };
  int shrunk = 0;
  for (std::int64_t index = 0; index < 40; ++index) {
    const Invocation a_case = draw("", 1, index);
    const std::optional<Failure> failure = fails(a_case);
    if (!failure) continue;
    ++shrunk;
    const Invocation smallest = shrink(a_case, *failure, fails, 5000);
    EXPECT_EQ(number(smallest, "k", 0), 5);
    EXPECT_EQ(number(smallest, "n", -1), 0);
    EXPECT_EQ(rows_of(smallest), 4);
    EXPECT_EQ(sizes_of(smallest), Numbers{4});
    EXPECT_EQ(smallest.value("dtype"), "f32");
    EXPECT_FALSE(smallest.has("schedule"));  // eager
    EXPECT_EQ(smallest.options.size(), 4u) << smallest.line();
  }
  EXPECT_GT(shrunk, 10);
}

TEST(Fuzz, a_failure_that_is_another_is_not_taken_for_it) {
  const Invocation a_case = draw("", 1, 0);
  const Tester other = [](const Invocation&) { return Failure{"deadlock", "another"}; };
  EXPECT_EQ(shrink(a_case, {"mismatch", "the first"}, other, 100), a_case);
}

TEST(Fuzz, a_case_as_a_file_runs) {
  const std::string path = testing::TempDir() + "fuzz_case.tsr";
  for (std::int64_t index = 0; index < 30; ++index) {
    const Invocation a_case = draw("", 3, index);
    const Expected<std::string> text = as_program(a_case, {"mismatch", "made up\nsecond line"});
    ASSERT_TRUE(text) << render(text.diags());
    std::ofstream(path) << *text;
    const std::string first = text->substr(0, text->find('\n'));
    ASSERT_TRUE(first.starts_with("// RUN: run %s ")) << first;
    std::vector<std::string> words = split(first.substr(8), ' ');
    words[1] = path;
    std::ostringstream out, err;
    EXPECT_EQ(run(words, out, err), 0) << *text << out.str() << err.str();
  }
}

TEST(Fuzz, a_case_of_any_operation_is_a_function_of_seed_and_index_and_right) {
  for (const std::string_view operation : operations()) {
    for (std::int64_t index = 0; index < 40; ++index) {
      const Invocation a_case = draw(operation, 4, index);
      EXPECT_EQ(a_case, draw(operation, 4, index));
      EXPECT_EQ(a_case.command, operation);
      const std::optional<Failure> failure = try_command(a_case);
      EXPECT_FALSE(failure) << a_case.line() << "\n" << failure->message;
    }
    EXPECT_NE(draw(operation, 4, 0), draw(operation, 5, 0));
  }
}

TEST(Fuzz, bad_input_is_a_failure_and_the_failure_of_any_operation_becomes_small) {
  EXPECT_TRUE(try_command({"grouped-gemm", {{"group-sizes", "1,2"}, {"k", "4"}}}));
  // Fails if there is a bias and k is at least 5.
  const Tester fails = [](const Invocation& a_case) -> std::optional<Failure> {
    if (!a_case.has("bias") || number(a_case, "k", 0) < 5) return std::nullopt;
    return Failure{"mismatch", "made up"};
  };
  int shrunk = 0;
  for (std::int64_t index = 0; index < 40; ++index) {
    const Invocation a_case = draw("grouped-gemm", 1, index);
    const std::optional<Failure> failure = fails(a_case);
    if (!failure) continue;
    ++shrunk;
    EXPECT_EQ(shrink(a_case, *failure, fails, 5000).words(),
              (std::vector<std::string>{"grouped-gemm", "--k", "5", "--bias", "--dtype", "f32"}));
  }
  EXPECT_GT(shrunk, 3);
}

}  // namespace
}  // namespace tessera::fuzz
