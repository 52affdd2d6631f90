// Operands that one call saves and the next call reads give the same results, bit for bit. Square
// sizes would reveal a transposed operand; with other sizes it would be rejected.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/command.h"
#include "core/data/tensor_file.h"
#include "tests/unit/temporary.h"

namespace tessera::cli {
namespace {

struct RoundTrip {
  const char* command;
  const char* sizes;     // options of the first call only, which fills its operands
  const char* operands;  // saved by the first call and read by the second
  const char* both;      // options of both calls
};

// clang-format off
constexpr RoundTrip round_trips[] = {
    {"gmm", "--k 8 --n 8", "lhs rhs", "--group-sizes 3,5"},
    {"gmm", "--k 8 --n 8 --group-sizes 3,5", "lhs rhs sizes", ""},
    {"gmm", "--k 8 --n 8", "lhs rhs", "--group-sizes 3,5 --transpose-rhs"},
    {"gmm", "--k 8 --n 8", "lhs rhs existing", "--group-sizes 3,5 --existing-out accumulate"},
    {"gmm", "--m 8 --k 8 --n 8", "lhs rhs", "--group-sizes 3,2,3 --group-offset 1 --local-groups 2"},
    {"tgmm", "--k 8 --n 8", "lhs rhs", "--group-sizes 3,5"},
    {"tgmm", "--k 8 --n 8", "lhs rhs", "--group-sizes 3,5 --lhs-layout mk"},
    {"tgmm", "--k 8 --n 8", "lhs rhs", "--group-sizes 3,5 --lhs-layout km"},
    {"tgmm", "--k 8 --n 8 --group-sizes 3,5", "lhs rhs sizes existing", "--existing-out accumulate"},
    {"ragged-dot", "--k 8 --n 8", "lhs rhs", "--group-sizes 3,5"},
    {"ragged-dot", "--k 8 --n 8 --group-sizes 3,5", "lhs rhs sizes", ""},
    {"ragged-dot", "--k 8 --n 8", "lhs rhs", "--group-sizes 3,5 --transpose-rhs"},
    {"ragged-dot", "--k 8 --n 8 --m 8", "lhs rhs", "--group-sizes 3,5 --mode contracting"},
    {"ragged-dot", "--k 8 --n 8 --m 8 --batch 8", "lhs rhs", "--group-sizes 3,5 --mode batch"},
    {"ragged-dot", "--k 8 --n 8 --batch 8", "lhs rhs", "--group-sizes 3,5"},
    {"ragged-dot", "--k 8 --n 8 --batch 2", "lhs rhs", "--group-sizes 3,5 --transpose-rhs"},
    {"ragged-dot", "--k 8 --n 8 --m 8 --batch 8", "lhs rhs", "--group-sizes 3,5 --mode contracting"},
    {"grouped-gemm", "--k 8 --n 8", "lhs rhs", "--group-sizes 3,5"},
    {"grouped-gemm", "--k 8 --n 8", "lhs rhs", "--group-sizes 3,5 --transpose-rhs"},
    {"grouped-gemm", "--k 8 --n 8", "lhs rhs", "--group-sizes 3,5 --kind dgrad"},
    {"grouped-gemm", "--k 8 --n 8", "lhs rhs", "--group-sizes 3,5 --kind dgrad --transpose-rhs"},
    {"grouped-gemm", "--k 8 --n 8", "lhs rhs", "--group-sizes 3,5 --kind wgrad"},
    {"grouped-gemm", "--k 8 --n 8", "lhs rhs existing", "--group-sizes 3,5 --beta 1"},
    {"grouped-gemm", "--k 8 --n 8 --bias", "lhs rhs bias", "--group-sizes 3,5"},
    {"grouped-gemm", "--k 32 --n 32", "lhs rhs", "--group-sizes 32,64 --scaling current"},
    {"grouped-gemm", "--k 32 --n 32", "lhs rhs", "--group-sizes 32,64 --scaling current --transpose-rhs"},
    {"grouped-gemm", "--k 128 --n 128", "lhs rhs", "--group-sizes 128,128 --scaling mxfp8"},
    {"grouped-gemm", "--k 128 --n 128", "lhs rhs", "--group-sizes 128,128 --scaling mxfp8 --transpose-rhs"},
    {"grouped-gemm", "--k 128 --n 128", "lhs rhs", "--group-sizes 128,128 --scaling mxfp8 --kind dgrad"},
    {"sharded-gmm", "--k 8 --n 8", "lhs rhs", "--devices 2 --group-sizes 3,5"},
    {"sharded-gmm", "--k 8 --n 8 --group-sizes 3,5", "lhs rhs sizes", "--devices 2 --transpose-rhs"},
    {"ep-gmm", "--m 8 --k 8 --n 8 --groups 2", "lhs rhs sizes", "--devices 2"},
    {"ep-gmm", "--m 8 --k 8 --n 8 --groups 2", "lhs rhs sizes", "--devices 2 --transpose-rhs"},
    {"ring-of-experts", "--m 8 --k 8 --n 8 --groups 8", "lhs rhs experts weights", "--devices 2"},
    {"ring-of-experts", "--m 8 --k 8 --n 8 --groups 8", "lhs rhs experts weights", "--devices 2 --transpose-rhs"},
    {"ag-matmul", "--m 16 --k 16 --n 16", "lhs rhs", "--devices 2 --tiling 8,8,8"},
    {"ag-matmul", "--m 128 --k 128 --n 128", "lhs rhs", "--devices 2 --gather m"},
    {"ag-matmul", "--m 128 --k 128 --n 128", "lhs rhs", "--devices 2 --gather m --transpose-rhs"},
    {"matmul-rs", "--m 16 --k 16 --n 16", "lhs rhs", "--devices 2 --tiling 4,8,16"},
    {"all-gather", "--m 8 --n 8", "lhs", "--devices 2"},
    {"all-reduce", "--m 8 --n 8", "lhs", "--devices 2"},
    {"reduce-scatter", "--m 8 --n 8", "lhs", "--devices 2"},
    {"right-permute", "--m 8 --n 8", "lhs", "--devices 2"},
    {"ragged-all-to-all", "--n 8 --traffic 2,1/3,4", "lhs sizes existing", "--devices 2"},
    {"ragged-all-to-all", "--n 8 --m 8 --group-sizes multinomial", "lhs sizes", "--devices 2 --slices 2"},
};
// clang-format on

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Returns the report of the call.
std::string run_it(const std::string& line, int code = 0) {
  std::ostringstream out, err;
  EXPECT_EQ(run(words_of(line + " --interpret"), out, err), code) << line << "\n" << err.str();
  return out.str() + err.str();
}

TEST(RoundTrips, OfEveryOperationGiveTheSameResult) {
  for (const RoundTrip& trip : round_trips) {
    TemporaryFolder folder;
    const std::string call = std::string(trip.command) + " " + trip.both;
    SCOPED_TRACE(call + " " + trip.sizes);
    std::string saves, reads;
    for (const std::string& operand : words_of(trip.operands)) {
      saves += " --out " + operand + "=" + folder.file(operand + ".npy");
      reads += " --" + operand + " " + folder.file(operand + ".npy");
    }
    const std::string before = folder.file("before.npy"), after = folder.file("after.npy");
    // bf16 has no type name in files: each command reads it as raw elements.
    run_it(call + " " + trip.sizes + saves + " --out " + before);
    run_it(call + reads + " --out " + after);
    EXPECT_NE(read_bytes(before), "");
    EXPECT_TRUE(read_bytes(before) == read_bytes(after));
  }
}

TEST(RoundTrips, CoverEveryOperation) {
  std::set<std::string_view> covered;
  for (const RoundTrip& trip : round_trips) covered.insert(trip.command);
  for (const Command& command : commands()) {
    const bool is_operation = group_of(command) == CommandGroup::operations;
    EXPECT_TRUE(!is_operation || covered.contains(command.name)) << command.name;
  }
}

// The extents of the weights are compared before the weights are quantised.
TEST(RoundTrips, NameContractionsThatDoNotMatchBeforeTheirScales) {
  TemporaryFolder folder;
  const std::string files =
      " --lhs " + folder.file("l.npy") + " --rhs " + folder.file("r.npy") + " --group-sizes 32,64";
  run_it("grouped-gemm --group-sizes 32,64 --k 96 --n 72 --out lhs=" + folder.file("l.npy") +
         " --out rhs=" + folder.file("r.npy"));
  const std::string told =
      run_it("grouped-gemm --scaling mxfp8 --transpose-rhs --dtype bf16" + files, 2);
  EXPECT_NE(told.find("Mismatched contracting dimensions: K_lhs=96, K_rhs=72"), std::string::npos)
      << told;
}

// Rows that receive no data are zero, unless --existing provides them.
TEST(RoundTrips, LeaveZerosWhereNoRowArrives) {
  TemporaryFolder folder;
  run_it("ragged-all-to-all --devices 2 --traffic 2,0/0,2 --n 1 --room 4 --out " +
         folder.file("y.npy"));
  const Expected<Tensor> result = load_tensor(folder.file("y.npy"));
  ASSERT_TRUE(result);
  ASSERT_EQ(result->shape(), (Shape{2, 4, 1}));
  for (const std::int64_t empty : {2, 3, 6, 7}) EXPECT_EQ(result->at(empty), 0);
  for (const std::int64_t received : {0, 1, 4, 5}) EXPECT_NE(result->at(received), 0);
}

}  // namespace
}  // namespace tessera::cli
