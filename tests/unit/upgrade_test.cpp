// What `fmt --upgrade` makes of texts: old words are written anew, the version stands in front,
// and nothing else changes.
#include "core/lang/upgrade.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/lang/old_words.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

std::string upgraded(const std::string& text) {
  const auto result = upgrade(test::source("old.tsr", text));
  return result ? *result : test::messages(result.diags());
}

std::string kernel(const std::string& body) { return "kernel k()\n{\n" + body + "}\n"; }

std::string upgraded_body(const std::string& body) {
  const std::string text = upgraded(kernel(body)), around = "tessera 1\n\n" + kernel("");
  if (text.size() < around.size()) return text;
  const std::string head = around.substr(0, around.size() - 2);
  EXPECT_TRUE(text.starts_with(head)) << text;
  return text.substr(head.size(), text.size() - around.size());
}

TEST(Upgrade, writes_calls_anew_in_their_layout) {
  EXPECT_EQ(upgraded_body("  multiply_scaled(acc,x, s,y,t)   // product\n    acc = 0;  x=1\n"),
            "  acc += scaled(x, s) . scaled(y, t)   // product\n    acc = 0;  x=1\n");
  EXPECT_EQ(upgraded_body("  if c { multiply_scaled_transposed(acc[r, :], f(a, b), s, y, t) }\n"),
            "  if c { acc[r, :] += scaled(f(a, b), s) . transpose(scaled(y, t)) }\n");
}

TEST(Upgrade, puts_parentheses_where_an_operand_needs_them) {
  EXPECT_EQ(upgraded_body("  multiply_scaled_rows(acc, a, s, b, t, k - 32, visit.end(v))\n"),
            "  acc += transpose(scaled(a[(k - 32) .. visit.end(v), :], "
            "s[(k - 32) / 32 .. visit.end(v) / 32, :])) . "
            "scaled(b[(k - 32) .. visit.end(v), :], t[(k - 32) / 32 .. visit.end(v) / 32, :])\n");
  EXPECT_EQ(upgraded_body("  multiply_scaled(acc, a + b, s, y, t)\n"),
            "  acc += scaled(a + b, s) . scaled(y, t)\n");
}

TEST(Upgrade, keeps_comments_inside_a_call) {
  EXPECT_EQ(upgraded_body("  multiply_scaled(acc, a, s,  // left\n"
                          "                  b, t)  // right\n"),
            "  // left\n  acc += scaled(a, s) . scaled(b, t)  // right\n");
}

TEST(Upgrade, leaves_what_is_no_call_of_an_old_word) {
  for (const std::string body : {"  multiply_scaled(acc, a, s)\n",
                                 "  multiply_scaled(acc = x, a = x, sa = x, b = x, sb = x)\n",
                                 "  x = r.multiply_scaled(1, 2, 3, 4, 5)\n",
                                 "  if c { multiply_scaled(acc, a, s,  // why\n    b, t) }\n",
                                 "  require c, \"multiply_scaled(acc, a, sa, b, sb)\"\n",
                                 "  // multiply_scaled(acc, a, sa, b, sb)\n"})
    EXPECT_EQ(upgraded_body(body), body);
  const std::string own = "tessera 1\n\nfunction multiply_scaled(a, b, c, d, e) = a\n\n" +
                          kernel("  x = multiply_scaled(1, 2, 3, 4, 5)\n");
  EXPECT_EQ(upgraded(own), own);
}

TEST(Upgrade, puts_the_version_above_the_first_definition_and_its_comment) {
  const std::string k = kernel("");
  EXPECT_EQ(upgraded(k), "tessera 1\n\n" + k);
  EXPECT_EQ(upgraded("// a licence\n\n// what it is\n" + k),
            "// a licence\n\ntessera 1\n\n// what it is\n" + k);
  EXPECT_EQ(upgraded("// a licence\n  tessera  1  // today\n" + k),
            "// a licence\n  tessera 1  // today\n" + k);
  EXPECT_EQ(upgraded(""), "tessera 1\n\n");
  EXPECT_EQ(upgraded("tessera 1"), "tessera 1");
  EXPECT_EQ(upgraded("// nothing"), "tessera 1\n\n// nothing");
}

TEST(Upgrade, refuses_versions_of_tomorrow_and_texts_with_errors) {
  EXPECT_EQ(upgraded("tessera 2\n"), "1:9: version 2 of the language is not known; known: 1");
  EXPECT_EQ(upgraded("tessera\n"),
            "2:1: expected the version of the language behind `tessera`; known: 1");
  EXPECT_EQ(upgraded("tessera k\n"),
            "1:9: expected the version of the language behind `tessera`; known: 1");
  EXPECT_EQ(upgraded("kernel k() {\n"),
            "4:1: expected `}` to close the block, found the end of the file");
}

// What it makes of each row is a text without old words that means the same once more.
TEST(Upgrade, is_done_after_one_time) {
  for (const OldWord& old : old_words()) {
    const std::string call = std::string(old.word) + "(" + std::string(old.parameters) + ")";
    const std::string once = upgraded(kernel("  " + call + "\n"));
    EXPECT_EQ(once, "tessera 1\n\n" + kernel("  " + std::string(old.now) + "\n"));
    EXPECT_EQ(upgraded(once), once);
  }
}

}  // namespace
}  // namespace tessera
