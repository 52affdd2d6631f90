// Tensor files: the file type by name, and the class of each error.
#include "core/data/tensor_file.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/temporary.h"

namespace tessera {
namespace {

class TensorFile : public testing::Test {
 protected:
  static void expect_error(const Diags& diags, ErrorCode code, const std::string& message) {
    ASSERT_EQ(diags.size(), 1U);
    EXPECT_EQ(diags[0].code, code) << diags[0].message;
    EXPECT_EQ(diags[0].message, message);
    EXPECT_FALSE(diags[0].loc);
  }

  TemporaryFolder folder;
};

TEST_F(TensorFile, BothKindsReturnWhatWasSaved) {
  Tensor tensor(DType::bf16, {2, 2});
  for (int i = 0; i < 4; ++i) tensor.set(i, i - 1.5);
  for (const char* name :
       {"x.npy", "x.safetensors#w", "x.safetensors#layer.0#w", "#.npy", "a#b.safetensors#w"}) {
    const auto spec = folder.file(name);
    const auto saved = save_tensor(spec, tensor);
    ASSERT_TRUE(saved) << render(saved.diags());
    const auto back = load_tensor(spec, DType::bf16);
    ASSERT_TRUE(back) << render(back.diags());
    EXPECT_EQ(back->shape(), tensor.shape());
    for (int i = 0; i < 4; ++i) EXPECT_EQ(back->at(i), i - 1.5);
  }
  // The two tensors of x.safetensors are in one file.
  EXPECT_EQ(folder.files(), 4);
}

TEST_F(TensorFile, NamesThatAreNoTensor) {
  const Tensor tensor(DType::f32, {1});
  for (const std::string spec : {"x.txt", "", "x", "x.npy#w", "x.npz"}) {
    const auto message =
        spec + " is not a tensor file: expected FILE.npy or FILE.safetensors#TENSOR";
    expect_error(load_tensor(spec).diags(), ErrorCode::invalid_value, message);
    expect_error(save_tensor(spec, tensor).diags(), ErrorCode::invalid_value, message);
  }
  for (const std::string spec : {"x.safetensors", "x.safetensors#"}) {
    const auto message = spec + " names no tensor: expected FILE.safetensors#TENSOR";
    expect_error(load_tensor(spec).diags(), ErrorCode::invalid_value, message);
    expect_error(save_tensor(spec, tensor).diags(), ErrorCode::invalid_value, message);
  }
  EXPECT_EQ(folder.files(), 0);
}

TEST_F(TensorFile, WhatCannotBeOpenedIsTheEnvironment) {
  const auto npy = folder.file("x.npy"), safetensors = folder.file("x.safetensors");
  expect_error(load_tensor(npy).diags(), ErrorCode::environment,
               "cannot open " + npy + ": No such file or directory");
  expect_error(load_tensor(safetensors + "#w").diags(), ErrorCode::environment,
               "cannot open " + safetensors + ": No such file or directory");
  std::filesystem::create_directory(npy);
  expect_error(load_tensor(npy).diags(), ErrorCode::environment,
               "cannot open " + npy + ": not a regular file but a folder");
  expect_error(save_tensor(npy, Tensor(DType::f32, {1})).diags(), ErrorCode::environment,
               "cannot write " + npy + ": not a regular file but a folder");
  const auto missing = folder.file("no/x.safetensors");
  expect_error(save_tensor(missing + "#w", Tensor(DType::f32, {1})).diags(), ErrorCode::environment,
               "cannot write " + missing + ": No such file or directory");
}

TEST_F(TensorFile, WrongContentIsInvalid) {
  const auto npy = folder.file("x.npy"), safetensors = folder.file("x.safetensors");
  write_bytes(npy, "hello");
  write_bytes(safetensors, "hello");
  expect_error(load_tensor(npy).diags(), ErrorCode::invalid_value,
               npy + ": not an .npy file: it does not begin with \\x93NUMPY");
  expect_error(load_tensor(safetensors + "#w").diags(), ErrorCode::invalid_value,
               safetensors + ": truncated: expected the length of the header");
  ASSERT_TRUE(save_tensor(npy, Tensor(DType::i32, {1})));
  expect_error(load_tensor(npy, DType::f32).diags(), ErrorCode::invalid_value,
               npy + ": holds i32 ('<i4'), but f32 is declared");
}

}  // namespace
}  // namespace tessera
