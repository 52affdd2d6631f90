// Kernel parameters inferred from operand files, and operand files written from filled operands.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/cli.h"
#include "core/data/tensor_file.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

class InferredSettings : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(file("k.tsr")) << "kernel k[T: bf16 f32](m, n = 3)\n"
                                    "  in  a: T[m, n] hbm order(1, 0)\n"
                                    "  in  b: T[n] hbm\n"
                                    "  out o: T[m, n] hbm\n"
                                    "  vmem x: T[m, n]\n"
                                    "{\n  copy a -> x\n  copy x -> o\n}\n";
  }
  std::string file(const std::string& name) { return folder_.file(name); }
  void save(const std::string& name, DType dtype, Shape shape) {
    EXPECT_TRUE(save_tensor(file(name), Tensor(dtype, std::move(shape))));
  }
  std::string run(std::vector<std::string> more) {
    std::vector<std::string> words = {"run", file("k.tsr"), "--interpret"};
    words.insert(words.end(), more.begin(), more.end());
    std::ostringstream out, err;
    cli::run(words, out, err);
    return out.str() + err.str();
  }
  static bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(InferredSettings, ExtentsAndTypesComeFromFilesInTheirStoredOrder) {
  save("a.npy", DType::f32, {5, 4});
  save("b.safetensors#b", DType::f32, {5});
  EXPECT_TRUE(says(run({"--in", "a=" + file("a.npy")}), "k T=f32 m=4 n=5"));
  EXPECT_TRUE(
      says(run({"--in", "b=" + file("b.safetensors#b"), "--set", "m=2"}), "k T=f32 m=2 n=5"));
  EXPECT_TRUE(says(run({"--in", "a=" + file("a.npy"), "--set", "T=bf16"}), "but bf16 is declared"));
}

TEST_F(InferredSettings, WhatDoesNotAgreeIsReportedWhereItIsRead) {
  save("a.npy", DType::f32, {5, 4});
  save("b.npy", DType::f32, {6});
  const std::string said = run({"--in", "a=" + file("a.npy"), "--in", "b=" + file("b.npy")});
  EXPECT_TRUE(says(said, "operand b is f32(5,), and ")) << said;
  EXPECT_TRUE(says(run({"--in", "a=" + file("none.npy")}), "No such file")) << said;
  save("c.npy", DType::f32, {2, 2, 2});
  EXPECT_TRUE(says(run({"--in", "a=" + file("c.npy"), "--set", "m=2"}), "holds f32(2, 2, 2)"));
}

TEST_F(InferredSettings, AnOrderThatIsNoneIsTheCheckersToReport) {
  std::ofstream(file("k.tsr")) << "kernel k(m, n)\n  in a: f32[m, n] hbm order(1)\n{\n}\n";
  save("a.npy", DType::f32, {5, 4});
  EXPECT_TRUE(says(run({"--in", "a=" + file("a.npy")}), "error: "));
}

TEST_F(InferredSettings, AFilledOperandIsSavedAndReadBack) {
  const std::string sizes = "m=2";
  const std::string first = run({"--set", sizes, "--set", "T=f32", "--seed", "7", "--out",
                                 "a=" + file("a.npy"), "--out", "o=" + file("o.npy")});
  const std::string again = run({"--in", "a=" + file("a.npy")});
  EXPECT_TRUE(says(first, "results   o f32(2, 3) = ")) << first;
  const auto results = [](const std::string& text) { return text.substr(text.find("results")); };
  EXPECT_EQ(results(first), results(again));
}

}  // namespace
}  // namespace tessera
