// Checks docs/tutorial/ladder: the page shows the programs unchanged, its commands print the output
// shown, and each program is broken by the edit that the page describes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "core/lang/language.h"
#include "tests/source_dir.h"
#include "tests/unit/language_support.h"
#include "tests/unit/page.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using test::Lines;
using test::Shown;

const std::string folder = "docs/tutorial/ladder";

std::string page() { return test::read_file(folder + "/README.md"); }

// Returns the names of the programs in a folder, in the order of the steps.
std::vector<std::string> programs_in(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().extension() == ".tsr") names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// File names in the page are relative to the repository's root.
class Ladder : public testing::Test {
 protected:
  void SetUp() override {
    fs::current_path(test::source_dir());
    programs_ = programs_in(folder);
    ASSERT_EQ(programs_.size(), 8U);
  }
  void TearDown() override { fs::current_path(before_); }

  std::vector<std::string> programs_;

 private:
  fs::path before_ = fs::current_path();
};

bool has_finding(const Shown& shown) {
  return std::any_of(shown.output.begin(), shown.output.end(),
                     [](const std::string& line) { return line.starts_with("refuted "); });
}

bool is_command_on(const Shown& shown, const std::string& command, const std::string& file) {
  const Lines words = shown.words();
  return words.size() >= 2 && words[0] == command && words[1] == file;
}

std::string trimmed(const std::string& line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at == std::string::npos ? "" : line.substr(at);
}

// A line and its replacement, both without indentation.
using Edit = std::pair<std::string, std::string>;

// Returns the edits, written "`line` by `line`", of each paragraph that begins with "**Break
// it:**".
std::vector<std::vector<Edit>> edits_of(const std::string& text) {
  static const std::regex replacement("`([^`]+)`\\s+by\\s+`([^`]+)`");
  std::vector<std::vector<Edit>> all;
  for (std::size_t at = text.find("**Break it:**"); at != std::string::npos;
       at = text.find("**Break it:**", at + 1)) {
    const std::string paragraph = text.substr(at, text.find("\n\n", at) - at);
    all.emplace_back();
    for (std::sregex_iterator match(paragraph.begin(), paragraph.end(), replacement), end;
         match != end; ++match)
      all.back().emplace_back((*match)[1], (*match)[2]);
  }
  return all;
}

TEST_F(Ladder, fences_show_the_programs) {
  const std::vector<test::Fenced> blocks = test::page_of(page()).blocks;
  ASSERT_EQ(blocks.size(), programs_.size());
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    SCOPED_TRACE(programs_[i]);
    EXPECT_TRUE(blocks[i].is_in("tsr"));
    EXPECT_EQ(blocks[i].text, test::read_file(folder + "/" + programs_[i]));
  }
}

TEST_F(Ladder, commands_print_what_is_shown) {
  const std::vector<Shown> commands = test::commands_of(page());
  for (const Shown& shown : commands) {
    SCOPED_TRACE(shown.command);
    const test::Outcome outcome = test::outcome_of(shown.words());
    EXPECT_EQ(outcome.exit_code, has_finding(shown) ? 1 : 0) << outcome.output;
    EXPECT_FALSE(shown.output.empty());
    EXPECT_TRUE(test::shows(shown.output, test::lines_of(outcome.output))) << outcome.output;
  }
}

TEST_F(Ladder, each_step_is_run_and_broken) {
  const std::vector<Shown> commands = test::commands_of(page());
  const auto times = [&](const std::string& command, const std::string& file, bool finds) {
    return std::count_if(commands.begin(), commands.end(), [&](const Shown& shown) {
      return is_command_on(shown, command, file) && has_finding(shown) == finds;
    });
  };
  for (const std::string& name : programs_) {
    SCOPED_TRACE(name);
    EXPECT_GE(times("run", folder + "/" + name, false), 1);
    EXPECT_EQ(times("verify", folder + "/broken/" + name, true), 1);
  }
}

TEST_F(Ladder, programs_are_short_formatted_and_valid) {
  for (const std::string& name : programs_) {
    const std::string file = folder + "/" + name, text = test::read_file(file);
    SCOPED_TRACE(file);
    EXPECT_LT(test::lines_of(text).size(), 40U);
    EXPECT_TRUE(text.starts_with("// "));
    const auto tidy = format(test::source(file, text));
    ASSERT_TRUE(tidy) << render(tidy.diags());
    EXPECT_EQ(*tidy, text);
    const test::Outcome checked = test::outcome_of({"check", file});
    EXPECT_EQ(checked.exit_code, 0) << checked.output;
    EXPECT_NE(checked.output.find(": ok\n"), std::string::npos) << checked.output;
  }
}

// Without options, except the number of devices. Group sizes are zero.
TEST_F(Ladder, programs_are_proved_with_their_defaults) {
  for (const std::string& name : programs_) {
    for (const char* devices : {"1", "2", "5"}) {
      SCOPED_TRACE(name + " on " + devices);
      const test::Outcome outcome =
          test::outcome_of({"verify", folder + "/" + name, "--devices", devices});
      EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
      EXPECT_NE(outcome.output.find("\nproved "), std::string::npos) << outcome.output;
    }
  }
}

TEST_F(Ladder, broken_programs_differ_by_the_edit_that_is_named) {
  EXPECT_EQ(programs_in(folder + "/broken"), programs_);
  const std::vector<std::vector<Edit>> edits = edits_of(page());
  ASSERT_EQ(edits.size(), programs_.size());
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    SCOPED_TRACE(programs_[i]);
    const Lines whole = test::lines_of(test::read_file(folder + "/" + programs_[i]));
    const Lines broken = test::lines_of(test::read_file(folder + "/broken/" + programs_[i]));
    ASSERT_EQ(broken.size(), whole.size());
    std::vector<Edit> made;
    for (std::size_t line = 0; line < whole.size(); ++line)
      if (broken[line] != whole[line])
        made.emplace_back(trimmed(whole[line]), trimmed(broken[line]));
    EXPECT_GE(made.size(), 1U);
    EXPECT_LE(made.size(), 2U);
    std::vector<Edit> named = edits[i];
    std::sort(made.begin(), made.end());
    std::sort(named.begin(), named.end());
    EXPECT_EQ(made, named);
  }
}

}  // namespace
}  // namespace tessera
