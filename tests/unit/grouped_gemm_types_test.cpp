// Element types of grouped GEMM: the library, the options and their help agree with the functions
// of types.h, for every type.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "core/data/dtype_info.h"
#include "kernels/grouped_gemm/grouped_gemm.h"
#include "kernels/grouped_gemm/types.h"

namespace tessera {
namespace {

using Names = std::vector<std::string_view>;

template <typename T>
bool succeeds(const Expected<T>& result) {
  return static_cast<bool>(result);
}

struct Outcome {
  int code = 0;
  std::string text;
};

Outcome grouped_gemm_with(std::vector<std::string> options) {
  options.insert(options.begin(), "grouped-gemm");
  std::ostringstream out, err;
  const int code = cli::run(options, out, err);
  return {code, out.str() + err.str()};
}

TEST(GroupedGemmTypes, are_those_that_the_scaling_knows_and_the_real_ones) {
  EXPECT_EQ(quantised_names(), (Names{"e4m3", "e5m2"}));
  EXPECT_EQ(grouped_gemm_operand_names(), (Names{"f32", "bf16", "f16", "e4m3", "e5m2"}));
  EXPECT_EQ(quantised_text(), "e4m3 or e5m2");
}

TEST(GroupedGemmTypes, the_library_takes_what_they_name) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(succeeds(check_quantised(dtype)), is_quantised(dtype)) << name(dtype);
    EXPECT_EQ(succeeds(DelayedScaling::make(dtype)), is_quantised(dtype)) << name(dtype);
    const GroupedTensor lhs =
        no_scale_tensor(std::make_shared<const Tensor>(dtype, Shape{16, 16}), dim_sizes({16}));
    const DType other =
        dtype == DType::e5m2 ? DType::e4m3 : dtype;  // e5m2 is only combined with e4m3
    GroupedTensor rhs = no_scale_tensor(std::make_shared<const Tensor>(other, Shape{1, 16, 16}));
    rhs.dq_dtype = lhs.dq_dtype;
    GroupedGemmOptions options;
    options.preferred_element_type = DType::f32;
    const auto shape = grouped_gemm_shape(lhs, rhs, options);
    EXPECT_EQ(succeeds(shape), is_grouped_gemm_operand(dtype)) << name(dtype);
    if (!shape) {
      EXPECT_EQ(
          shape.diags()[0].message,
          "grouped_gemm multiplies f32, bf16, f16, e4m3 and e5m2, not " + std::string(name(dtype)));
    }
  }
}

// A type that scaling does not support is bad input wherever it is used, and never an abort.
TEST(GroupedGemmTypes, the_command_takes_what_they_name) {
  for (const std::string_view type : dtype_names()) {
    const Names quantised = quantised_names(), operands = grouped_gemm_operand_names();
    const auto takes = [&](const Names& names) {
      return std::find(names.begin(), names.end(), type) != names.end();
    };
    const std::vector<std::string> plain = {"--group-sizes", "16", "--k",        "32",
                                            "--n",           "16", "--interpret"};
    for (const char* scaling : {"delayed", "current", "mxfp8"}) {
      for (const char* option : {"--lhs-quantised", "--rhs-quantised"}) {
        std::vector<std::string> words = plain;
        words.insert(words.end(), {"--scaling", scaling, option, std::string(type)});
        EXPECT_EQ(grouped_gemm_with(words).code, takes(quantised) ? 0 : 2) << scaling << type;
      }
    }
    std::vector<std::string> words = plain;
    words.insert(words.end(), {"--dtype", std::string(type)});
    const bool is_pair = type == "e5m2";  // there is no product of two e5m2
    EXPECT_EQ(grouped_gemm_with(words).code, takes(operands) && !is_pair ? 0 : 2) << type;
  }
  const std::string help = grouped_gemm_with({"--help"}).text;
  EXPECT_NE(help.find("--lhs-quantised e4m3|e5m2"), std::string::npos) << help;
  EXPECT_NE(help.find("of lhs and rhs: f32 bf16 f16 e4m3 e5m2; default bf16"), std::string::npos)
      << help;
}

}  // namespace
}  // namespace tessera
