// Every operation at its smallest shapes on threads, compared with the reference: one row, one
// column, a contraction of 1, a row for each device, and empty groups in each position.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/in_process.h"

namespace tessera {
namespace {

const char* const calls[] = {
    "gmm --group-sizes 1 --k 1 --n 1 --dtype f32",
    "gmm --group-sizes 0,1 --k 1 --n 8 --dtype f32",
    "gmm --group-sizes 1,0 --k 8 --n 1 --dtype f32",
    "gmm --group-sizes 0,3,0 --k 8 --n 8 --dtype f32",
    "gmm --group-sizes 0,0,5 --k 1 --n 1 --dtype f32",
    "gmm --group-sizes 3,0,2 --k 5 --n 3 --dtype f32",
    "tgmm --group-sizes 1 --k 1 --n 1 --dtype f32",
    "tgmm --group-sizes 0,1 --k 1 --n 8 --dtype f32",
    "tgmm --group-sizes 0,3,0 --k 8 --n 8 --dtype f32",
    "tgmm --group-sizes 3,0,2 --k 5 --n 3 --dtype f32",
    "tgmm --group-sizes 0,0,4 --k 8 --n 1 --dtype f32",
    "ragged-dot --group-sizes 1 --k 1 --n 1 --dtype f32",
    "ragged-dot --group-sizes 0,1 --k 1 --n 8 --dtype f32",
    "ragged-dot --group-sizes 0,3,0 --k 8 --n 8 --dtype f32",
    "ragged-dot --group-sizes 3,0,2 --k 5 --n 1 --dtype f32",
    "grouped-gemm --group-sizes 1 --k 1 --n 1 --dtype f32",
    "grouped-gemm --group-sizes 0,3,0 --k 8 --n 8 --dtype f32",
    "grouped-gemm --group-sizes 3,0,2 --k 8 --n 1 --dtype f32",
    "sharded-gmm --devices 2 --group-sizes 0,1 --k 1 --n 1 --dtype f32",
    "sharded-gmm --devices 2 --group-sizes 1,0 --k 1 --n 1 --dtype f32",
    "sharded-gmm --devices 2 --group-sizes 0,3,0,2 --k 4 --n 4 --dtype f32",
    "sharded-gmm --devices 4 --group-sizes 0,0,0,1 --k 1 --n 4 --dtype f32",
    "ep-gmm --devices 2 --m 1 --k 1 --n 1 --groups 2 --dtype f32",
    "ep-gmm --devices 2 --m 2 --k 4 --n 1 --groups 4 --top-k 1 --dtype f32",
    "ep-gmm --devices 4 --m 4 --k 1 --n 4 --groups 4 --dtype f32",
    "ring-of-experts --devices 2 --m 1 --k 1 --n 1 --groups 2 --dtype f32",
    "ring-of-experts --devices 2 --m 2 --k 4 --n 1 --groups 4 --top-k 1 --dtype f32",
    "ring-of-experts --devices 3 --m 3 --k 1 --n 4 --groups 3 --top-k 1 --dtype f32",
    "ring-of-experts --devices 4 --m 4 --k 4 --n 4 --groups 8 --top-k 1 --dtype f32",
    "all-gather --devices 2 --m 2 --n 1 --dtype f32",
    "all-gather --devices 3 --m 1 --n 1 --directions 1 --dtype f32",
    "all-gather --devices 4 --m 4 --n 4 --dtype f32",
    "all-reduce --devices 2 --m 2 --n 1 --dtype f32",
    "all-reduce --devices 3 --m 3 --n 1 --dtype f32",
    "all-reduce --devices 4 --m 4 --n 4 --dtype f32",
    "reduce-scatter --devices 2 --m 2 --n 1 --dtype f32",
    "reduce-scatter --devices 4 --m 4 --n 4 --dtype f32",
    "reduce-scatter --devices 3 --m 3 --n 1 --dtype f32",
    "right-permute --devices 2 --m 1 --n 1 --dtype f32",
    "right-permute --devices 3 --m 3 --n 1 --dtype f32",
    "ag-matmul --devices 2 --m 1 --k 2 --n 1",
    "ag-matmul --devices 2 --m 2 --k 2 --n 1",
    "ag-matmul --devices 4 --m 4 --k 4 --n 4",
    "matmul-rs --devices 2 --m 4 --k 2 --n 1 --dtype f32",
    "matmul-rs --devices 4 --m 8 --k 4 --n 4 --dtype f32",
    "matmul-rs --devices 4 --m 8 --k 4 --n 1 --dtype f32",
    "ragged-all-to-all --devices 2 --m 1 --n 1 --dtype f32",
    "ragged-all-to-all --devices 2 --m 2 --n 4 --dtype f32",
    "ragged-all-to-all --devices 4 --m 4 --n 1 --dtype f32",
};

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

TEST(SmallOperations, agree_with_the_reference_on_threads) {
  for (const std::string call : calls) {
    SCOPED_TRACE(call);
    HeldFiles files;
    const cli::Answer answer =
        cli::answer(words(call + " --device threads --threads 2 --check-nodes"), files, nullptr);
    EXPECT_EQ(answer.exit_code, 0) << answer.out << answer.err;
    EXPECT_NE(answer.out.find("\nok "), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("; and all results"), std::string::npos) << answer.out;
  }
}

}  // namespace
}  // namespace tessera
