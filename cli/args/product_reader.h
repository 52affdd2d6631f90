// What the commands of products of two tensors of any axes read alike: shapes or the extents of the
// plain form, axes, and how the product is computed.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/operation_options.h"
#include "cli/operations/operation_call.h"

namespace tessera::cli {

class ProductReader {
 public:
  explicit ProductReader(const Arguments& arguments) : arguments_(arguments) {}

 protected:
  using Axes = std::vector<std::int64_t>;

  // Where it runs, and the seed.
  Expected<void> begin();
  void complain(std::string text) { diags_.push_back(error(std::move(text))); }
  void take(const Diags& diags) { diags_.insert(diags_.end(), diags.begin(), diags.end()); }

  // An extent of the plain form, which must be given.
  std::int64_t extent_of(std::string_view option);
  std::optional<Axes> list(std::string_view option, std::string_view text);
  // --OPTION L/R: axes of lhs and of rhs.
  void pair(std::string_view option, std::string_view text, Axes& left, Axes& right);
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
    options.preferred_element_type =
        dtype_option(arguments_, "out-dtype", result_types, diags_).value_or(DType::f32);
    options.precision = precision_option(arguments_, diags_);
    if (const auto tiling = tiling_option(arguments_, diags_)) options.tiling = *tiling;
    options.input_buffer_count =
        arguments_.integer("buffers", diags_, 1, max_window_depth).value_or(2);
    call_.has_given_config = arguments_.has("tiling") || arguments_.has("buffers");
    options.device = std::string(call_.request.device_name());
    if (const auto offset = arguments_.integer("group-offset", diags_)) {
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
  void describe(std::string_view lhs_type, std::string_view rhs_type, DType out_dtype,
                const Shape& out, const std::vector<std::int64_t>& group_sizes);
  // The same where `groups` tells the groups in words.
  void describe(std::string_view lhs_type, std::string_view rhs_type, DType out_dtype,
                const Shape& out, const std::string& groups);

  const Arguments& arguments_;
  OperationCall call_;
  Shape lhs_shape_, rhs_shape_;
  Diags diags_;
};

// The rows of these commands' option tables that are alike, after those of the product itself.
Options product_options(Options own);

}  // namespace tessera::cli
