#include "kernels/grouped_gemm/paths.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "core/report/try.h"

namespace tessera {
namespace {

constexpr const char* enforce_variable = "NVTE_JAX_ENFORCE_V2_GROUPED_GEMM";

Expected<bool> enforces_v2() {
  const char* const text = std::getenv(enforce_variable);
  if (!text) return false;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0')
    return error(fmt::format("{} must be an integer (0 or 1), got: {}", enforce_variable, text));
  return value != 0;
}

}  // namespace

// The single kernel requires groups that are rows of one matrix. Unlike TransformerEngine's kernel,
// it does not require multiples of 128 for MXFP8: it reads scales next to the elements, not in
// tiles of 128, and accepts any groups.
Support v2_support(const GroupedGemmCall& call) {
  for (const auto& [tensor, whose] : {std::pair{&call.lhs, "lhs"}, std::pair{&call.rhs, "rhs"}})
    if (GroupedTensor::ragged(tensor->last_dims))
      return {false, fmt::format("{} is ragged in its last dims: its groups are matrices of "
                                 "different row lengths, not rows of one matrix",
                                 whose)};
  return {};
}

Diag idle_async() {
  return error("use_async_d2h_group_sizes is for path V1, which this call does not take");
}

Expected<void> run_on_path(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                           GroupedGemmRun& result) {
  const Support v2 = v2_support(call);
  if (!v2.ok && TRY(enforces_v2())) {
    return error(ErrorCode::runtime,
                 fmt::format("The TE V2 grouped GEMM is not supported for the given input "
                             "parameters, but {} is enabled. The reason for V2 grouped GEMM not "
                             "being supported: {}",
                             enforce_variable, v2.reason));
  }
  if (!v2.ok && options.path == GroupedGemmPath::V2) {
    return error(ErrorCode::unsupported, fmt::format("the path V2 cannot run this: {}", v2.reason));
  }
  const bool first = options.path == GroupedGemmPath::V1 || !v2.ok;
  if (options.use_async_d2h_group_sizes && !first) return idle_async();
  constexpr std::int64_t max_fetched = 1024;
  if (options.use_async_d2h_group_sizes && call.product.groups() > max_fetched) {
    return error(
        fmt::format("num_gemms {} exceeds the maximum supported number {} to be "
                    "downloaded in advance.",
                    call.product.groups(), max_fetched));
  }
  result.path = first ? GroupedGemmPath::V1 : GroupedGemmPath::V2;
  result.why_not_v2 = v2.reason;
  return first ? run_v1(call, options, result) : run_v2(call, options, result);
}

}  // namespace tessera
