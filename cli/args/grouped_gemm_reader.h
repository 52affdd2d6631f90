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

  // The file of --lhs or --rhs; one that has scales in a file is of a quantised type.
  std::optional<Tensor> operand_file(std::string_view whose, std::optional<DType> dtype);
  // Sizes of --OPTION LIST|@FILE; none where it is not given.
  DimSizes dims(std::string_view option);
  DimSizes sizes_of(std::string_view option, const Axes& sizes);
  // Sets lhs's first dims to --group-sizes or --sizes. False if they are an error.
  bool read_sizes(std::optional<std::int64_t> rows);
  // m, k, n of a product or of one of its gradients.
  void plain_form();
  // Returns the kind, from --kind and --transpose-rhs, and sets the axes for generated, saved and
  // read operands: lhs [m, k] (dgrad: [m, n]) and weights [groups, k, n] or [groups, n, k]. Both
  // operands of wgrad have m rows.
  std::size_t contract_plainly();
  // Shapes, axes and dims of their own.
  void free_form(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs);
  // --group-sizes or --sizes of a call with shapes: lhs's first dims, and where it contracts these,
  // rhs's contracted ones.
  void sizes_of_first_dims();
  // Those of files, or filled.
  void operands(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs);
  // How the operands are quantised, or the scales of those that are.
  void scaling();
  void given_scales(ScalingMode mode);
  // The operands as they are multiplied, and what there is to tell of their scales.
  void quantise();
  void name_scales();
  // One number for all groups, or one for each, of LIST|@FILE.
  std::optional<Tensor> numbers(std::string_view option, std::int64_t groups);
  std::optional<Tensor> numbers_file(std::string_view option);
  // alpha, beta with C, and the bias.
  void linear_terms();
  void bias(const GroupedGemmShape& shape);
  // A tensor that is added to the product: of a file, or filled.
  Tensor added(std::optional<Tensor> file, DType dtype, const Shape& shape, std::uint64_t stream);
  // The groups in words, where more than rows or the contraction differs.
  std::string packed_groups(const GroupedGemmShape& shape);
  // What the call tells of itself, and the functions that launch and judge it.
  Expected<OperationCall> finish();

  std::shared_ptr<State> state_ = std::make_shared<State>();
  // Before they are quantised, where that is done here.
  std::shared_ptr<const Tensor> lhs_made_, rhs_made_;
  float lhs_seen_ = 0, rhs_seen_ = 0;  // largest elements of the call before
};

}  // namespace tessera::cli
