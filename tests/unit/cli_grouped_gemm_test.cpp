// grouped-gemm with files: bias, scales and quantised operands, and their errors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "core/data/tensor_file.h"

namespace tessera::cli {
namespace {

class GroupedGemmFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "grouped_gemm_files_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + "/";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // "%x.npy" stands for a file of the folder.
  std::string run_it(const std::string& line, int code = 0) {
    std::vector<std::string> words{"grouped-gemm"};
    std::istringstream given(line);
    for (std::string word; given >> word;) {
      if (const std::size_t at = word.find('%'); at != std::string::npos)
        word.replace(at, 1, folder_);
      words.push_back(word);
    }
    words.emplace_back("--interpret");
    std::ostringstream out, err;
    EXPECT_EQ(run(words, out, err), code) << line << "\n" << out.str() << err.str();
    std::string text = out.str() + err.str();
    for (std::size_t at = 0; (at = text.find(folder_)) != std::string::npos;)
      text.erase(at, folder_.size());
    return text;
  }
  std::string refused(const std::string& line) { return run_it(line, 2); }
  std::string bytes(const std::string& name) const {
    std::ifstream in(folder_ + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void same(const std::string& before, const std::string& after) {
    run_it(before + " --out %before.npy");
    run_it(after + " --out %after.npy");
    EXPECT_NE(bytes("before.npy"), "") << before;
    EXPECT_EQ(bytes("before.npy"), bytes("after.npy")) << before;
  }
  void save(const std::string& name, const Tensor& tensor) {
    EXPECT_TRUE(save_tensor(folder_ + name, tensor));
  }
  void save(const std::string& name, const std::vector<double>& values, DType dtype = DType::f32) {
    Tensor tensor(dtype, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
      tensor.set(static_cast<std::int64_t>(i), values[i]);
    save(name, tensor);
  }

  std::string folder_;
};

const std::string quantised =
    " --out lhs_quantised=%q.npy --out lhs_scale_inv=%s.npy --out rhs_quantised=%w.npy --out "
    "rhs_scale_inv=%t.npy --out bias=%b.npy";
const std::string of_files =
    "--lhs %q.npy --lhs-scale-inv %s.npy --rhs %w.npy --rhs-scale-inv %t.npy --bias %b.npy ";

TEST_F(GroupedGemmFiles, what_was_quantised_can_be_given_back_with_its_scales_and_bias) {
  for (const std::string mode : {"delayed", "current", "mxfp8"}) {
    const std::string how = " --scaling " + mode;
    const std::string plain = "--group-sizes 64,0,32 --k 64 --n 32 --bias" + how + quantised;
    same(plain, of_files + "--lhs-first-dims 64,0,32 --contracting 1/1" + how);
    same("--kind dgrad " + plain, of_files + "--lhs-first-dims 64,0,32 --contracting 1/2" + how);
    same("--kind wgrad " + plain,
         of_files + "--lhs-first-dims 64,0,32 --rhs-first-dims 64,0,32 --contracting 0/0" + how);
    same(plain + " --rhs-quantised e5m2",
         of_files + "--lhs-first-dims 64,0,32 --contracting 1/1 --rhs-quantised e5m2" + how);
  }
  // Types from files, and sizes from files.
  save("sizes.npy", {64, 0, 32}, DType::i64);
  same(
      "--group-sizes 64,0,32 --k 64 --n 32 --scaling current --rhs-quantised e5m2 --out "
      "lhs_quantised=%a.safetensors#q --out rhs_quantised=%a.safetensors#w --out "
      "lhs_scale_inv=%a.safetensors#s --out rhs_scale_inv=%a.safetensors#t",
      "--lhs %a.safetensors#q --rhs %a.safetensors#w --lhs-scale-inv %a.safetensors#s "
      "--rhs-scale-inv %a.safetensors#t --lhs-first-dims @%sizes.npy --contracting 1/1 --scaling "
      "current");
}

TEST_F(GroupedGemmFiles, groups_of_any_shapes_take_scales_and_c_but_no_bias) {
  const std::string groups =
      " --lhs-first-dims 64,80,96 --lhs-last-dims 32,64,96 --rhs-first-dims 32,64,96 "
      "--rhs-last-dims 96,112,128 --contracting 1/0 --alpha 2 --beta 1,0,2 ";
  for (const std::string mode : {"delayed", "current", "mxfp8"})
    same(groups + "--scaling " + mode +
             " --out existing=%c.npy --out lhs_quantised=%q.npy --out lhs_scale_inv=%s.npy --out "
             "rhs_quantised=%w.npy --out rhs_scale_inv=%t.npy",
         groups + "--scaling " + mode +
             " --existing %c.npy --lhs %q.npy --lhs-scale-inv %s.npy --rhs %w.npy --rhs-scale-inv "
             "%t.npy");
  EXPECT_EQ(refused(groups + "--bias"),
            "error: Grouped bias add requires uniform last dim for output and bias, and the groups "
            "of rhs have different columns\n");
  EXPECT_EQ(refused("--lhs-shape 1,99" + groups),
            "error: the groups of lhs up to group 0 have more than its 99 elements\n");
  EXPECT_EQ(refused(groups + "--path v2"),
            "error: the path V2 cannot run this: lhs is ragged in its last dims: its groups are "
            "matrices of different row lengths, not rows of one matrix\n");
}

// MXFP8 scales as a plain matrix next to the elements: 2 for all blocks of group 0, otherwise 1.
TEST_F(GroupedGemmFiles, plain_block_scales_are_swizzled) {
  Tensor q(DType::e4m3, {96, 64}), w(DType::e4m3, {3, 64, 32});
  for (std::int64_t i = 0; i < q.elements(); ++i) q.set(i, static_cast<double>(i % 5) - 2);
  for (std::int64_t i = 0; i < w.elements(); ++i) w.set(i, static_cast<double>(i % 7) - 3);
  save("q.npy", q);
  save("w.npy", w);
  Tensor ones(DType::e8m0, {3, 2, 32}), scales(DType::e8m0, {96, 2});
  std::memset(ones.data(), 127, static_cast<std::size_t>(ones.bytes()));
  std::memset(scales.data(), 127, static_cast<std::size_t>(scales.bytes()));
  for (std::int64_t i = 0; i < 128; ++i) scales.as<std::uint8_t>()[i] = 128;
  save("s.npy", scales);
  save("t.npy", ones);
  const std::string call = "--lhs %q.npy --rhs %w.npy --lhs-first-dims 64,0,32 --contracting 1/1 ";
  run_it(call + "--dtype e4m3 --alpha 2,1,1 --out %unscaled.npy");
  run_it(call + "--scaling mxfp8 --lhs-scale-inv %s.npy --rhs-scale-inv %t.npy --out %scaled.npy");
  EXPECT_EQ(bytes("scaled.npy"), bytes("unscaled.npy"));
  save("wide.npy", Tensor(DType::e8m0, {96, 3}));
  EXPECT_EQ(
      refused(call + "--scaling mxfp8 --lhs-scale-inv %wide.npy --rhs-scale-inv %t.npy"),
      "error: expected scales of lhs for its elements of shape (96, 64) as e8m0 of shape (96, 2), "
      "found e8m0 of shape (96, 3)\n");
  save("flat.npy", Tensor(DType::e8m0, {100}));
  EXPECT_EQ(refused(call + "--scaling mxfp8 --lhs-scale-inv %s.npy --rhs-scale-inv %flat.npy"),
            "error: scale_inv of rhs is e8m0 of shape (1536,) for MXFP8_1D_SCALING, found e8m0 of "
            "shape (100,)\n");
}

TEST_F(GroupedGemmFiles, scales_that_are_none_are_refused) {
  save("q.npy", Tensor(DType::e4m3, {96, 64}));
  save("w.npy", Tensor(DType::e4m3, {3, 64, 32}));
  save("y.npy", Tensor(DType::e4m3, {96, 32}));
  save("ok.npy", {0.5, 0.25, 2});
  save("two.npy", {1, 2});
  save("i32.npy", {1, 2, 3}, DType::i32);
  save("big.npy", {1e30, 1, 1});
  const std::string call = "--lhs %q.npy --rhs %w.npy --lhs-first-dims 64,0,32 --contracting 1/1 ";
  const auto with = [&](const std::string& scales) {
    return refused(call + "--scaling current --lhs-scale-inv %" + scales +
                   ".npy --rhs-scale-inv %ok.npy");
  };
  run_it(call + "--scaling current --lhs-scale-inv %ok.npy --rhs-scale-inv %ok.npy");
  for (const auto& [value, text] : {std::pair{std::nan(""), "nan"}, std::pair{HUGE_VAL, "inf"},
                                    std::pair{-2.0, "-2"}, std::pair{0.0, "0"}}) {
    save("bad.npy", {1, 1, value});
    EXPECT_EQ(with("bad"), std::string("error: scale_inv[2] of lhs is ") + text +
                               ": a scale is finite and above 0\n");
    // The scale of a group without elements is never read.
    save("bad.npy", {1, value, 1});
    run_it(call + "--scaling current --lhs-scale-inv %bad.npy --rhs-scale-inv %ok.npy");
    // Neither is the scale of a group with an empty contraction, for which the result is zero.
    run_it(
        "--lhs %q.npy --rhs %y.npy --lhs-first-dims 64,0,32 --rhs-first-dims 64,0,32 --contracting "
        "0/0 --scaling current --lhs-scale-inv %bad.npy --rhs-scale-inv %ok.npy --out %out.npy");
    const auto out = load_tensor(folder_ + "out.npy");
    ASSERT_TRUE(out);
    for (std::int64_t i = 0; i < out->elements(); ++i) ASSERT_EQ(out->at(i), 0);
  }
  EXPECT_EQ(with("two"),
            "error: scale_inv of lhs is f32 of shape (3,) for CURRENT_TENSOR_SCALING, found f32 of "
            "shape (2,)\n");
  EXPECT_EQ(with("i32"), "error: i32.npy: holds i32 ('<i4'), but f32 is declared\n");
  EXPECT_EQ(
      refused(call + "--scaling current --lhs-scale-inv %big.npy --rhs-scale-inv %big.npy"),
      "error: the scales of group 0, 1e+30 of lhs and 1e+30 of rhs, multiply to more than f32 "
      "holds\n");
  EXPECT_EQ(refused(call + "--scaling current --lhs-scale-inv %ok.npy --rhs-scale-inv %ok.npy "
                           "--lhs-quantised e5m2 --rhs-quantised e5m2"),
            "error: FP8 GEMM does not support E5M2 * E5M2\n");
  EXPECT_EQ(refused(call + "--scaling nvfp4 --lhs-scale-inv %ok.npy --rhs-scale-inv %ok.npy"),
            "error: NVFP4 holds its elements as e2m1, two in a byte, and there is no such type "
            "here\n");
  EXPECT_EQ(refused(call + "--lhs-scale-inv %ok.npy --rhs-scale-inv %ok.npy"),
            "error: --lhs-scale-inv is for --scaling delayed, current or mxfp8\n"
            "error: --rhs-scale-inv is for --scaling delayed, current or mxfp8\n");
  EXPECT_EQ(
      refused(call + "--scaling delayed --lhs-scale-inv %ok.npy --rhs-scale-inv %ok.npy "
                     "--lhs-scale 2"),
      "error: --lhs-scale is a factor for quantising, and the operands are already quantised\n");
  // One operand that is not quantised.
  save("x.npy", Tensor(DType::f32, {3, 64, 32}));
  EXPECT_EQ(
      refused("--lhs %q.npy --rhs %x.npy --lhs-first-dims 64,0,32 --contracting 1/1 "
              "--scaling current --lhs-scale-inv %ok.npy"),
      "error: lhs is GroupedScaledTensor1x but rhs is GroupedNoScaleTensor; both operands must "
      "use the same tensor type.\n");
  EXPECT_EQ(refused("--lhs %q.npy --rhs %x.npy --lhs-first-dims 64,0,32 --contracting 1/1 "
                    "--scaling current --lhs-scale-inv %ok.npy --rhs-scale-inv %ok.npy"),
            "error: the elements of CURRENT_TENSOR_SCALING are e4m3 or e5m2, found f32\n");
}

TEST_F(GroupedGemmFiles, delayed_scales_and_linear_terms_are_numbers_or_files) {
  const std::string call = "--group-sizes 5,0,9 --k 16 --n 7 ";
  save("three.npy", {16, 1, 4});
  same(call + "--scaling delayed --lhs-scale 32 --rhs-scale 16,1,4",
       call + "--scaling delayed --lhs-scale 32,32,32 --rhs-scale @%three.npy");
  same(call + "--alpha 16,1,4 --beta 16,1,4", call + "--alpha @%three.npy --beta @%three.npy");
  // --json reports the scales that were used.
  const std::string json = run_it(call + "--scaling delayed --lhs-scale 32 --rhs-scale 16 --json");
  EXPECT_NE(json.find("\"mode\": \"DELAYED_TENSOR_SCALING\""), std::string::npos) << json;
  EXPECT_NE(json.find("0.03125"), std::string::npos) << json;
  EXPECT_EQ(refused(call + "--scaling delayed --lhs-scale 32,0,1"),
            "error: the delayed scale of group 1 is 0: a scale is finite and above 0\n");
  EXPECT_EQ(refused(call + "--scaling delayed --lhs-scale 32,1"),
            "error: delayed scaling needs a scale for each of 3 groups, got 2\n");
  EXPECT_EQ(refused(call + "--scaling current --lhs-scale 32"),
            "error: --lhs-scale is for --scaling delayed\n");
  save("nan.npy", {1, std::numeric_limits<double>::quiet_NaN(), 2});
  EXPECT_EQ(refused(call + "--alpha @%nan.npy"),
            "error: --alpha: expected finite numbers: element 1 of nan.npy is nan\n");
  save("i32.npy", {1, 2, 3}, DType::i32);
  EXPECT_EQ(refused(call + "--alpha @%i32.npy"), "error: Expected alpha dtype float32, got i32\n");
  EXPECT_EQ(refused(call + "--scaling delayed --lhs-scale @%i32.npy"),
            "error: --lhs-scale is f32, found i32\n");
}

TEST_F(GroupedGemmFiles, a_bias_has_a_row_for_each_group) {
  const std::string call = "--group-sizes 5,0,9 --k 16 --n 7 --bias ";
  Tensor bias(DType::f32, {3, 7});
  for (std::int64_t i = 0; i < bias.elements(); ++i) bias.set(i, static_cast<double>(i));
  save("b.npy", bias);
  same(call + "%b.npy", "--group-sizes 5,0,9 --k 16 --n 7 --bias=%b.npy");
  same(call + "--out bias=%made.npy", call + "%made.npy");
  save("row.npy", Tensor(DType::f32, {7}));
  EXPECT_EQ(refused(call + "%row.npy"),
            "error: bias shape (7,) does not match expected shape (3, 7)\n");
  save("i32.npy", Tensor(DType::i32, {3, 7}));
  EXPECT_EQ(refused(call + "%i32.npy"), "error: a bias is f32, bf16 or f16, not i32\n");
  EXPECT_EQ(refused(call + "%b.npy --out %b.npy"),
            "error: --out would replace b.npy, which --bias reads\n");
  EXPECT_EQ(refused(call + "%b.npy --bias").substr(0, 30), "error: --bias is given twice\nn");
  EXPECT_EQ(refused(call + "b.txt"),
            "error: b.txt is not a tensor file: expected FILE.npy or FILE.safetensors#TENSOR\n");
}

TEST_F(GroupedGemmFiles, operands_from_files_take_group_sizes_as_generated_ones_do) {
  const std::string files = " --out lhs=%x.npy --out rhs=%w.npy",
                    of_files = "--lhs %x.npy --rhs %w.npy ";
  save("sizes.npy", {10, 15, 5}, DType::i32);
  const std::string call = "--group-sizes 10,15,5 --k 16 --n 8 --dtype f32" + files;
  same(call, of_files + "--group-sizes 10,15,5 --contracting 1/1");
  same(call, of_files + "--sizes %sizes.npy --contracting 1/1");
  same("--kind wgrad " + call, of_files + "--group-sizes 10,15,5 --contracting 0/0");
  same("--group-sizes zipf:1.2 --groups 3 --m 30 --seed 3 --k 16 --n 8 --dtype f32" + files,
       of_files + "--group-sizes zipf:1.2 --groups 3 --seed 3 --contracting 1/1");
  EXPECT_EQ(refused(of_files + "--group-sizes 10,15,6 --contracting 1/1"),
            "error: Unexpected group_sizes! M = 30, got sum(group_sizes)=31\n");
  EXPECT_EQ(
      refused(of_files + "--group-sizes 10,15,5 --lhs-first-dims 10,15,5 --contracting 1/1"),
      "error: --group-sizes is for calls without shapes: the shapes of this call determine it\n");
}

TEST_F(GroupedGemmFiles, sizes_are_int32) {
  save("long.npy", {4294967301, 2}, DType::i64);
  EXPECT_EQ(refused("--sizes %long.npy --k 1 --n 1"),
            "error: --sizes: group 0 has 4294967301, and group sizes are int32\n");
  EXPECT_EQ(refused("--lhs-shape 8,4 --rhs-shape 2,4,3 --contracting 1/1 --lhs-first-dims "
                    "4294967301,3"),
            "error: --lhs-first-dims: group 0 has 4294967301, and group sizes are int32\n");
  save("f32.npy", {5, 3});
  EXPECT_EQ(
      refused("--lhs-shape 8,4 --rhs-shape 2,4,3 --contracting 1/1 --lhs-first-dims "
              "@%f32.npy"),
      "error: --lhs-first-dims: expected one size per group, integers of one axis: f32.npy holds "
      "f32 of shape (2,)\n");
}

}  // namespace
}  // namespace tessera::cli
