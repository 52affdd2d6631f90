// `# line`: its effect on the places, the text and the hashes of a program.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/lang/line_map.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

constexpr const char* text =
    "kernel k()\n"
    "  vmem x: f32[8, 128]\n"
    "{\n"
    "  # line 2 \"a.py\" from 7 \"b.py\" from 9 \"c.py\"\n"
    "  x = 1\n"
    "  x = x * 2 + 1\n"
    "  # line 3 \"a.py\" from 7 \"b.py\" from 9 \"c.py\"\n"
    "  x = 3\n"
    "  # line\n"
    "  x = 4\n"
    "}\n";

Program program_of(const std::string& program, const SourceReader& reader = {}) {
  const Module module = *parse(test::source("k.tsr", program), reader);
  return *instantiate(module, "k", {}, {});
}

// Returns "file:line" of each statement and of the calls around it.
std::vector<std::string> places(const Program& program) {
  std::vector<std::string> found;
  for (const Stmt& s : program.body) {
    std::string chain;
    for (PlaceId at = s.place; at; at = program.places[at].caller) {
      const Loc& loc = program.places[at].loc;
      chain += (chain.empty() ? "" : " < ") + loc.source->name + ":" + std::to_string(loc.line);
    }
    if (found.empty() || found.back() != chain) found.push_back(chain);
  }
  return found;
}

TEST(LineDirective, gives_places_and_their_calls) {
  const Program program = program_of(text);
  EXPECT_EQ(places(program), (std::vector<std::string>{"a.py:2 < b.py:7 < c.py:9",
                                                       "a.py:3 < b.py:7 < c.py:9", "k.tsr:10"}));
  const Stmt& first = program.body[StmtId(0)];
  EXPECT_EQ(program.loc(first.place).column, 0);
  EXPECT_EQ(program.written(first.place).source->name, "k.tsr");
  EXPECT_EQ(program.written(first.place).line, 5);
}

TEST(LineDirective, asks_for_each_file_once_and_shows_its_line) {
  std::vector<std::string> asked;
  const Program program = program_of(text, [&](const std::string& name) {
    asked.push_back(name);
    return std::string(name == "a.py" ? "def f():\n  g()\n" : "");
  });
  EXPECT_EQ(asked, (std::vector<std::string>{"a.py", "b.py", "c.py"}));
  const Stmt& first = program.body[StmtId(0)];
  EXPECT_EQ(render_place(program.loc(first.place), "race", "here"), "a.py:2: race: here\n  g()\n");
  const PlaceId caller = program.places[first.place].caller;
  EXPECT_EQ(render_place(program.loc(caller), "note", "there"), "b.py:7: note: there\n");
}

TEST(LineDirective, changes_no_text_but_its_own) {
  const Program program = program_of(text), plain = program_of(without_lines(text));
  EXPECT_EQ(print(program), print(plain));
  EXPECT_EQ(without_lines(print(program, {.with_lines = true})), print(plain));
  EXPECT_EQ(print(plain, {.with_lines = true}), print(plain));
  EXPECT_EQ(places(program_of(print(program, {.with_lines = true}))).front(),
            "a.py:2 < b.py:7 < c.py:9");
}

TEST(LineDirective, stays_where_the_text_is_formatted) {
  const auto tidy = format(test::source("k.tsr", text));
  ASSERT_TRUE(tidy);
  EXPECT_EQ(*tidy, text);
}

TEST(LineDirective, errors_are_of_the_text_and_say_where_it_comes_from) {
  const Module module = *parse(
      test::source("k.tsr", "kernel k()\n{\n  # line 2 \"a.py\" from 7 \"b.py\"\n  x = y\n}\n"));
  const auto program = instantiate(module, "k", {}, {});
  ASSERT_FALSE(program);
  EXPECT_EQ(render(program.diags()),
            "k.tsr:4:7: error: unknown name `y`\n  x = y\n      ^\n"
            "a.py:2: note: it comes from here\nb.py:7: note: called from here\n");
}

}  // namespace
}  // namespace tessera
