#include "cli/reports/colour.h"

#include <gtest/gtest.h>

#include <sstream>

namespace tessera::cli {
namespace {

TEST(Colour, MarksKindsCaretsAndLabels) {
  EXPECT_EQ(coloured("a.tsr:3:5: error: race: none"),
            "a.tsr:3:5: \x1b[1;31merror\x1b[0m: race: none");
  EXPECT_EQ(coloured("race: dev0.core0 reads x"), "\x1b[1;31mrace\x1b[0m: dev0.core0 reads x");
  EXPECT_EQ(coloured("a.tsr:3:5: note: here"), "a.tsr:3:5: \x1b[1;36mnote\x1b[0m: here");
  EXPECT_EQ(coloured("    ^~~~"), "    \x1b[32m^~~~\x1b[0m");
  EXPECT_EQ(coloured("proved    no race"), "\x1b[32mproved\x1b[0m    no race");
  EXPECT_EQ(coloured("time      1 s"), "\x1b[1mtime\x1b[0m      1 s");
}

TEST(Colour, LeavesOtherLinesAlone) {
  for (const char* line : {"", "a grace: period", "  x = y", "the errors: two", "an ordinary line",
                           "          more of it", "x ^ y", "^ y"})
    EXPECT_EQ(coloured(line), line);
}

TEST(Colour, TakesLinesInPiecesAndPassesOnWhatIsFlushed) {
  std::ostringstream out;
  {
    const ColouredLines lines(out);
    out << "ra"
        << "ce: " << 3 << '\n';

    out << "error: half" << std::flush << " a line\n"
        << "rest";
  }
  EXPECT_EQ(out.str(), "\x1b[1;31mrace\x1b[0m: 3\nerror: half a line\nrest");
}

}  // namespace
}  // namespace tessera::cli
