// Unknown values, and that control does not depend on them.
#include "core/program/unknown_values.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/language_support.h"

namespace tessera {
namespace {

Program program_of(const std::string& body) {
  const Module module = *parse(test::source(
      "k.tsr",
      "kernel k()\n  in a: f32[8, 128] hbm\n  out o: f32[8, 128] hbm\n  out p: f32[8, 128] hbm\n"
      "  vmem x: f32[8, 128]\n  vmem y: f32[8, 128]\n  smem t: i64[4]\n  sem s: bytes\n{\n" +
          body + "}\n"));
  return *instantiate(module, "k", {}, {});
}

std::string unknown_names(const Program& program) {
  const UnknownValues unknown = unknown_values(program);
  std::string names;
  for (const BufferId b : program.buffers.ids())
    if (unknown.buffers[b]) names += program.buffers[b].name + " ";
  return names;
}

TEST(UnknownValues, follow_copies_tiles_windows_and_numbers) {
  EXPECT_EQ(unknown_names(program_of("  x = 1\n  copy x -> o\n")), "");
  EXPECT_EQ(unknown_names(program_of("  opaque x from y\n")), "x ");
  EXPECT_EQ(unknown_names(program_of("  y = x + 1\n  copy y -> o\n  opaque x\n")), "o x y ");
  EXPECT_EQ(unknown_names(program_of("  opaque t[0]\n  n = t[1] + 1\n  x = n\n")), "x t ");
  EXPECT_EQ(unknown_names(program_of("  opaque x\n  start x -> device: p, s, s\n  wait s for x\n"
                                     "  wait s for p\n")),
            "p x ");
  EXPECT_EQ(unknown_names(program_of("  pipeline i in 1 {\n    window w = o[i * 8 +: 8, :]\n"
                                     "    opaque w\n  }\n")),
            "o ");
}

TEST(UnknownValues, name_the_opaque_that_they_come_from) {
  const Program program = program_of("  y = x + 1\n  opaque x\n");
  const BufferId y = program.buffers.id_of(*program.find_buffer("y"));
  EXPECT_EQ(why_unknown(program, y), "`opaque` at k.tsr:11");
}

TEST(UnknownValues, are_made_of_what_their_opaque_reads) {
  const Program program = program_of("  opaque x, y from t[0], device, t[1 +: 2]\n  opaque y\n");
  std::string found;
  for (const StmtId i : program.body.ids())
    if (std::holds_alternative<OpaqueWrite>(program.body[i].op))
      found += std::to_string(opaque_sources(program, i).size()) + " ";
  EXPECT_EQ(found, "3 3 0 ");
}

// Printing the expanded program and parsing it again gives the same program.
TEST(UnknownValues, are_printed_as_one_statement) {
  const Program program =
      *expand(program_of("  for i in 2 { opaque x[i * 4 +: 4, :], y from t[i], device }\n"));
  const std::string text = print(program);
  EXPECT_NE(text.find(", y from t["), std::string::npos) << text;
  const Module module = *parse(test::source("again.tsr", text));
  EXPECT_EQ(print(*instantiate(module, "k", {}, {})), text);
}

}  // namespace
}  // namespace tessera
