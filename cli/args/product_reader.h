// Common part of the commands that multiply two tensors of any axes: shapes or the extents of the
// plain form, axes, and options of the computation.
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

  // Reads the run request and the seed into the call. Fails like run_request(). Call it first.
  Expected<void> begin();
  // Returns an extent of the plain form; 0, with an error, if it is not given.
  std::int64_t extent_of(std::string_view option);
  // Parse a list of integers of at least 0; none, with an error, for other text. option: the option
  // with this list, by default its value.
  std::optional<Axes> list(std::string_view option, std::string_view text);
  std::optional<Axes> list(std::string_view option) { return list(option, text(option)); }
  // Parses --OPTION L/R: axes of lhs and axes of rhs. Adds an error for other text.
  // left, right: output; a malformed list is empty.
  void pair(std::string_view option, Axes& left, Axes& right);
  // True if at least one operand shape is given, by a file or an option.
  bool has_shapes(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs) const;
  // Adds the error "--OPTION why" for each of these options that is given.
  void refuse(std::span<const std::string_view> options, std::string_view why);
  // Sets the operand shapes from the files, from --lhs-shape and --rhs-shape, or from the defaults.
  // Adds an error if a shape has no source, or both a file and an option.
  // lhs_else, rhs_else: the defaults; none: a file or an option is required.
  void read_shapes(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs,
                   const std::optional<Shape>& lhs_else = {},
                   const std::optional<Shape>& rhs_else = {});
  // Returns the number of products in a sum over these axes of lhs; other axes than those of its
  // shape are ignored. Requires read_shapes().
  std::int64_t terms(const Axes& lhs_contracting) const;
  // Reads the options with the same name in all products: --out-dtype, --precision, --tiling,
  // --buffers, --group-offset and the device. result_types: accepted values of --out-dtype; it
  // defaults to f32. group_offset: storage for the offset, which `options` points to.
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
  // Adds an operand that --out can save.
  void name_operand(const char* name, std::shared_ptr<const Tensor> tensor) {
    call_.operands.push_back({name, Per::device, {std::move(tensor)}});
  }
  // Adds shapes, groups and types to the report of the call.
  void describe(DType lhs, DType rhs, DType out_dtype, const Shape& out, const std::string& groups);
  // Sets the launch function of the call to `run`, with the options in `state` and the machine of
  // the request.
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

// Appends the options common to these commands to the options of the product itself.
Options product_options(Options own);

}  // namespace tessera::cli
