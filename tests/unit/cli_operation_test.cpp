// The command that every operation has: a wrong result is a finding with its device, element and
// replay, whichever the operation.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli.h"
#include "cli/operations/collective.h"
#include "kernels/collective/ring_collectives.h"
#include "kernels/oracle/check_collective.h"

namespace tessera::cli {
namespace {

constexpr std::int64_t rows = 4, columns = 8;

// A copy of the operands with one element of device 2 changed: what is judged by it is wrong.
std::vector<Tensor> spoilt(const Collective::Tensors& x) {
  std::vector<Tensor> copy;
  for (const Tensor& tensor : x) copy.push_back(tensor.clone());
  copy[2].set(3 * columns + 5, copy[2].at(3 * columns + 5) + 1);
  return copy;
}

template <typename Launches, typename Judges>
Expected<OperationCall> wrong(const Arguments& arguments, std::int64_t m, Launches launch,
                              Judges judge) {
  Collective collective;
  CollectiveReader read(arguments);
  read.begin(collective);
  if (!read.ok()) return read.diags();
  const auto& x = read.fill(collective, DType::f32, {m, columns}, FillRole::lhs, read.length());
  collective.shape = {{"m", m}, {"n", columns}};
  collective.dtype = DType::f32;
  collective.types = "f32";
  Expected<Launch> made = launch(x, read.rings(), collective.options);
  if (!made) return made.diags();
  collective.launch = *std::move(made);
  collective.judge = [x = std::make_shared<const std::vector<Tensor>>(spoilt(x)),
                      rings = std::make_shared<Tensor>(read.rings().clone()),
                      judge](const Launch& done, const CheckOptions& how) {
    return judge(*x, *rings, done, how);
  };
  return as_call(std::move(collective));
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
  // Device 3 has what device 2 held.
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

// Judged by the blocks of a ring's places together, told by the device that holds the element.
TEST(Operations, a_wrong_element_of_joined_results_is_told_where_it_lies) {
  const Ran ran = run_wrong(wrong_scatter, {"--rings", "3,2/1,0", "--json"});
  const auto json = ran.json();
  ASSERT_EQ(json["findings"].size(), 1u) << ran.out;
  // Of 16 rows each place has 8; row 3 is place 0 of the ring of devices 3 and 2.
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

}  // namespace
}  // namespace tessera::cli
