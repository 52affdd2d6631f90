// Diagnostics of programs and their places: one small program for each rule.
#include <gtest/gtest.h>

#include "tests/unit/language_support.h"

namespace tessera {
namespace {

struct Bad {
  const char* what;
  const char* text;
  const char* expected;  // line:column: message
};

class Diagnostics : public testing::TestWithParam<Bad> {};

TEST_P(Diagnostics, NamesThePlaceAndTheReason) {
  auto program = test::program(GetParam().text);
  ASSERT_FALSE(program) << "accepted";
  EXPECT_EQ(test::messages(program.diags()), GetParam().expected);
}

const Bad bad[] = {
    {"unexpected_character", "kernel k()\n{\n  x = 1 $ 2\n}\n",
     "3:9: unexpected character `$`\n3:11: expected the end of the statement, found `2`"},
    {"unclosed_block", "kernel k()\n{\n",
     "3:1: expected `}` to close the block, found the end of the file"},
    {"unknown_name", "kernel k()\n{\n  x = y + 1\n}\n", "3:7: unknown name `y`"},
    {"two_errors", "kernel k()\n{\n  x = y\n  z = w\n}\n",
     "3:7: unknown name `y`\n4:7: unknown name `w`"},
    {"unknown_function", "kernel k()\n{\n  x = f(1)\n}\n", "3:7: unknown function `f`"},
    {"defined_twice", "kernel k()\n{\n  x = device\n  x = 2\n}\n",
     "4:3: `x` is already defined; a name keeps its value"},
    {"missing_parameter", "kernel k(m)\n{\n}\n", "1:10: kernel `k` needs a value for `m`"},
    {"requirement",
     "kernel k(b = 3)\n{\n  require popcount(b) == 1, \"Buffering values should be multiples of "
     "2\"\n}\n",
     "3:3: Buffering values should be multiples of 2"},
    {"wrong_rank", "kernel k()\n  in a: i32[4] smem\n{\n  x = a[0, 1]\n}\n",
     "4:7: expected 1 indices, one for each dimension, found 2"},
    {"hbm_in_tile_op", "kernel k()\n  in a: f32[4, 4] hbm\n  tile t: f32[4, 4]\n{\n  t = a\n}\n",
     "5:3: a[0 +: 4, 0 +: 4] is in hbm, which tile ops cannot reach; `copy` or `start` it to vmem, "
     "or use a window"},
    {"writes_input", "kernel k()\n  in a: i32[4] smem\n{\n  a[0] = 1\n}\n",
     "4:3: `a` is an input of the kernel, which it may only read"},
    {"needs_cast", "kernel k()\n  tile t: f32[4, 4]\n  vmem v: bf16[4, 4]\n{\n  v = t\n}\n",
     "5:3: a tile of f32 is stored to bf16; write cast(...) if it should be rounded"},
    {"contracted",
     "kernel k()\n  tile c: f32[4, 4]\n  vmem a: bf16[4, 8]\n  vmem b: bf16[4, 4]\n{\n  c += a . "
     "b\n}\n",
     "6:8: the contracted dimensions of the matrix product do not agree: 8 and 4"},
    {"accumulator", "kernel k()\n  tile c: bf16[4, 4]\n  vmem a: i8[4, 4]\n{\n  c += a . a\n}\n",
     "5:8: a product of i8 accumulates in i32 or f32, found bf16"},
    {"shapes", "kernel k()\n  tile c: f32[4, 4]\n  vmem a: f32[3, 4]\n{\n  c = c + a\n}\n",
     "5:11: `a` has shape (3, 4), which does not fit (4, 4): counted from the last, each dimension "
     "must be equal or 1"},
    {"copy_converts", "kernel k()\n  in a: f32[4] hbm\n  vmem v: bf16[4]\n{\n  copy a -> v\n}\n",
     "5:3: a copy does not convert: its source is f32, its destination bf16"},
    {"copy_shape", "kernel k()\n  in a: f32[4] hbm\n  vmem v: f32[8]\n{\n  copy a -> v\n}\n",
     "5:3: the two sides of a copy must have one shape: its source a[0 +: 4] has (4), its "
     "destination v[0 +: 8] has (8)"},
    {"static_bounds",
     "kernel k()\n  in a: f32[4] hbm\n  vmem v: f32[4]\n{\n  copy a[2 +: 4] -> v\n}\n",
     "5:3: a[2 +: 4] is not within dimension 0, which has 4 elements"},
    {"signal_bytes", "kernel k()\n  sem s: bytes\n{\n  signal s, 1\n}\n",
     "4:3: `s` is declared `bytes`; `signal` takes one declared `count`, or a barrier"},
    {"copy_counts",
     "kernel k()\n  in a: f32[4] hbm\n  vmem v: f32[4]\n  sem s: count\n{\n  start a -> v, s\n}\n",
     "6:3: `s` is declared `count`; a copy counts on a semaphore declared `bytes`"},
    {"await_plain", "kernel k()\n  sem s: count\n{\n  await s, 1\n}\n",
     "4:3: `s` is not declared monotone, which `await` needs; write `wait`, or `count monotone`"},
    {"wait_monotone", "kernel k()\n  sem s: count monotone\n{\n  wait s, 1\n}\n",
     "4:3: `s` is monotone, and `wait` would subtract from it; write `await`"},
    {"parallel_after", "kernel k()\n{\n  pipeline i in 2, j in 2 parallel {\n  }\n}\n",
     "3:20: expected the `parallel` dimensions of a pipeline before the others"},
    {"window_late",
     "kernel k()\n  in a: f32[4] hbm\n  tile t: f32[4]\n{\n  pipeline i in 2 {\n    t = 0\n    "
     "window w = a[i * 2 +: 2]\n  }\n}\n",
     "7:5: expected the windows of a pipeline before its body: only windows and scalar code may "
     "precede this one"},
    {"window_outside", "kernel k()\n  in a: f32[4] hbm\n{\n  window w = a[0 +: 2]\n}\n",
     "4:3: a window moves with the grid of a pipeline; expected it in the pipeline's braces"},
    {"window_dynamic",
     "kernel k()\n  in a: f32[4] hbm\n{\n  pipeline i in 2 {\n    window w = a[0 +: i]\n  }\n}\n",
     "5:5: the sizes of a window must be known when the kernel is instantiated: numbers, "
     "parameters, or computed from these"},
    {"window_pad",
     "kernel k()\n  in a: f32[4] hbm\n{\n  pipeline i in 2 {\n    window w = a[i +: 2] pad 1\n  "
     "}\n}\n",
     "5:26: a window is padded with 0 or not at all"},
    {"window_depth",
     "kernel k()\n  in a: f32[4] hbm\n{\n  pipeline i in 2 {\n    window w = a[i +: 2] depth 0\n  "
     "}\n}\n",
     "5:26: the depth of a window is 1 to 1024, found 0"},
    {"extent", "kernel k(n = 0 - 1)\n  in a: f32[n] hbm\n{\n}\n",
     "2:13: expected an extent from 0 to 2^40, found -1"},
    {"elements", "kernel k(n = 4000000)\n  in a: f32[n, n] hbm\n{\n}\n",
     "2:9: shape (4000000, 4000000) has more than 2^40 elements"},
    {"operand_in_registers", "kernel k()\n  in a: f32[4] tile\n{\n}\n",
     "2:6: operand `a` cannot be in tile registers"},
    {"line_directive", "# lime 49 \"kernel.py\"\nkernel k()\n{\n}\n",
     "1:1: a line that begins with `#` is `# line 49 \"kernel.py\"`, or `# line`, after which "
     "locations are in this text again"},
    {"line_file", "kernel k()\n{\n  # line 49 kernel.py\n}\n",
     "3:13: expected the name of a file in quotes"},
    {"line_caller", "kernel k()\n{\n  # line 49 \"kernel.py\" 60 \"kernel.py\"\n}\n",
     "3:25: expected `from`, the line and the file of the call, or the end of the line"},
    {"line_number", "kernel k()\n{\n  # line 0 \"kernel.py\"\n}\n",
     "3:10: expected the number of a line, from 1"},
    {"while_without_condition", "kernel k()\n{\n  while {\n  }\n}\n",
     "3:3: expected the condition of the `while`, or a `proceed(condition)` in its braces"},
    {"proceed_in_branch",
     "kernel k()\n  in t: i32[1] smem\n{\n  while {\n    if t[0] { proceed(t[0]) }\n  }\n}\n",
     "5:15: expected `proceed` directly in the braces of a `while`, not in a block inside them"},
    {"proceed_twice", "kernel k()\n{\n  while device {\n    proceed(device)\n  }\n}\n",
     "4:5: a `while` has one condition or one `proceed`"},
    {"mesh_twice", "kernel k()\n  mesh x = 2\n  mesh y = 2\n{\n}\n", "3:3: a kernel has one mesh"},
    {"mesh_axis", "kernel k()\n  mesh x = 2\n{\n  y = neighbour(z, 1)\n}\n",
     "4:17: expected an axis of the mesh (x)"},
    {"neighbour_without_mesh", "kernel k()\n{\n  y = neighbour(x, 1)\n}\n",
     "3:7: `neighbour` requires a mesh; expected a declaration such as `mesh x = 4, y = 2`"},
    {"side_of_local_copy",
     "kernel k()\n  in a: f32[4] hbm\n  vmem x: f32[4]\n  sem s: bytes\n{\n"
     "  c = start a -> x, s\n  wait c.sent\n}\n",
     "7:3: a copy within the device has no sides; expected its name"},
    {"opaque_in_hbm", "kernel k()\n  hbm a: f32[4]\n{\n  opaque a\n}\n",
     "4:3: a[0 +: 4] is in hbm, which tile ops cannot reach; `copy` or `start` it to vmem, or use "
     "a "
     "window"},
    {"text_in_number", "kernel k()\n{\n  x = \"a\" + 1\n}\n",
     "3:7: expected an integer, found a text"},
    {"dynamic_shape", "kernel k()\n{\n  a(i in device) = i\n}\n",
     "3:10: the length of an array must be known when the kernel is instantiated: a number, a "
     "parameter, or computed from these"},
    {"recursion", "function f(x) = f(x)\nkernel k()\n{\n  y = f(1)\n}\n",
     "1:17: calls are nested too deeply; functions are inlined and cannot recurse"},
    {"unknown_type", "kernel k()\n  in a: f31[4] hbm\n{\n}\n",
     "2:9: expected an element type, found `f31`"},
    {"sem_kind", "kernel k()\n  sem s: many\n{\n}\n",
     "2:10: a semaphore is of kind count, bytes or barrier(id)"},
    {"return_in_kernel", "kernel k()\n{\n  return 1\n}\n",
     "3:3: a kernel returns nothing; expected `return` in a function"},
    {"order", "kernel k()\n  in a: f32[4, 4] hbm order(0, 0)\n{\n}\n",
     "2:23: the storage order names each of the 2 dimensions once"},
    {"open_text", "kernel k()\n{\n  require 1, \"x\n}\n",
     "3:14: this text has no closing quote on its line"},
};

INSTANTIATE_TEST_SUITE_P(Texts, Diagnostics, testing::ValuesIn(bad),
                         [](const auto& info) { return std::string(info.param.what); });

TEST(DiagnosticsOfSettings, UnknownAndMalformedParametersAreRefused) {
  const std::string text = "kernel k[T: bf16 f32](m; tm = 8)\n{\n}\n";
  auto unknown = test::program(text, {{"m", "1"}, {"tn", "4"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(test::messages(unknown.diags()),
            "1:8: kernel `k` has no parameter `tn`; did you mean 'tm'?");
  auto unlike = test::program(text, {{"m", "1"}, {"width", "4"}});
  ASSERT_FALSE(unlike);
  EXPECT_EQ(test::messages(unlike.diags()),
            "1:8: kernel `k` has no parameter `width`; it has T, m, tm");
  auto malformed = test::program(text, {{"m", "1x"}});
  ASSERT_FALSE(malformed);
  EXPECT_EQ(test::messages(malformed.diags()), "1:23: parameter `m` is an integer, found `1x`");
  auto type = test::program(text, {{"m", "1"}, {"T", "f16"}});
  ASSERT_FALSE(type);
  EXPECT_EQ(test::messages(type.diags()),
            "1:10: type parameter `T` is one of bf16, f32, found `f16`");
}

TEST(DiagnosticsOfCalls, ShowTheCallChain) {
  auto program = test::program(
      "function inner(x) = x + missing\nfunction outer(x) = inner(x) * 2\nkernel k()\n{\n  y = "
      "outer(1)\n}\n");
  ASSERT_FALSE(program);
  ASSERT_EQ(program.diags().size(), 1U);
  const Diag& d = program.diags()[0];
  EXPECT_EQ(d.loc.line, 1);
  ASSERT_EQ(d.notes.size(), 2U);
  EXPECT_EQ(d.notes[0].loc.line, 2);
  EXPECT_EQ(d.notes[1].loc.line, 5);
}

}  // namespace
}  // namespace tessera
