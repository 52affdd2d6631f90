// Every shipped kernel is equal to its definition, with three tilings.
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "kernels/definitions/definitions.h"
#include "tests/mutation/calls.h"

namespace tessera {
namespace {

class DefinitionsEqual : public ::testing::TestWithParam<test::KernelCall> {};

TEST_P(DefinitionsEqual, to_the_kernel) {
  std::istringstream stream{std::string(GetParam().words)};
  std::vector<std::string> words = {"equal"};
  for (std::string word; stream >> word;) words.push_back(word);
  words.push_back("--definition");
  std::ostringstream out, err;
  EXPECT_EQ(cli::run(words, out, err), 0) << GetParam().words << "\n" << out.str() << err.str();
  EXPECT_NE(out.str().find("\nequal "), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find("results   in one program only"), std::string::npos) << out.str();
}

INSTANTIATE_TEST_SUITE_P(, DefinitionsEqual, ::testing::ValuesIn(test::kernel_calls()),
                         [](const auto& call) {
                           return std::string(call.param.kernel) + "_" +
                                  std::to_string(call.index % 3);
                         });

TEST(DefinitionsOfAllKernels, AreThereWithThreeCallsEach) {
  std::map<std::string_view, int> calls;
  for (const test::KernelCall& call : test::kernel_calls()) ++calls[call.kernel];
  EXPECT_EQ(calls.size(), defined_kernels().size());
  for (const std::string& name : defined_kernels()) EXPECT_EQ(calls[name], 3) << name;
}

}  // namespace
}  // namespace tessera
