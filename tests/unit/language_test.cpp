// Every shipped program prints as text that parses to the same program, in structured and expanded
// form. The layout of a text is stable.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/source_dir.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using test::messages;
using test::parse_file;
using test::source;

struct Case {
  std::string file;
  Settings settings;
};

std::vector<Case> cases() {
  const std::string gmm = "kernels/programs/gmm.tsr", tgmm = "kernels/programs/tgmm.tsr";
  std::vector<Case> all;
  for (const char* type : {"bf16", "f16", "f32", "i8"})
    for (const char* buffers : {"1", "2", "3"})
      for (const char* transpose : {"0", "1"})
        for (const char* existing : {"0", "1", "2"})
          all.push_back({gmm,
                         {{"T", type},
                          {"U", "f32"},
                          {"m", "300"},
                          {"k", "96"},
                          {"n", "40"},
                          {"groups", "3"},
                          {"tk", "32"},
                          {"buffers", buffers},
                          {"transpose_rhs", transpose},
                          {"existing", existing}}});
  all.push_back({gmm, {{"m", "0"}, {"k", "0"}, {"n", "5"}, {"groups", "1"}}});
  all.push_back({gmm,
                 {{"m", "64"},
                  {"k", "8"},
                  {"n", "5"},
                  {"groups", "4"},
                  {"local_groups", "2"},
                  {"group_offset", "1"},
                  {"local_rows", "1"},
                  {"align", "1"}}});
  for (const char* existing : {"0", "1"})
    all.push_back(
        {tgmm, {{"m", "300"}, {"k", "64"}, {"n", "32"}, {"groups", "3"}, {"existing", existing}}});
  all.push_back(
      {"examples/matmul_bias.tsr", {{"m", "300"}, {"k", "200"}, {"n", "150"}, {"T", "f16"}}});
  all.push_back({"examples/double_buffer.tsr", {}});
  all.push_back({"examples/right_permute.tsr", {}});
  all.push_back({"examples/swap_rows.tsr", {}});
  all.push_back({"tests/cli/cores.tsr", {}});
  const Settings ring = {{"rings", "2"}, {"length", "4"}};
  const auto on_ring = [&](const char* kernel, Settings settings) {
    settings.insert(ring.begin(), ring.end());
    all.push_back({std::string("kernels/programs/") + kernel + ".tsr", settings});
  };
  for (const char* in_hbm : {"0", "1"})
    on_ring("allgather_matmul",
            {{"rows", "64"}, {"cols", "128"}, {"k_shard", "96"}, {"slots_in_hbm", in_hbm}});
  on_ring("allgather_matmul_literal", {{"rows", "64"}, {"cols", "128"}, {"k_shard", "96"}});
  for (const char* transpose : {"0", "1"})
    on_ring("allgather_matmul_rows", {{"rows", "16"},
                                      {"k", "64"},
                                      {"cols", "96"},
                                      {"transpose_rhs", transpose},
                                      {"bn", "48"},
                                      {"bk", "32"}});
  on_ring("matmul_reduce_scatter",
          {{"rows", "64"}, {"k_shard", "40"}, {"cols", "96"}, {"W", "bf16"}});
  on_ring("right_permute", {{"rows", "8"}, {"cols", "128"}});
  on_ring("ring_all_gather", {{"rows", "8"}, {"cols", "128"}});
  on_ring("ring_all_gather_halves", {{"rows", "8"}, {"cols", "128"}});
  on_ring("ring_all_reduce", {{"rows", "8"}, {"cols", "128"}});
  on_ring("ring_reduce_scatter", {{"rows", "8"}, {"cols", "128"}, {"credits", "0"}});
  for (const char* scatter : {"0", "1"})
    on_ring("sharded_gmm", {{"m", "256"},
                            {"k", "128"},
                            {"n", "128"},
                            {"groups", "8"},
                            {"local_groups", "2"},
                            {"scatter", scatter}});
  for (const char* transpose : {"0", "1"})
    on_ring("ring_of_experts", {{"tokens", "16"},
                                {"k", "32"},
                                {"n", "16"},
                                {"groups", "8"},
                                {"top_k", "2"},
                                {"capacity", "128"},
                                {"transpose_rhs", transpose}});
  all.push_back(
      {"kernels/programs/ragged_all_to_all.tsr",
       {{"ranks", "4"}, {"slices", "8"}, {"rows", "64"}, {"out_rows", "32"}, {"width", "128"}}});
  all.push_back({"kernels/programs/expert_parallel_gmm.tsr",
                 {{"ranks", "4"},
                  {"rows", "64"},
                  {"k", "32"},
                  {"n", "16"},
                  {"groups", "8"},
                  {"capacity", "128"}}});
  return all;
}

void expect_round_trip(const Program& program, const std::string& what) {
  const std::string text = print(program);
  auto module = parse(source("printed.tsr", text));
  ASSERT_TRUE(module) << what << "\n" << render(module.diags());
  auto again = instantiate(*module, program.name, {}, {});
  ASSERT_TRUE(again) << what << "\n" << render(again.diags());
  EXPECT_EQ(print(*again), text) << what;
  ASSERT_EQ(again->body.size(), program.body.size()) << what;
  for (const StmtId i : program.body.ids())
    EXPECT_EQ(again->body[i].op.index(), program.body[i].op.index()) << what;
}

TEST(Language, PrintedProgramsParseBackToThemselves) {
  for (const Case& c : cases()) {
    const Module module = parse_file(c.file);
    auto program = instantiate(module, module.kernels.at(0).name, c.settings, test::library());
    ASSERT_TRUE(program) << c.file << "\n" << render(program.diags());
    expect_round_trip(*program, c.file);
    auto expanded = expand(*program);
    ASSERT_TRUE(expanded) << c.file << "\n" << render(expanded.diags());
    expect_round_trip(*expanded, c.file + " expanded");
    for (const Stmt& s : expanded->body) {
      EXPECT_FALSE(std::holds_alternative<Pipeline>(s.op));
      EXPECT_FALSE(std::holds_alternative<View>(s.op));
    }
  }
}

TEST(Language, ShippedProgramsStandInTheHouseLayout) {
  for (const char* folder : {"kernels/programs", "examples"})
    for (const auto& entry :
         std::filesystem::directory_iterator(test::source_dir() + "/" + folder)) {
      if (entry.path().extension() != ".tsr") continue;
      const std::string path = std::string(folder) + "/" + entry.path().filename().string();
      const std::string text = test::read_file(path);
      auto formatted = format(source(path, text));
      ASSERT_TRUE(formatted) << render(formatted.diags());
      EXPECT_EQ(*formatted, text) << path;
    }
}

TEST(Language, FormattingIsStableAndKeepsComments) {
  const std::string untidy =
      "// a comment\nkernel k(n = 4)\nin a: i32[n] smem   // why\n   out b: i32[n] "
      "smem\n{\n\n\nfor i in n {\n"
      "\tif a[i] > 0 { b[i] = a[i] } else {\nb[i] = min(a[i],0)   // below\n}\n      }\n}\n\n\n";
  const std::string tidy =
      "// a comment\nkernel k(n = 4)\n  in a: i32[n] smem   // why\n  out b: i32[n] smem\n{\n\n  "
      "for i in n {\n"
      "    if a[i] > 0 { b[i] = a[i] } else {\n      b[i] = min(a[i], 0)   // below\n    }\n  "
      "}\n}\n";
  auto once = format(source("k.tsr", untidy));
  ASSERT_TRUE(once) << render(once.diags());
  EXPECT_EQ(*once, tidy);
  auto twice = format(source("k.tsr", *once));
  ASSERT_TRUE(twice);
  EXPECT_EQ(*twice, tidy);
}

TEST(Language, KernelsDescribeTheirParameters) {
  const Module module = parse_file("kernels/programs/gmm.tsr");
  const KernelInfo* gmm = module.find("gmm");
  ASSERT_NE(gmm, nullptr);
  EXPECT_EQ(gmm->doc.substr(0, 30), "out[rows of group g] = lhs[row");
  ASSERT_GE(gmm->parameters.size(), 3U);
  EXPECT_EQ(gmm->parameters[0].name, "T");
  EXPECT_EQ(gmm->parameters[0].choices,
            (std::vector<std::string>{"bf16", "f16", "f32", "i8", "e4m3", "e5m2"}));
  EXPECT_EQ(gmm->parameters.back().name, "align");
  EXPECT_EQ(gmm->parameters.back().default_text, "tm");
  EXPECT_EQ(gmm->parameters.back().kind, ParameterInfo::Kind::tuning);
}

TEST(Language, ConstantsFoldToOneValueEach) {
  auto program = test::program(
      "kernel k(n = 4)\n  out o: i64[4] smem\n{\n  o[0] = n * 3 + 1 - 13\n  o[1] = (7 - 9) mod 4\n "
      " o[2] = (0 - 7) / 2\n  o[3] = tiles(9, 4)\n}\n");
  ASSERT_TRUE(program) << messages(program.diags());
  ASSERT_EQ(program->body.size(), 4U);
  const auto stored = [&](std::int32_t i) {
    return *program->constant(std::get<Store>(program->body[StmtId(i)].op).value);
  };
  EXPECT_EQ(stored(0), 0);
  EXPECT_EQ(stored(1), 2);
  EXPECT_EQ(stored(2), -4);
  EXPECT_EQ(stored(3), 3);
}

// Scratch and semaphores are allocated and freed by each call; operands and barriers are not.
TEST(Language, CallsInARowHaveScratchOfTheirOwn) {
  const char* const text =
      "kernel k()\n  in a: f32[8] hbm\n  out b: f32[8] hbm\n  vmem t: f32[8]\n  sem s: bytes\n{\n"
      "  signal barrier(0) on device, 1\n  wait barrier(0), 1\n  start a -> t, s\n  wait s for t\n "
      " copy t -> b\n}\n";
  auto module = parse(test::source("k.tsr", text));
  ASSERT_TRUE(module);
  auto program = instantiate(*module, "k", {}, {}, {.calls = 3});
  ASSERT_TRUE(program) << messages(program.diags());
  int allocated = 0, freed = 0;
  for (const Stmt& s : program->body)
    allocated += std::holds_alternative<Alloc>(s.op), freed += std::holds_alternative<Free>(s.op);
  EXPECT_EQ(allocated, 2);
  EXPECT_EQ(freed, 2);
  EXPECT_TRUE(std::holds_alternative<For>(program->body[StmtId(0)].op));
  expect_round_trip(*program, "three calls");
  auto alone = parse(test::source("k.tsr", "kernel k()\n  out b: i32[1] smem\n{\n  b[0] = 1\n}\n"));
  ASSERT_TRUE(alone);
  // A program without remote accesses needs no barrier; other programs begin each call with one.
  EXPECT_TRUE(instantiate(*alone, "k", {}, {}, {.calls = 2})->semaphores.empty());
  auto remote = parse(test::source("k.tsr",
                                   "kernel k()\n  sem s: count\n{\n"
                                   "  signal s on 1 - device, 1\n  wait s, 1\n}\n"));
  ASSERT_TRUE(remote);
  EXPECT_EQ(instantiate(*remote, "k", {}, {}, {})->semaphores.size(), 1U);
  EXPECT_EQ(instantiate(*remote, "k", {}, {}, {.calls = 2})->semaphores.size(), 3U);
}

TEST(Language, NumbersOfDevicesStandInExtents) {
  auto module = parse(test::source(
      "k.tsr",
      "kernel k(n = 2 * devices)\n  out o: i32[n, cores] smem\n{\n  for i in n { for c in "
      "cores { o[i, c] = devices } }\n}\n"));
  ASSERT_TRUE(module);
  const auto program = instantiate(*module, "k", {}, {}, {.devices = 3, .cores = 1});
  ASSERT_TRUE(program) << messages(program.diags());
  EXPECT_EQ(program->buffers[BufferId(0)].shape, (Shape{6, 1}));
  EXPECT_EQ(program->devices, 3);
  EXPECT_EQ(messages(instantiate(*module, "k", {}, {}).diags()),
            "1:18: the default of `n` uses `devices`, which is not known here: set it with the "
            "option `devices`");
}

// Several arguments may have the same type name; their types must then be equal.
TEST(Language, FunctionsTakeMemoryOfAnyTypeByName) {
  const std::string functions = "function twice(o: T[n], a: T[n]) { o = a + a }\n";
  const auto kernel = [&](const char* type) {
    return test::program(functions + "kernel k()\n  vmem o: f32[4]\n  vmem a: " + type +
                         "[4]\n{\n  a = 1\n  twice(o, a)\n}\n");
  };
  ASSERT_TRUE(kernel("f32")) << messages(kernel("f32").diags());
  EXPECT_NE(
      messages(kernel("bf16").diags()).find("parameter `a` is of type f32, the argument of bf16"),
      std::string::npos)
      << messages(kernel("bf16").diags());
}

// A load after a store to the same memory is not shared; equal computations are.
TEST(Language, EqualComputationsAreSharedAndLoadsSeeStores) {
  auto program = test::program(
      "kernel k()\n  in a: i32[2] smem\n  out o: i64[4] smem\n{\n  o[0] = a[0] + 1\n  o[1] = a[0] "
      "+ 1\n  o[2] = o[0]\n  o[0] = 5\n  o[3] = o[0]\n}\n");
  ASSERT_TRUE(program) << messages(program.diags());
  int loads = 0, adds = 0;
  for (const Stmt& s : program->body)
    loads += std::holds_alternative<Load>(s.op), adds += std::holds_alternative<Add>(s.op);
  EXPECT_EQ(adds, 1);
  EXPECT_EQ(loads, 3);
}

}  // namespace
}  // namespace tessera
