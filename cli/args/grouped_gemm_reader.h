// Creates the call of the command grouped-gemm from its options.
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

  // Reads all options and files, and returns the call. Fails with the errors of the first step that
  // has any. Call it once: the call takes the data of this object.
  Expected<OperationCall> read();

 private:
  // Data that the functions of the call refer to.
  struct State {
    GroupedTensor lhs, rhs;
    Tensor alpha, beta, c, bias, group_offset;
    GroupedGemmOptions options;
  };

  // Reads the file of --lhs or --rhs; none without the option, or if there is an error. It has a
  // quantised type if the scales are given in a file. whose: "lhs" or "rhs".
  std::optional<Tensor> operand_file(std::string_view whose, std::optional<DType> dtype);
  // Reads sizes from --OPTION LIST|@FILE; null if the option is not given, or if there is an error.
  DimSizes dims(std::string_view option);
  // Returns these sizes; null, with an error, if one exceeds int32. option: for the error.
  DimSizes sizes_of(std::string_view option, const Axes& sizes);
  // Sets the first dims of lhs from --group-sizes or --sizes. rows: total number of rows; required
  // if the sizes are drawn at random. False if there is an error.
  bool read_sizes(std::optional<std::int64_t> rows);
  // Reads the form with m, k and n, for a product or one of its gradients.
  void plain_form();
  // Returns the kind, from --kind and --transpose-rhs, and sets the axes for generated, saved and
  // read operands: lhs [m, k] (dgrad: [m, n]) and weights [groups, k, n] or [groups, n, k]. Both
  // operands of wgrad have m rows.
  std::size_t contract_plainly();
  // Reads the form with shapes, axes and dims.
  void free_form(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs);
  // Reads --group-sizes or --sizes of a call with shapes as the first dims of lhs. If lhs contracts
  // its first axis, they are also the dims of the contracted axis of rhs.
  void sizes_of_first_dims();
  // Sets the operands, from files or filled.
  void operands(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs);
  // Reads how to quantise the operands, or the scales of quantised operands (given_scales()).
  void scaling();
  // Reads the scales of operands that are already quantised.
  void given_scales(ScalingMode mode);
  // Quantises the operands if scaling() requires it, and keeps the operands before it for --out.
  void quantise();
  // Adds the quantised operands and their scales, if any, to the operands for --out and the report.
  void name_scales();
  // Reads finite numbers from --OPTION LIST|@FILE; a listed single number is repeated for all
  // groups. The count of others is not checked. None without the option, or if there is an error.
  std::optional<Tensor> numbers(std::string_view option, std::int64_t groups);
  std::optional<Tensor> numbers_file(std::string_view option);
  // Reads alpha, beta with C, and the bias.
  void linear_terms();
  void bias(const GroupedGemmShape& shape);
  // Returns a tensor to be added to the product: the file, or one that --fill fills. stream:
  // selects the random sequence, in addition to --seed.
  Tensor added(std::optional<Tensor> file, DType dtype, const Shape& shape, std::uint64_t stream);
  // Describes the groups of packed operands, in which more than the rows or the contraction varies.
  std::string packed_groups(const GroupedGemmShape& shape);
  // Completes the call: its report, and the functions that launch and check it.
  Expected<OperationCall> finish();

  std::shared_ptr<State> state_ = std::make_shared<State>();
  // Operands before they are quantised.
  std::shared_ptr<const Tensor> lhs_made_, rhs_made_;
  // With delayed scaling: largest magnitudes in the previous call.
  float lhs_seen_ = 0, rhs_seen_ = 0;
};

}  // namespace tessera::cli
