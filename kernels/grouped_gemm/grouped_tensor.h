// Operands of a grouped GEMM: the matrices of all groups, adjacent in memory, with their extents
// and scales. Follows GroupedNoScaleTensor and GroupedScaledTensor1x of TransformerEngine.
#pragma once  // public
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/grouped_gemm/scaling.h"

namespace tessera {

// Extent of each group along one merged axis, i32 [groups]. Null or without elements: all groups
// have the same extent.
using DimSizes = std::shared_ptr<const Tensor>;

// One operand. Its axes are merged into a matrix, which is divided into groups along the left or
// right axis.
struct GroupedTensor {
  std::shared_ptr<const Tensor> data;  // elements(original_shape) elements
  // Factors that convert elements to values. Tensor scaling: f32 [groups]. MXFP8: e8m0, flat; the
  // swizzled scale matrices of all groups, each [extent that is not contracted, blocks]
  // (kernels/grouped_gemm/scaling.h). Null without scaling.
  std::shared_ptr<const Tensor> scale_inv;
  // Extents of the groups along the left and the right merged axis. A tensor with both is packed:
  // its groups are matrices of any shapes, first_dims[g] x last_dims[g], stored one after another
  // in a tensor of shape (1, elements).
  DimSizes first_dims, last_dims;
  Shape original_shape;                       // extents before axes are merged
  ScalingMode mode = ScalingMode::NoScaling;  // kind of scale_inv
  DType dq_dtype = DType::bf16;               // type of the scaled values
  bool pre_swizzled = false;                  // MXFP8: scales are in the layout of tensor cores

  // True if the groups differ: along any axis; along both axes; along the axis of `sizes`.
  bool is_ragged() const { return ragged(first_dims) || ragged(last_dims); }
  bool is_packed() const { return ragged(first_dims) && ragged(last_dims); }
  static bool ragged(const DimSizes& sizes) { return sizes && sizes->elements() > 0; }
};

// Converts sizes, which must fit into i32, to a tensor i32 [groups].
DimSizes dim_sizes(const std::vector<std::int64_t>& sizes);

// Returns an operand without scales, with the shape of `data`. If `data` is null, every operation
// rejects the operand.
GroupedTensor no_scale_tensor(std::shared_ptr<const Tensor> data, DimSizes first_dims = nullptr,
                              DimSizes last_dims = nullptr);

// An operand as a matrix: axes before `boundary` are merged into the left one, the others into the
// right one.
struct GroupedMatrix {
  std::int64_t left = 1, right = 1;  // extents of the whole matrix
  // Matrix of one group.
  struct Group {
    std::int64_t offset = 0;           // first element in the data, in elements
    std::int64_t left = 0, right = 0;  // extents
  };
  std::vector<Group> groups;  // in the order of the data
};

// Checks that the tensor is such a matrix: its data has as many elements as its shape, the boundary
// is in 0 .. rank, and the sizes of `groups` groups fit into the extent, or fill a packed tensor.
// whose: name of the tensor in errors.
Expected<void> check_grouped_tensor(std::string_view whose, const GroupedTensor& tensor,
                                    std::int64_t boundary, std::int64_t groups);
// Checks that a packed tensor has shape (1, elements) and that its groups fill it without negative
// sizes. The sizes must be i32, one for each group, which is not checked. Accepts tensors that are
// not packed.
Expected<void> check_packed(std::string_view whose, const GroupedTensor& tensor);
// Returns the matrix of a tensor that check_grouped_tensor accepts. A tensor that is not ragged has
// `groups` equal groups: blocks along axis 0.
GroupedMatrix grouped_matrix(const GroupedTensor& tensor, std::int64_t boundary,
                             std::int64_t groups);

// Quantisation of an operand.
struct QuantizeSpec {
  ScalingMode mode = ScalingMode::CurrentTensor;  // how scales are computed
  DType dtype = DType::e4m3;                      // of the elements: e4m3 or e5m2
  // DelayedTensor: factor of each group's elements [groups], finite and above 0.
  std::vector<float> delayed_scales;
  Overflow overflow = Overflow::saturate;            // for elements beyond the largest number
  ScaleRounding scale_rounding = ScaleRounding::up;  // for MXFP8's scales; other modes require up
};
// Quantises an operand without scales group by group. Its axes are merged at `boundary`. along:
// side of the contraction; `rows`: the right axis is contracted, `columns`: the left one. The sizes
// do not change; the scales of MXFP8 are swizzled. Returns the operand unchanged for NoScaling.
// Fails with ErrorCode::unsupported for NVFP4, with ErrorCode::invalid_type for an operand that has
// scales and a type other than e4m3 and e5m2, like check_grouped_tensor, if spec.delayed_scales or
// spec.scale_rounding do not fit, and for MXFP8 like check_mx_blocks.
Expected<GroupedTensor> quantize_grouped(const GroupedTensor& tensor, std::int64_t boundary,
                                         std::int64_t groups, MxAlong along,
                                         const QuantizeSpec& spec);

// Checks that the contracted extent of every group is a multiple of 32, the number of elements that
// share an MXFP8 scale. Errors have the operand's name `whose` and the group.
Expected<void> check_mx_blocks(std::string_view whose, const GroupedMatrix& matrix, MxAlong along);
// Checks that scale_inv is null without scaling, otherwise flat, of the type that the mode
// requires, with enough elements: a scale for each group, or for MXFP8 the padded scale matrices of
// all groups (swizzled()). Fails for MXFP8 like check_mx_blocks, and with ErrorCode::unsupported
// for NVFP4. f32 scales of groups with elements must be finite and above 0.
Expected<void> check_scales(std::string_view whose, const GroupedTensor& tensor,
                            const GroupedMatrix& matrix, MxAlong along);
// Returns the MXFP8 tensor with its scales in the layout of tensor cores. The given scales must not
// be swizzled. Their shape is the tensor's shape with the contracted axis (the last one if there
// are several) divided by 32; for a packed tensor it is (1, elements / 32). Fails for other scales,
// and like check_grouped_tensor and check_mx_blocks.
Expected<GroupedTensor> swizzle_grouped(std::string_view whose, const GroupedTensor& tensor,
                                        std::int64_t boundary, std::int64_t groups, MxAlong along);
// Returns the values of the elements, f32 of the data's shape: element times scale. MXFP8 scales
// must be swizzled. Fails like check_grouped_tensor and check_scales.
Expected<Tensor> dequantize_grouped(const GroupedTensor& tensor, std::int64_t boundary,
                                    std::int64_t groups, MxAlong along);
// MXFP8: returns the scales of one group, not swizzled, in the format of quantize_mx. The tensor
// must be accepted by check_scales.
Tensor group_scales(const GroupedTensor& tensor, const GroupedMatrix& matrix, std::size_t group,
                    MxAlong along);

}  // namespace tessera
