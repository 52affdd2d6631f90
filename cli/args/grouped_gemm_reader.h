// The call of the command grouped-gemm, as its options give it.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "cli/args/product_reader.h"
#include "kernels/grouped_gemm/grouped_gemm.h"

namespace tessera::cli {

class GroupedGemmReader : ProductReader {
 public:
  using ProductReader::ProductReader;

  Expected<OperationCall> read();

 private:
  // All that the call's functions refer to.
  struct State {
    GroupedTensor lhs, rhs;
    Tensor alpha, beta, c, bias, group_offset;
    GroupedGemmOptions options;
  };

  // m, k, n of a product or of one of its gradients.
  void plain_form();
  // Shapes, axes and dims of their own.
  void free_form(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs);
  // Those of files, or filled.
  void operands(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs);
  void scaling();
  // One number for all groups, or one for each.
  std::optional<Tensor> numbers(std::string_view option, std::int64_t groups);
  // alpha, beta with C, and the bias.
  void linear_terms();
  // What the call tells of itself, and the functions that launch and judge it.
  Expected<OperationCall> finish();

  std::shared_ptr<State> state_ = std::make_shared<State>();
  float lhs_seen_ = 0, rhs_seen_ = 0;  // largest elements of the call before
};

}  // namespace tessera::cli
