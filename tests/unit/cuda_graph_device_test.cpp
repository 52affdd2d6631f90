// Operations on a GPU, with collectives as CUDA graphs: eight devices share one GPU. Integer
// results are equal to the reference, other results are within the bounds, and the values of each
// node agree with the interpreter. Each call is a separate test. Without a GPU, each test is
// skipped with the reason.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "devices/cuda/cuda_device.h"

namespace tessera {
namespace {

class CudaGraphDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const Support here = cuda_device().available();
    if (!here.ok) GTEST_SKIP() << here.reason;
  }
};

const char* const calls[] = {
    "gmm --group-sizes 100,0,60,4 --k 128 --n 256 --tiling 64,64,128",
    "tgmm --group-sizes 100,0,60,4 --k 128 --n 256 --tiling 64,64,128",
    "gmm --group-sizes 9,0,3 --k 40 --n 24 --dtype f32 --tiling 8,8,8",
    "right-permute --devices 8 --m 40 --n 136",
    "all-gather --devices 8 --m 40 --n 136",
    "all-gather --devices 3 --m 40 --n 136 --directions 1",
    "all-reduce --devices 8 --m 64 --n 136",
    "reduce-scatter --devices 8 --m 256 --n 136",
    "ag-matmul --devices 8 --m 136 --k 1024 --n 256 --tiling 128,64,128",
    "ag-matmul --rings 0,2,1,3/7,5,6,4 --m 64 --k 256 --n 128 --tiling 64,64,64",
    "ag-matmul --gather m --devices 4 --m 64 --k 256 --n 256 --tiling 16,128,128",
    "matmul-rs --devices 8 --m 256 --k 1024 --n 256 --tiling 16,64,128",
    "ragged-all-to-all --devices 8 --m 64 --n 32 --group-sizes zipf:1.2",
    "ep-gmm --devices 8 --m 128 --k 256 --n 128 --groups 16 --top-k 2",
    "sharded-gmm --devices 4 --group-sizes 3,0,5,80 --k 128 --n 256",
    "ring-of-experts --devices 8 --m 32 --k 128 --n 128 --groups 16 --top-k 2"};

void expect_ok(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.push_back(word);
  std::ostringstream out, err;
  EXPECT_EQ(cli::run(words, out, err), 0) << text << "\n" << out.str() << err.str();
}

INSTANTIATE_TEST_SUITE_P(call, CudaGraphDevice, testing::ValuesIn(calls));

TEST_P(CudaGraphDevice, gives_the_results_and_of_each_node_what_the_interpreter_does) {
  const std::string call = std::string(GetParam()) + " --device cuda";
  expect_ok(call + " --fill integers");
  expect_ok(call + " --fill normal");
  expect_ok(call + " --fill integers --check-nodes");
  expect_ok(call + " --fill normal --check-nodes");
}

}  // namespace
}  // namespace tessera
