// Checks docs/reference/findings.md: each program has exactly the findings announced in its lines,
// and is proved with the fixes of the page.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "core/report/finding.h"
#include "tests/unit/language_support.h"
#include "tests/unit/page.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

using test::Fenced;
using test::Lines;

std::string page() { return test::read_file("docs/reference/findings.md"); }

// Announcement in a program line: `// finding: KIND: TEXT`; instead of `finding`, `note` or a
// violated condition. "..." matches the rest of the text.
struct Announced {
  int line;
  std::string kind;  // "finding", "note" or a condition's name
  std::string text;  // for a finding: "KIND: TEXT"
};

// A program of the page, unchanged and with its fixes.
struct Case {
  std::string text, mended;
  std::vector<Announced> announced;
  bool has_mends = false;
};

Case case_of(const Fenced& block) {
  static const std::regex announcement(R"(^( *[^ /].*?) *// (finding|note|C2): (.*)$)");
  static const std::regex mend(R"(^( *)// mend: (.*)$)");
  Case result;
  Lines text, mended;
  std::smatch match;
  for (std::string line : test::lines_of(block.text)) {
    if (std::regex_match(line, match, mend)) {
      mended.back() = match[1].str() + match[2].str();
      result.has_mends = true;
      continue;
    }
    if (std::regex_match(line, match, announcement)) {
      result.announced.push_back({static_cast<int>(text.size()) + 1, match[2], match[3]});
      line = match[1].str();
    }
    text.push_back(line);
    mended.push_back(line);
  }
  result.text = test::joined(text);
  result.mended = test::joined(mended);
  return result;
}

bool is_text(const std::string& shown, const std::string& whole) {
  return shown.ends_with("...") ? whole.starts_with(shown.substr(0, shown.size() - 3))
                                : whole == shown;
}

// Returns the command of a block for a program in `file`: `verify`, or the command of its fence, in
// which %s is the file.
Lines command_of(const Fenced& block, const std::string& file) {
  Lines options(block.words.begin() + 1, block.words.end());
  if (options.empty() || options.front().starts_with("--"))
    options.insert(options.begin(), {"verify", file});
  for (std::string& word : options)
    if (word == "%s") word = file;
  return options;
}

void expect_announced(const Case& wanted, const std::string& file, const std::string& output) {
  std::vector<Announced> findings;
  for (const Announced& one : wanted.announced) {
    if (one.kind == "finding") {
      findings.push_back(one);
    } else {
      const std::string place = one.kind == "note" ? ":" + std::to_string(one.line) + ":"
                                                   : "line " + std::to_string(one.line) + ": ";
      EXPECT_NE(output.find(place), std::string::npos) << output;
      EXPECT_NE(output.find(one.text.substr(0, one.text.find("..."))), std::string::npos) << output;
    }
  }
  const std::vector<test::Message> found = test::reported(output, file);
  ASSERT_EQ(found.size(), findings.size()) << output;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& [line, kind, text] = found[i];
    EXPECT_EQ(line, findings[i].line) << output;
    EXPECT_TRUE(is_text(findings[i].text, kind + ": " + text)) << output;
  }
}

TEST(FindingsPage, programs_have_what_they_announce_and_are_proved_when_mended) {
  const TemporaryFolder folder;
  const std::string file = folder.file("findings.tsr");
  int programs = 0;
  for (const Fenced& block : test::page_of(page()).blocks) {
    ASSERT_TRUE(block.is_in("tsr"));
    SCOPED_TRACE("docs/reference/findings.md:" + std::to_string(block.first));
    ++programs;
    const Case wanted = case_of(block);
    ASSERT_FALSE(wanted.announced.empty());
    write_bytes(file, wanted.text);
    const test::Outcome shown = test::outcome_of(command_of(block, file));
    expect_announced(wanted, file, shown.output);
    const std::string& kind = wanted.announced.front().text;
    EXPECT_EQ(shown.exit_code, wanted.announced.front().kind != "finding" ? 0
                               : kind.starts_with("unsupported")          ? 2
                                                                          : 1)
        << shown.output;
    if (!wanted.has_mends) continue;
    write_bytes(file, wanted.mended);
    const test::Outcome mended = test::outcome_of(command_of(block, file));
    EXPECT_EQ(mended.exit_code, 0) << mended.output;
    EXPECT_NE(mended.output.find("\nproved "), std::string::npos) << mended.output;
  }
  EXPECT_GE(programs, 18);
}

// The file of a command contains the program of that name.
TEST(FindingsPage, commands_print_what_is_shown) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  int commands = 0;
  for (const test::Shown& shown : test::commands_of(page())) {
    SCOPED_TRACE(shown.command);
    const Lines words = shown.words();
    const std::string kernel = words.at(1).substr(0, words.at(1).find(".tsr"));
    for (const Fenced& block : test::page_of(page()).blocks) {
      if (block.text.starts_with("kernel " + kernel + "("))
        write_bytes(folder.file(words[1]), case_of(block).text);
    }
    std::filesystem::current_path(folder.file("."));
    const test::Outcome outcome = test::outcome_of(words);
    std::filesystem::current_path(before);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(test::shows(shown.output, test::lines_of(outcome.output))) << outcome.output;
    ++commands;
  }
  EXPECT_GE(commands, 1);
}

TEST(FindingsPage, has_a_section_for_every_kind) {
  const std::string text = page();
  for (const FindingKind each : finding_kinds()) {
    const std::string kind(name(each));
    EXPECT_NE(text.find("\n## `" + kind + "`\n"), std::string::npos) << kind;
  }
}

}  // namespace
}  // namespace tessera
