// COVERAGE.md tells the truth: every test it names is there, and every row of G1 to G25 and of M1
// to M16 has one.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "tests/source_dir.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

std::set<std::string> all_tests() {
  std::set<std::string> names;
  const testing::UnitTest& unit = *testing::UnitTest::GetInstance();
  for (int s = 0; s < unit.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *unit.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(t)->name();
      names.insert(name);
      names.insert(name.substr(0, name.find('/', name.find('.'))));  // of all parameters
    }
  }
  return names;
}

TEST(Coverage, every_test_that_is_named_is_there) {
  static const std::regex named(
      R"(`((?:(?:[a-z]+/)+[a-z_0-9]+\.tsr)|(?:[A-Za-z_]+/)?[A-Za-z_]+\.[A-Za-z_0-9/]+)`)");
  const std::string page = test::read_file("tests/conformance/COVERAGE.md");
  const std::set<std::string> tests = all_tests();
  int count = 0;
  std::set<std::string> seen;
  for (std::sregex_iterator at(page.begin(), page.end(), named), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (name.ends_with(".h") || name.ends_with(".py") || name == "folder/file.tsr" ||
        name == "Suite.name")
      continue;
    ++count;
    seen.insert(name);
    if (name.ends_with(".tsr")) {
      EXPECT_TRUE(std::filesystem::exists(test::source_dir() + "/tests/" + name)) << name;
    } else {
      EXPECT_TRUE(tests.contains(name)) << name;
    }
  }
  EXPECT_GE(count, 100);
  const auto expect_rows = [&](const std::string& letter, int last) {
    for (int row = 1; row <= last; ++row) {
      const std::string begin = letter + std::to_string(row) + "_";
      EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [&](const std::string& name) {
        return name.starts_with(begin);
      })) << begin;
    }
  };
  expect_rows("GroupedMatmul.G", 25);
  expect_rows("Operation.M", 16);
}

// Every case of the rings has a row of its own, or says why not.
TEST(Coverage, every_case_of_the_collectives_is_told_of) {
  const std::string page = test::read_file("tests/conformance/COVERAGE.md");
  const std::size_t begin = page.find("## Collectives"), end = page.find("\n## ", begin);
  ASSERT_NE(begin, std::string::npos);
  static const std::regex row(R"(\n\| ([0-9, ]+): [^|]*\| (`|not yet: ))");
  const std::string part = page.substr(begin, end - begin);
  std::set<int> cases;
  for (std::sregex_iterator at(part.begin(), part.end(), row), last; at != last; ++at) {
    const std::string numbers = (*at)[1];
    static const std::regex number("[0-9]+");
    for (std::sregex_iterator n(numbers.begin(), numbers.end(), number), none; n != none; ++n)
      cases.insert(std::stoi(n->str()));
  }
  for (int i = 1; i <= 23; ++i) EXPECT_TRUE(cases.contains(i)) << "case " << i;
}

}  // namespace
}  // namespace tessera
