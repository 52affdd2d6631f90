// Operands of a grouped GEMM: the matrices of all groups, adjacent in memory, with their extents
// and scales. After TransformerEngine's GroupedNoScaleTensor and GroupedScaledTensor1x.
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

// Extents of the groups along one merged axis, i32 [groups]; null, or of no elements, where all
// groups have the same.
using DimSizes = std::shared_ptr<const Tensor>;

// One operand. Its axes are merged into a matrix, whose left or right axis the groups cut.
struct GroupedTensor {
  std::shared_ptr<const Tensor> data;  // the elements, as many as original_shape has
  // By which elements are multiplied to give values. Tensor scaling: f32 [groups]. MXFP8: e8m0,
  // flat, the matrices of scales of all groups, each [extent that is not contracted, blocks] and
  // swizzled (kernels/grouped_gemm/scaling.h). Null without scaling.
  std::shared_ptr<const Tensor> scale_inv;
  // Extents of the groups along the left, the right merged axis. A tensor that has both is packed:
  // its groups are matrices of any shapes, first_dims[g] x last_dims[g], one after the other in a
  // tensor of shape (1, elements).
  DimSizes first_dims, last_dims;
  Shape original_shape;                       // extents before axes are merged
  ScalingMode mode = ScalingMode::NoScaling;  // what scale_inv means
  DType dq_dtype = DType::bf16;  // type of the values that elements with scales stand for
  bool pre_swizzled = false;     // MXFP8: the scales lie as tensor cores read them

  // Whether groups differ along one of the axes; along this one.
  bool is_ragged() const { return ragged(first_dims) || ragged(last_dims); }
  bool is_packed() const { return ragged(first_dims) && ragged(last_dims); }
  static bool ragged(const DimSizes& sizes) { return sizes && sizes->elements() > 0; }
};

// The sizes as a tensor i32 [groups].
DimSizes dim_sizes(const std::vector<std::int64_t>& sizes);

// An operand without scales, of the shape of `data`. Every operation refuses one without data.
GroupedTensor no_scale_tensor(std::shared_ptr<const Tensor> data, DimSizes first_dims = nullptr,
                              DimSizes last_dims = nullptr);

// An operand as a matrix: the axes before `boundary` are merged into the left one, the others into
// the right one.
struct GroupedMatrix {
  std::int64_t left = 1, right = 1;  // extents of the whole
  // The matrix of one group.
  struct Group {
    std::int64_t offset = 0;           // of its first element in the data, in elements
    std::int64_t left = 0, right = 0;  // extents
  };
  std::vector<Group> groups;  // in the order of the data
};

// Whether the tensor is such a matrix: its data has as many elements as its shape, the boundary is
// among its axes, and the sizes of `groups` groups fit into the extent, or fill a packed tensor.
// `whose` names the tensor in errors.
Expected<void> check_grouped_tensor(std::string_view whose, const GroupedTensor& tensor,
                                    std::int64_t boundary, std::int64_t groups);
// Whether a packed tensor is of shape (1, elements), and its groups, of no negative size, fill it;
// its sizes are i32, one for each group. Other tensors pass.
Expected<void> check_packed(std::string_view whose, const GroupedTensor& tensor);
// The matrix of a tensor that check_grouped_tensor accepts. One that is not ragged has `groups`
// equal groups: blocks along axis 0.
GroupedMatrix grouped_matrix(const GroupedTensor& tensor, std::int64_t boundary,
                             std::int64_t groups);

// How the elements of an operand are to be scaled.
struct QuantizeSpec {
  ScalingMode mode = ScalingMode::CurrentTensor;  // how scales are found
  DType dtype = DType::e4m3;                      // of the elements: e4m3 or e5m2
  // DelayedTensor: the scale of each group [groups], finite and above 0; elements are multiplied by
  // it.
  std::vector<float> delayed_scales;
  Overflow overflow = Overflow::saturate;            // of elements beyond the largest number
  ScaleRounding scale_rounding = ScaleRounding::up;  // of MXFP8's scales; other modes have up
};
// Quantises an operand without scales group by group; its axes are merged at `boundary`, and
// `along` says along which one it is contracted: `rows` along the right one, `columns` along the
// left one. Its sizes stay. NVFP4 is refused with the reason; for MXFP8 32 must divide the
// contracted extent of each group.
Expected<GroupedTensor> quantize_grouped(const GroupedTensor& tensor, std::int64_t boundary,
                                         std::int64_t groups, MxAlong along,
                                         const QuantizeSpec& spec);

// Whether every group's contraction is a multiple of the 32 elements that share an MXFP8 scale; an
// error names the operand `whose` and the group.
Expected<void> check_mx_blocks(std::string_view whose, const GroupedMatrix& matrix, MxAlong along);
// Whether scale_inv has the type and the number of elements that the mode requires: a scale for
// each group, or for 32 elements; those of groups with elements are finite and above 0.
Expected<void> check_scales(std::string_view whose, const GroupedTensor& tensor,
                            const GroupedMatrix& matrix, MxAlong along);
// The tensor with scales that lie as tensor cores read them. Its own are MXFP8 ones that lie plain,
// beside the elements: of the tensor's shape with its contracted axis, the last one of several,
// divided by 32; of a packed tensor (1, elements / 32). Errors are other scales.
Expected<GroupedTensor> swizzle_grouped(std::string_view whose, const GroupedTensor& tensor,
                                        std::int64_t boundary, std::int64_t groups, MxAlong along);
// The values that the elements stand for, f32 of the same shape.
Expected<Tensor> dequantize_grouped(const GroupedTensor& tensor, std::int64_t boundary,
                                    std::int64_t groups, MxAlong along);
// MXFP8: the scales of one group, not swizzled, as quantize_mx gives them. The tensor is one that
// check_scales accepts.
Tensor group_scales(const GroupedTensor& tensor, const GroupedMatrix& matrix, std::size_t group,
                    MxAlong along);

}  // namespace tessera
