// The command of each operation: a wrong result is a finding with device, element and replay
// command, for every operation.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli.h"
#include "cli/operations/collective_reader.h"
#include "kernels/collective/reduce_scatter.h"
#include "kernels/collective/right_permute.h"
#include "kernels/oracle/check_collective.h"

namespace tessera::cli {
namespace {

constexpr std::int64_t rows = 4, columns = 8;

// Returns a copy of the operands with one element of device 2 changed, so that the expected results
// differ from the run.
std::vector<Tensor> spoilt(const Collective::Tensors& x) {
  std::vector<Tensor> copy;
  for (const Tensor& tensor : x) copy.push_back(tensor.clone());
  copy[2].set(3 * columns + 5, copy[2].at(3 * columns + 5) + 1);
  return copy;
}

template <typename Launches, typename Judges>
Expected<OperationCall> wrong(const Arguments& arguments, std::int64_t m, Launches launch,
                              Judges judge) {
  CollectiveReader read(arguments);
  if (!read.ok()) return read.diags();
  const auto& x = read.fill("lhs", DType::f32, {m, columns}, read.length());
  Collective& collective = read.collective;
  collective.shape = {{"m", m}, {"n", columns}};
  collective.dtype = DType::f32;
  collective.types = "f32";
  Expected<Launch> made = launch(x, read.rings(), collective.options);
  return as_call(
      std::move(collective), std::move(made),
      [x = std::make_shared<const std::vector<Tensor>>(spoilt(x)), &rings = read.rings(), judge](
          const Launch& done, const CheckOptions& how) { return judge(*x, rings, done, how); });
}

Expected<OperationCall> wrong_permute(const Arguments& arguments) {
  return wrong(
      arguments, rows,
      [](const auto& x, const Tensor& rings, const CollectiveOptions& options) {
        RightPermuteOptions all;
        static_cast<CollectiveOptions&>(all) = options;
        return launch_right_permute(x, rings, all);
      },
      check_permuted);
}

Expected<OperationCall> wrong_scatter(const Arguments& arguments) {
  return wrong(
      arguments, rows * 4,
      [](const auto& x, const Tensor& rings, const CollectiveOptions& options) {
        ReduceOptions all;
        static_cast<CollectiveOptions&>(all) = options;
        return launch_reduce_scatter(x, rings, all);
      },
      check_reduce_scattered);
}

struct Ran {
  int code = 0;
  std::string out;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

Ran run_wrong(PrepareOperation prepare, std::vector<std::string> words) {
  words.insert(words.begin(), {"right-permute", "--interpret", "--fill", "integers"});
  Options options = collective_options({});
  options.push_back({"json", "", ""});
  const Expected<Arguments> arguments = parse_arguments(options, words);
  EXPECT_TRUE(arguments);
  std::ostringstream out, err;
  Console console{out, err, arguments->has("json")};
  Ran ran{run_operation(prepare, *arguments, console), {}};
  ran.out = out.str() + err.str();
  return ran;
}

TEST(Operations, a_wrong_result_of_a_collective_is_a_finding_that_names_the_device) {
  const Ran ran = run_wrong(wrong_permute, {"--devices", "4", "--seed", "3"});
  EXPECT_EQ(ran.code, 1) << ran.out;
  // Device 3 has the data of device 2.
  EXPECT_NE(ran.out.find("mismatch: 16 rows of 4 devices; device 3: "), std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("out[3, 5]"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("replay: gmm-run right-permute --interpret --fill integers --devices 4 "
                         "--seed 3 --schedule eager\n"),
            std::string::npos)
      << ran.out;
}

TEST(Operations, a_wrong_result_has_one_object_for_all_operations) {
  const Ran ran = run_wrong(wrong_permute, {"--devices", "4", "--json", "--explain"});
  const auto json = ran.json();
  EXPECT_EQ(json["status"], "mismatch");
  ASSERT_EQ(json["findings"].size(), 1u);
  EXPECT_EQ(json["findings"][0]["kind"], "mismatch");
  EXPECT_EQ(json["findings"][0]["device"], 3);
  EXPECT_GT(json["findings"][0]["line"], 0);
  EXPECT_TRUE(json["replay"].is_string());
  EXPECT_EQ(json["dtype"], "f32");
  EXPECT_EQ(json["out_dtype"], "f32");
  EXPECT_TRUE(json["tiling"].is_null());
  EXPECT_EQ(json["config"]["source"], "heuristics");
}

// The results of a ring are checked together. The mismatch is reported with the device that holds
// the element.
TEST(Operations, a_wrong_element_of_joined_results_is_told_where_it_lies) {
  const Ran ran = run_wrong(wrong_scatter, {"--rings", "3,2/1,0", "--json"});
  const auto json = ran.json();
  ASSERT_EQ(json["findings"].size(), 1u) << ran.out;
  // Each position of the ring has 8 of the 16 rows. Row 3 is at position 0 of the ring 3, 2.
  EXPECT_EQ(json["findings"][0]["device"], 3);
  EXPECT_EQ(json["findings"][0]["notes"][0]["message"], "that is out[3, 5] of device 3");
}

TEST(Operations, explain_tells_of_every_operation_where_its_tiles_come_from) {
  const auto told = [](std::vector<std::string> words, const std::string& text) {
    words.insert(words.end(), {"--interpret", "--explain", "--no-math"});
    std::ostringstream out, err;
    EXPECT_EQ(run(words, out, err), 0) << out.str() << err.str();
    EXPECT_NE(out.str().find(text), std::string::npos) << text << "\n" << out.str();
  };
  told({"ag-matmul", "--devices", "2", "--m", "8", "--k", "8", "--n", "8"},
       "asked     override: none given\n          heuristics: hit\n");
  told({"ag-matmul", "--devices", "2", "--m", "8", "--k", "8", "--n", "8", "--tiling", "8,4,8"},
       "asked     override: hit\nconfig    buffering=2 tm=8 tk=4 tn=8, from override\n");
  told({"ragged-dot", "--group-sizes", "3,4", "--k", "8", "--n", "8"},
       "config    tm=128 tk=128 tn=128 buffers=2, from heuristics\n");
  told({"right-permute", "--m", "4", "--n", "8"},
       "config    none: the kernel has no tuning parameters\n");
}

// Operands that one run saves and another run reads give the same results, bit for bit.
class DeviceFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "device_files_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + "/";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Replaces "@x.npy" by a file in the folder.
  std::string run_it(const std::string& line, int code = 0) {
    std::vector<std::string> words;
    std::istringstream given(line);
    for (std::string word; given >> word;) {
      if (const std::size_t at = word.rfind('@'); at != std::string::npos)
        word.replace(at, 1, folder_);
      words.push_back(word);
    }
    words.emplace_back("--interpret");
    std::ostringstream out, err;
    EXPECT_EQ(run(words, out, err), code) << line << "\n" << out.str() << err.str();
    return out.str() + err.str();
  }
  std::string bytes(const std::string& name) const {
    std::ifstream in(folder_ + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void same(const std::string& before, const std::string& after) {
    run_it(before + " --out @before.npy");
    run_it(after + " --out @after.npy");
    EXPECT_NE(bytes("before.npy"), "") << before;
    EXPECT_EQ(bytes("before.npy"), bytes("after.npy")) << before;
  }

  std::string folder_;
};

TEST_F(DeviceFiles, every_collective_takes_and_gives_files) {
  for (const std::string name : {"all-gather", "all-reduce", "right-permute", "reduce-scatter"})
    same(name + " --m 8 --n 4 --out lhs=@x{d}.npy", name + " --lhs @x{d}.npy");
  same("ag-matmul --m 8 --k 16 --n 4 --out lhs=@x.npy --out rhs=@y{d}.npy",
       "ag-matmul --lhs @x.npy --rhs @y{d}.npy");
  same(
      "ag-matmul --gather m --transpose-rhs --m 64 --k 128 --n 32 --out lhs=@x.npy --out "
      "rhs=@y.npy",
      "ag-matmul --gather m --transpose-rhs --lhs @x.npy --rhs @y.npy");
  same("matmul-rs --m 16 --k 16 --n 4 --out lhs=@x.npy --out rhs=@y.npy",
       "matmul-rs --lhs @x.npy --rhs @y.npy");
  const std::string rings = "sharded-gmm --rings 0,2/3,1 --scatter ";
  same(rings +
           "--m 8 --k 4 --n 4 --groups 4 --out lhs=@x{r}.npy --out rhs=@y.npy --out sizes=@s.npy",
       rings + "--lhs @x{r}.npy --rhs @y.npy --sizes @s.npy");
  same("ep-gmm --m 8 --k 4 --n 4 --groups 4 --out lhs=@x.npy --out rhs=@y.npy --out sizes=@s.npy",
       "ep-gmm --lhs @x.npy --rhs @y.npy --sizes @s.npy");
  same(
      "ring-of-experts --m 8 --k 4 --n 4 --groups 4 --out lhs=@x.npy --out rhs=@y.npy "
      "--out experts=@e.npy --out weights=@w{d}.npy",
      "ring-of-experts --lhs @x.npy --rhs @y.npy --experts @e.npy --weights @w{d}.npy");
  same(
      "ragged-all-to-all --devices 2 --traffic 2,1/3,4 --n 4 --out lhs=@x.npy "
      "--out existing=@y.safetensors#e{d}",
      "ragged-all-to-all --devices 2 --traffic 2,1/3,4 --lhs @x.npy "
      "--existing @y.safetensors#e{d}");
}

// Rows of lhs that belong to no group are zero in the result, as in gmm.
TEST_F(DeviceFiles, sizes_say_the_rows_only_where_no_operand_does) {
  run_it("ep-gmm --devices 2 --m 9 --k 4 --n 4 --groups 2 --out lhs=@x.npy --out rhs=@y.npy");
  const std::string sharded = "sharded-gmm --devices 2 --group-sizes 3,4 ";
  run_it(sharded + "--k 4 --n 4 --out sizes=@s.npy --out rhs=@z.npy");
  run_it(sharded + "--m 9 --k 4 --n 4 --out lhs=@w.npy");
  const std::string out =
      run_it("sharded-gmm --devices 2 --sizes @s.npy --lhs @w.npy --rhs @z.npy");
  EXPECT_NE(out.find("m 9, k 4, n 4, groups 2"), std::string::npos) << out;
  EXPECT_NE(run_it(sharded + "--lhs @w.npy --rhs @y.npy --groups 3", 2)
                .find("--groups gives 3, and --group-sizes lists 2"),
            std::string::npos);
}

TEST_F(DeviceFiles, so_do_the_operations_of_one_device) {
  same("gmm --group-sizes 3,0,4 --k 8 --n 8 --out lhs=@x.npy --out rhs=@y.npy --out sizes=@s.npy",
       "gmm --lhs @x.npy --rhs @y.npy --sizes @s.npy");
  same("tgmm --group-sizes 3,4 --k 8 --n 8 --out lhs=@x.npy --out rhs=@y.npy",
       "tgmm --group-sizes 3,4 --lhs @x.npy --rhs @y.npy");
  same("ragged-dot --group-sizes 3,4 --k 8 --n 8 --out lhs=@x.npy --out rhs=@y.npy",
       "ragged-dot --group-sizes 3,4 --lhs @x.npy --rhs @y.npy --contracting 1/1 --group-axis 0");
}

TEST_F(DeviceFiles, a_file_for_one_device_replaces_its_part_of_the_file_for_all) {
  run_it("right-permute --devices 2 --m 8 --n 128 --out lhs=@all.npy");
  run_it("right-permute --devices 2 --m 8 --n 128 --seed 1 --out lhs=@own{d}.npy");
  const std::string run =
      "run right_permute --devices 2 --set rings=1 --set length=2 --in ring=0,1 --in position=0,1 ";
  for (const std::string in :
       {"--in x=@all.npy --in x@1=@own1.npy ", "--in x@1=@own1.npy --in x=@all.npy "}) {
    run_it(run + in + "--out x@1=@taken.npy");
    EXPECT_EQ(bytes("taken.npy"), bytes("own1.npy")) << in;
  }
}

TEST_F(DeviceFiles, sizes_that_are_none_are_refused) {
  // A float operand instead of sizes: [devices, groups].
  run_it(
      "ring-of-experts --devices 2 --m 4 --k 4 --n 4 --groups 4 --top-k 1 "
      "--out weights=@w{d}.npy");
  const auto says = [&](const std::string& line, const std::string& text) {
    const std::string out = run_it(line, 2);
    EXPECT_NE(out.find(text), std::string::npos) << text << "\n" << out;
  };
  run_it("gmm --group-sizes 3,4 --k 1 --n 1 --dtype f32 --out sizes=@s.npy --out lhs=@x.npy");
  says("ep-gmm --devices 1 --k 4 --n 4 --sizes @x.npy", "which is for 7 devices, and there are 1");
  says("ep-gmm --devices 4 --k 4 --n 4 --sizes @w0.npy",
       "--sizes has type f32, and numbers of rows are integers");
  run_it("ragged-all-to-all --devices 2 --traffic 2,1/3,4 --n 4 --out lhs=@r{d}.npy");
  says("ragged-all-to-all --devices 1 --n 4 --sizes @s.npy --m 7",
       "the number of devices gives slices = 1, and --sizes ");
  says("ragged-all-to-all --devices 1 --slices 2 --n 4 --sizes @s.npy --m 6",
       "--sizes sends 7 rows, more than the 6 rows of a device");
  run_it("ragged-all-to-all --devices 1 --slices 2 --n 4 --sizes @s.npy");
}

TEST_F(DeviceFiles, what_does_not_fit_is_named_with_its_device) {
  run_it("all-gather --m 8 --n 4 --out lhs=@x{d}.npy --out @y.npy");
  run_it("all-gather --m 8 --n 5 --out lhs=@odd{d}.npy");
  std::filesystem::copy_file(folder_ + "odd2.npy", folder_ + "x2.npy",
                             std::filesystem::copy_options::overwrite_existing);
  const auto says = [&](const std::string& line, const std::string& text, int code = 2) {
    const std::string out = run_it(line, code);
    EXPECT_NE(out.find(text), std::string::npos) << text << "\n" << out;
  };
  says("all-gather --lhs @x{d}.npy",
       "x2.npy of device 2 holds f32(8, 5), and the file of device 0 holds f32(8, 4)");
  says("all-gather --lhs @y.npy --devices 3", "holds f32(4, 32, 4), which is for 4 devices");
  says("all-gather --lhs @x0.npy", "holds f32(8, 4) with 2 dimensions: a file for 4 devices has 3");
  says("all-gather --lhs @x{r}.npy", "expected one file per device: {d}");
  says("all-gather --lhs @odd{d}.npy --n 4", "--n gives n = 4, and --lhs ");
  says("all-gather --lhs @odd{d}.npy --dtype f16", "read for --lhs of device 0");
  says("all-gather --lhs @odd{d}.npy --out @odd1.npy", "--out would replace ");
  says("all-gather --lhs @odd{d}.npy --out x=@a.npy", "--out: there is no x; there are out, lhs");
  says("all-gather --lhs @odd{d}.npy --fill normal", "--fill changes nothing in this call");
  says("ragged-all-to-all --devices 4 --n 4 --sizes @y.npy",
       "holds f32(4, 32, 4) with 3 dimensions: a file for 4 devices has 2");
  says("ep-gmm --devices 2 --k 4 --n 4 --groups 8 --sizes @none.npy", "cannot open ", 3);
  says("all-gather --m 8 --n 4 --out @a.npy --out @a.npy", "--out and --out both write ");
}

}  // namespace
}  // namespace tessera::cli
