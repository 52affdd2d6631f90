// Hostile texts and arguments: each is an error with a reason and the right exit code, never a
// crash, an endless loop or a huge allocation.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

constexpr int many = 100'000;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string kernel(const std::string& body) { return "kernel k()\n{\n" + body + "\n}\n"; }

// Returns functions that each call the next one twice.
std::string doubling_calls() {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += "function f" + std::to_string(i) + "(x) = f" + std::to_string(i + 1) + "(x) + f" +
            std::to_string(i + 1) + "(x)\n";
  }
  return text +
         "function f40(x) = x + device\nkernel k()\n  out o: i64[1] smem\n{\n  o[0] = f0(1)\n}\n";
}

// Returns calls inside long sums inside calls.
std::string deep_calls() {
  std::string text;
  for (int i = 0; i < 62; ++i) {
    text += "function f" + std::to_string(i) + "(x) = f" + std::to_string(i + 1) + "(x)" +
            repeated(" + x", 200) + "\n";
  }
  return text + "function f62(x) = x\nkernel k()\n{\n  y = f0(device)\n}\n";
}

struct Hostile {
  const char* name;
  std::string text;
  const char* reason;
};

void PrintTo(const Hostile& text, std::ostream* out) { *out << text.name; }

class HostileText : public testing::TestWithParam<Hostile> {};

TEST_P(HostileText, IsRefusedWithItsReason) {
  const TemporaryFolder folder;
  const std::string file = folder.file("hostile.tsr");
  std::ofstream(file, std::ios::binary) << GetParam().text;
  for (const char* command : {"check", "run", "expand"}) {
    std::ostringstream out, err;
    EXPECT_EQ(cli::run({command, file}, out, err), 2) << command;
    EXPECT_NE((out.str() + err.str()).find(GetParam().reason), std::string::npos)
        << command << ": " << (out.str() + err.str()).substr(0, 500);
  }
}

const Hostile hostile[] = {
    {"empty", "", "has no kernel"},
    {"only_a_comment", "// nothing", "has no kernel"},
    {"bytes", std::string("kernel k()\0{}", 13), "is not a text: byte 10 is 0"},
    {"blocks", kernel(repeated("if 1 {", many) + repeated("}", many)),
     "at most 200 levels of nesting"},
    {"open_blocks", kernel(repeated("for i in 2 {", many)), "at most 200 levels of nesting"},
    {"parentheses", kernel("x = " + repeated("(", many) + "1" + repeated(")", many)),
     "at most 200 levels of nesting"},
    {"minus_signs", kernel("x = " + repeated("-", many) + "1"), "at most 200 levels of nesting"},
    {"negations", kernel("x = " + repeated("not ", many) + "1"), "at most 200 levels of nesting"},
    {"conditions", kernel("x = " + repeated("1 ? 1 : ", many) + "1"),
     "at most 200 levels of nesting"},
    {"alternatives", kernel("if device {}" + repeated(" else if device {}", many)),
     "at most 200 levels of nesting"},
    {"indices", kernel("x = " + repeated("a[", many) + "0" + repeated("]", many)),
     "at most 200 levels of nesting"},
    {"long_sum", kernel("x = " + repeated("1 + ", many) + "1"), "at most 250 operators in a row"},
    {"long_product", kernel("x = " + repeated("2 * ", many) + "1"),
     "at most 250 operators in a row"},
    {"chain_of_indices", kernel("x = a" + repeated("[0]", many)), "at most 250 operators in a row"},
    {"doubling_calls", doubling_calls(), "more than 100000 calls"},
    {"deep_calls", deep_calls(), "nested too deeply"},
    {"mutual_calls", "function f(x) = g(x)\nfunction g(x) = f(x)\n" + kernel("y = f(1)"),
     "nested too deeply"},
    {"huge_number", "kernel k(m = 99999999999999999999)\n{\n}\n", "does not fit"},
    {"huge_extent", "kernel k(m = 9223372036854775807)\n  vmem t: f32[m]\n{\n}\n",
     "expected an extent from 0 to 2^40"},
    {"huge_shape", "kernel k(m = 1099511627776)\n  vmem t: f32[m, m]\n{\n}\n",
     "has more than 2^40 elements"},
    {"many_semaphores", "kernel k()\n  sem s[1000000000]: count\n{\n}\n",
     "at most 2^20 semaphores"},
    {"deep_window",
     "kernel k()\n  in a: f32[8] hbm\n{\n  pipeline i in 1 { window x = a[0 +: 8] depth 1000000000 "
     "}\n}\n",
     "the depth of a window is 1 to 1024, found 1000000000"},
    {"many_dimensions", "kernel k()\n  in a: f32[1, 1, 1, 1, 1, 1, 1, 1] hbm\n{\n}\n",
     "at most 6 dimensions"},
};

INSTANTIATE_TEST_SUITE_P(Texts, HostileText, testing::ValuesIn(hostile),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(HostileTexts, ManyErrorsAreNotAllShown) {
  const TemporaryFolder folder;
  const std::string file = folder.file("many.tsr");
  std::ofstream(file) << kernel(repeated("  x = y\n", 100));
  std::ostringstream out, err;
  EXPECT_EQ(cli::run({"check", file}, out, err), 2);
  EXPECT_NE(err.str().find("note: 80 more\n"), std::string::npos) << err.str();
}

struct Call {
  std::vector<std::string> words;
  int exit_code;
  const char* reason;
};

// `?` is replaced by a folder with garbage.npy, short.npy and big.tsr.
const Call calls[] = {
    {{"run", "?/none.tsr"}, 3, "cannot open"},
    {{"run", "?"}, 3, "not a regular file but a folder"},
    {{"fmt", "?/none.tsr"}, 3, "cannot open"},
    {{"run", "?/big.tsr", "--interpret"}, 3, "hbm needs 4 TiB, and the process has"},
    {{"gmm", "--group-sizes", "4611686018427387904,4611686018427387904", "--k", "3", "--n", "3"},
     2,
     "does not fit i32"},
    {{"gmm", "--group-sizes", "4", "--k", "9223372036854775807", "--n", "3"},
     2,
     "has more than 2^40 elements"},
    {{"gmm", "--group-sizes", "1000000000", "--k", "1000", "--n", "1"}, 3, "hbm needs"},
    {{"gmm", "--group-sizes", "uniform", "--groups", "100000000000", "--m", "3", "--k", "3", "--n",
      "3"},
     2,
     "from 1 to 16777216"},
    {{"gmm", "--group-sizes", "4", "--k", "3", "--n", "3", "--buffers", "1000000000"},
     2,
     "from 1 to 1024"},
    {{"gmm", "--group-sizes", "@?/none.npy", "--k", "3", "--n", "3"}, 3, "cannot open"},
    {{"gmm", "--group-sizes", "@?/garbage.npy", "--k", "3", "--n", "3"}, 2, "garbage.npy"},
    {{"gmm", "--lhs", "?/garbage.npy"}, 2, "garbage.npy"},
    {{"gmm", "--lhs", "?/short.npy"}, 2, "short.npy"},
    {{"gmm", "--lhs", "?/garbage.npy#x"}, 2, "is not a tensor file"},
};

TEST(HostileArguments, AreRefusedWithTheirReason) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("garbage.npy")) << "not an array";
  std::ofstream(folder.file("short.npy"), std::ios::binary)
      << std::string("\x93NUMPY\x01\x00\xff\xff{'descr'", 18);
  std::ofstream(folder.file("big.tsr"))
      << "kernel k(m = 1099511627776)\n  in a: f32[m] hbm\n{\n}\n";
  for (const Call& call : calls) {
    std::vector<std::string> words = call.words;
    std::string shown;
    for (std::string& word : words) {
      if (const std::size_t at = word.find('?'); at != std::string::npos)
        word.replace(at, at + 1 < word.size() ? 2 : 1, folder.file(""));
      shown += word + " ";
    }
    std::ostringstream out, err;
    EXPECT_EQ(cli::run(words, out, err), call.exit_code) << shown << out.str() << err.str();
    EXPECT_NE(err.str().find(call.reason), std::string::npos) << shown << err.str();
  }
}

}  // namespace
}  // namespace tessera
