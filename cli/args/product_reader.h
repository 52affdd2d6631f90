// What the commands of products of two tensors of any axes read alike: shapes or the extents of the
// plain form, axes, and how the product is computed.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/operation_reader.h"
#include "cli/operations/operation_call.h"

namespace tessera::cli {

class ProductReader : protected OperationReader {
 public:
  using OperationReader::OperationReader;

 protected:
  using Axes = std::vector<std::int64_t>;

  // Where it runs, and the seed.
  Expected<void> begin();
  // An extent of the plain form, which must be given.
  std::int64_t extent_of(std::string_view option);
  // Numbers of at least 0.
  std::optional<Axes> list(std::string_view option, std::string_view text);
  std::optional<Axes> list(std::string_view option) { return list(option, text(option)); }
  // --OPTION L/R: axes of lhs and of rhs.
  void pair(std::string_view option, Axes& left, Axes& right);
  // Whether the operands' shapes are given, by files or by options.
  bool has_shapes(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs) const;
  // Refuses the options that are given.
  void refuse(std::span<const std::string_view> options, std::string_view why);
  // The shapes, of the files or of --lhs-shape and --rhs-shape, or else these.
  void read_shapes(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs,
                   const std::optional<Shape>& lhs_else = {},
                   const std::optional<Shape>& rhs_else = {});
  // How many products a sum over these axes of lhs has.
  std::int64_t terms(const Axes& lhs_contracting) const;
  // --out-dtype, --precision, --tiling, --buffers, --group-offset and the device, which the options
  // of all products name alike; `group_offset` holds the offset's value.
  template <typename ProductOptions>
  void read_product(std::span<const std::string_view> result_types, ProductOptions& options,
                    Tensor& group_offset) {
    options.preferred_element_type = type("out-dtype", result_types).value_or(DType::f32);
    options.precision = precision();
    if (const auto sides = tiling()) options.tiling = *sides;
    options.input_buffer_count = optional("buffers", 1, max_window_depth).value_or(2);
    call_.has_given_config = has("tiling") || has("buffers");
    options.device = std::string(call_.request.device_name());
    if (const auto offset = optional("group-offset")) {
      group_offset = Tensor(DType::i32, {1});
      group_offset.set(0, static_cast<double>(*offset));
      options.group_offset = &group_offset;
    }
  }
  // An operand that --out can save.
  void name_operand(const char* name, std::shared_ptr<const Tensor> tensor) {
    call_.operands.push_back({name, Per::device, {std::move(tensor)}});
  }
  // The call's shapes, groups and types, for its report.
  void describe(DType lhs, DType rhs, DType out_dtype, const Shape& out, const std::string& groups);
  // The function that launches the product by `run`, with its options and those of the machine.
  template <typename State, typename Run>
  void set_launch(const std::shared_ptr<State>& state, Run run) {
    call_.launch = [state, run, machine = call_.request.profile.machine](
                       const RunOptions& how) -> Expected<OperationRun> {
      auto options = state->options;
      options.run = {machine, &how};
      auto result = run(*state, options);
      if (!result) return result.diags();
      return operation_run(static_cast<GroupedMatmulRun&&>(*std::move(result)),
                           options.input_buffer_count);
    };
  }

  OperationCall call_;
  Shape lhs_shape_, rhs_shape_;
};

// The rows of these commands' option tables that are alike, after those of the product itself.
Options product_options(Options own);

}  // namespace tessera::cli
