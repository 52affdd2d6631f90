#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/cli.h"
#include "cli/fuzz/fuzz_case.h"
#include "cli/fuzz/fuzz_words.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

TEST(Fuzz, a_case_is_a_function_of_seed_and_index) {
  for (std::int64_t index = 0; index < 20; ++index) {
    EXPECT_EQ(to_words(draw_case(5, index, {})), to_words(draw_case(5, index, {})));
  }
  EXPECT_NE(to_words(draw_case(5, 0, {})), to_words(draw_case(6, 0, {})));
  EXPECT_EQ(draw_case(5, 0, Operation::tgmm).problem.operation, Operation::tgmm);
}

TEST(Fuzz, every_case_runs_from_its_command_line) {
  for (std::int64_t index = 0; index < 30; ++index) {
    const std::vector<std::string> words = to_words(draw_case(9, index, {}));
    std::ostringstream out, err;
    EXPECT_EQ(run(words, out, err), 0) << shell_line(words) << "\n" << out.str() << err.str();
  }
}

TEST(Fuzz, a_failure_becomes_small) {
  // Fails where k is at least 5 and some processed group has more than 3 rows.
  const Tester fails = [](const FuzzCase& a_case) -> std::optional<Failure> {
    const std::vector<std::int64_t>& sizes = a_case.problem.group_sizes;
    const bool long_group =
        std::any_of(sizes.begin(), sizes.end(), [](auto size) { return size > 3; });
    if (a_case.problem.k < 5 || !long_group) return std::nullopt;
    return Failure{"mismatch", "made up"};
  };
  int shrunk = 0;
  for (std::int64_t index = 0; index < 40; ++index) {
    const FuzzCase a_case = draw_case(1, index, {});
    const std::optional<Failure> failure = fails(a_case);
    if (!failure) continue;
    ++shrunk;
    const FuzzCase smallest = shrink(a_case, *failure, fails, 5000);
    const Problem& problem = smallest.problem;
    EXPECT_EQ(problem.k, 5);
    EXPECT_EQ(problem.n, 0);
    EXPECT_EQ(problem.m, 4);
    EXPECT_EQ(problem.group_sizes, std::vector<std::int64_t>{4});
    EXPECT_EQ(problem.dtype, DType::f32);
    EXPECT_EQ(smallest.schedule, "eager");
  }
  EXPECT_GT(shrunk, 10);
}

TEST(Fuzz, a_failure_that_is_another_is_not_taken_for_it) {
  const FuzzCase a_case = draw_case(1, 0, {});
  const Tester other = [](const FuzzCase&) { return Failure{"deadlock", "another"}; };
  EXPECT_EQ(to_words(shrink(a_case, {"mismatch", "the first"}, other, 100)), to_words(a_case));
}

TEST(Fuzz, a_case_as_a_file_runs) {
  const std::string path = testing::TempDir() + "fuzz_case.tsr";
  for (std::int64_t index = 0; index < 30; ++index) {
    const FuzzCase a_case = draw_case(3, index, {});
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

TEST(FuzzWords, a_case_is_a_function_of_seed_and_index_and_right) {
  for (const std::string_view operation : word_operations()) {
    for (std::int64_t index = 0; index < 40; ++index) {
      const WordCase a_case = draw_words(operation, 4, index);
      EXPECT_EQ(to_words(a_case), to_words(draw_words(operation, 4, index)));
      EXPECT_EQ(to_words(a_case).front(), operation);
      const std::optional<Failure> failure = try_words(a_case);
      EXPECT_FALSE(failure) << shell_line(to_words(a_case)) << "\n" << failure->message;
    }
    EXPECT_NE(to_words(draw_words(operation, 4, 0)), to_words(draw_words(operation, 5, 0)));
  }
}

TEST(FuzzWords, bad_input_is_a_failure_and_a_failure_becomes_small) {
  EXPECT_TRUE(try_words({"grouped-gemm", {{"group-sizes", "1,2"}, {"k", "4"}}}));
  // Fails where the bias is there and k is at least 5.
  const WordTester fails = [](const WordCase& a_case) -> std::optional<Failure> {
    bool bias = false, long_k = false;
    for (const auto& [option, value] : a_case.options) {
      bias |= option == "bias";
      long_k |= option == "k" && std::stoll(value) >= 5;
    }
    if (!bias || !long_k) return std::nullopt;
    return Failure{"mismatch", "made up"};
  };
  int shrunk = 0;
  for (std::int64_t index = 0; index < 40; ++index) {
    const WordCase a_case = draw_words("grouped-gemm", 1, index);
    const std::optional<Failure> failure = fails(a_case);
    if (!failure) continue;
    ++shrunk;
    const std::vector<std::string> words = to_words(shrink_words(a_case, *failure, fails, 5000));
    EXPECT_EQ(words, (std::vector<std::string>{"grouped-gemm", "--k", "5", "--bias"}));
  }
  EXPECT_GT(shrunk, 3);
}

}  // namespace
}  // namespace tessera::cli
