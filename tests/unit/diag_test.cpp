// Rendered diagnostics: place, text, source line, caret.
#include "core/report/diag.h"

#include <gtest/gtest.h>

#include "core/report/expected.h"

namespace tessera {
namespace {

Loc place(std::string text, int line, int column, int width) {
  return {std::make_shared<const Source>(Source{"ring.tsr", std::move(text)}), line, column, width};
}

TEST(Diag, ShowsPlaceTextLineAndCaret) {
  const auto loc = place("first\n  matmul %acc, %buf, %w\nlast\n", 2, 16, 4);
  EXPECT_EQ(render(Diag{ErrorCode::invalid_value, loc, "no such value", {}}),
            "ring.tsr:2:16: error: no such value\n"
            "  matmul %acc, %buf, %w\n"
            "               ^~~~\n");
}

TEST(Diag, NotesFollowInTheSameForm) {
  const std::string text = "a b\nc d\n";
  const Diag diag{ErrorCode::invalid_value,
                  place(text, 2, 3, 1),
                  "'d' is taken",
                  {{place(text, 1, 1, 1), "by this"}, {{}, "names are unique"}}};
  EXPECT_EQ(render(diag),
            "ring.tsr:2:3: error: 'd' is taken\nc d\n  ^\n"
            "ring.tsr:1:1: note: by this\na b\n^\n"
            "note: names are unique\n");
}

TEST(Diag, WithoutPlaceIsOneLine) {
  EXPECT_EQ(render(error("expected 3 sizes, found 2")), "error: expected 3 sizes, found 2\n");
  EXPECT_EQ(render(Diags{error("one"), error("two")}), "error: one\nerror: two\n");
  EXPECT_EQ(render(Diags{}), "");
}

TEST(Diag, FindingsUseTheirOwnWord) {
  EXPECT_EQ(render_place(place("x", 1, 1, 1), "race", "(2) read"),
            "ring.tsr:1:1: race: (2) read\nx\n^\n");
}

TEST(Diag, TabsAreRepeatedUnderTheLine) {
  EXPECT_EQ(render_place(place("\ta\tbcd", 1, 4, 3), "error", "t"),
            "ring.tsr:1:4: error: t\n\ta\tbcd\n\t \t^~~\n");
}

TEST(Diag, CharactersOfSeveralBytesTakeOneColumn) {
  EXPECT_EQ(render_place(place("'é' x 'ü'", 1, 6, 1), "error", "t"),
            "ring.tsr:1:6: error: t\n'é' x 'ü'\n    ^\n");
  EXPECT_EQ(render_place(place("'é' x 'ü'", 1, 8, 4), "error", "t"),
            "ring.tsr:1:8: error: t\n'é' x 'ü'\n      ^~~\n");
}

TEST(Diag, CaretStaysWithinTheLine) {
  EXPECT_EQ(render_place(place("ab\r\ncd", 1, 2, 40), "error", "t"),
            "ring.tsr:1:2: error: t\nab\n ^\n");
  EXPECT_EQ(render_place(place("ab\n", 1, 3, 1), "error", "t"),
            "ring.tsr:1:3: error: t\nab\n  ^\n");
  EXPECT_EQ(render_place(place("ab", 1, 99, 2), "error", "t"),
            "ring.tsr:1:99: error: t\nab\n  ^\n");
  // Column 0: the whole line.
  EXPECT_EQ(render_place(place("ab", 1, 0, 0), "error", "t"), "ring.tsr:1: error: t\nab\n");
}

TEST(Diag, NobodysLineIsShownInPart) {
  const std::string line = std::string(3000, 'a') + "é" + std::string(1'000'000, 'b');
  const std::string text =
      render_place(place(line, 1, 3001, 2), "error", std::string(1 << 20, 'm'));
  EXPECT_TRUE(text.starts_with("ring.tsr:1:3001: error: mmm"));
  EXPECT_NE(text.find("... (1048576 bytes)\nébbb"), std::string::npos);
  EXPECT_TRUE(text.ends_with("... (1000002 bytes)\n^\n"));
  EXPECT_LT(text.size(), 6000U);
}

TEST(Diag, EndOfTextIsAPlace) {
  EXPECT_EQ(render_place(place("ab\n", 2, 1, 1), "error", "t"), "ring.tsr:2:1: error: t\n\n^\n");
  EXPECT_EQ(render_place(place("ab\n", 3, 1, 1), "error", "t"), "ring.tsr:3:1: error: t\n");
}

}  // namespace
}  // namespace tessera
