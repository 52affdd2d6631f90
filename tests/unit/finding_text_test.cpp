// Reports are short, whatever the size of the program.
#include "cli/reports/finding_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tessera::cli {
namespace {

// Returns findings with different subjects.
std::vector<Finding> findings(int count) {
  std::vector<Finding> all;
  for (int i = 0; i < count; ++i) {
    Finding finding{.kind = FindingKind::dead_store, .message = "m" + std::to_string(i)};
    finding.about.statement = StmtId(i);
    all.push_back(std::move(finding));
  }
  return all;
}

std::ptrdiff_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(FindingText, twenty_notes_are_shown) {
  EXPECT_EQ(lines(notes_text(findings(20), false)), 20);
  const std::string text = notes_text(findings(22), false);
  EXPECT_TRUE(text.starts_with("note: dead_store: m0\n"));
  EXPECT_TRUE(text.ends_with(
      "note: dead_store: m19\nnote: 2 more notes are not shown; --all shows them\n"));
  EXPECT_EQ(lines(notes_text(findings(22), true)), 22);
}

TEST(FindingText, a_hundred_findings_are_shown) {
  EXPECT_EQ(lines(findings_text(findings(100), false)), 100);
  const std::string text = findings_text(findings(101), false);
  EXPECT_TRUE(
      text.ends_with("100. dead_store: m99\n"
                     "note: 1 more finding is not shown; --all shows it\n"));
  EXPECT_EQ(lines(findings_text(findings(101), true)), 101);
}

TEST(FindingText, consequences_follow_their_cause) {
  std::vector<Finding> all = findings(3);
  all[1].mended_with = 0;
  all[2].mended_with = 0;
  EXPECT_EQ(findings_text(all, true),
            "1. dead_store: m0\n1.1. dead_store: m1\n1.2. dead_store: m2\n");
  EXPECT_TRUE(findings_text(all, false)
                  .ends_with("note: 2 more findings are a consequence of this one, and are not "
                             "shown: 2 dead_store; "
                             "--all shows them\n"));
}

}  // namespace
}  // namespace tessera::cli
