// Operands of a grouped GEMM: the matrices of all groups one after the other, with their extents
// and their scales. After TransformerEngine's GroupedNoScaleTensor and GroupedScaledTensor1x.
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

// Sizes of the groups along one collapsed axis, i32 [groups]; none, or of no elements, where the
// groups are equal.
using DimSizes = std::shared_ptr<const Tensor>;

struct GroupedTensor {
  std::shared_ptr<const Tensor> data;  // as many elements as original_shape
  // Of tensor scaling f32 [groups]; of MXFP8 e8m0, flat: a group's matrix of scales after the
  // other's, each [extent that is not contracted, blocks] and swizzled
  // (kernels/grouped_gemm/scaling.h). None without scaling.
  std::shared_ptr<const Tensor> scale_inv;
  DimSizes first_dims, last_dims;  // extents of the leading, the trailing collapsed axis
  Shape original_shape;
  ScalingMode mode = ScalingMode::NoScaling;
  DType dq_dtype = DType::bf16;  // what the elements stand for
  bool pre_swizzled = false;     // MXFP8: the scales lie as tensor cores read them

  bool is_ragged() const { return ragged(first_dims) || ragged(last_dims); }
  static bool ragged(const DimSizes& sizes) { return sizes && sizes->elements() > 0; }
};

DimSizes dim_sizes(const std::vector<std::int64_t>& sizes);

// Elements that stand for themselves; the shape is that of the data. Without data it is a tensor
// that every operation refuses.
GroupedTensor no_scale_tensor(std::shared_ptr<const Tensor> data, DimSizes first_dims = nullptr,
                              DimSizes last_dims = nullptr);

// The matrix that an operand is when its axes are merged on both sides of `boundary`, cut into the
// groups' matrices.
struct GroupedMatrix {
  std::int64_t left = 1, right = 1;  // of the whole
  struct Group {
    std::int64_t offset = 0;  // elements before it
    std::int64_t left = 0, right = 0;
  };
  std::vector<Group> groups;
};

// Whether the tensor is such a matrix: data of its shape's elements, a boundary among its axes,
// sizes of `groups` groups along one side at most that fit into its extent. `whose` names it.
Expected<void> check_grouped_tensor(std::string_view whose, const GroupedTensor& tensor,
                                    std::int64_t boundary, std::int64_t groups);
// Of one that is; `groups` equal groups where it is not ragged: blocks along axis 0.
GroupedMatrix grouped_matrix(const GroupedTensor& tensor, std::int64_t boundary,
                             std::int64_t groups);

// How the elements of an operand are to be scaled.
struct QuantizeSpec {
  ScalingMode mode = ScalingMode::CurrentTensor;
  DType dtype = DType::e4m3;
  std::vector<float> delayed_scales;  // DelayedTensor: one for each group
};
// Quantises the groups of an operand whose axes are merged at `boundary`; its contraction is along
// the trailing axis (rows of scales) or the leading one. The sizes stay with it. NVFP4 is refused
// with its reason; MXFP8 needs contracted extents of every group that 32 divides.
Expected<GroupedTensor> quantize_grouped(const GroupedTensor& tensor, std::int64_t boundary,
                                         std::int64_t groups, MxAlong along,
                                         const QuantizeSpec& spec);

// Whether the scales are those of its mode, one for each group or 32 elements.
Expected<void> check_scales(std::string_view whose, const GroupedTensor& tensor,
                            const GroupedMatrix& matrix, MxAlong along);
// The elements' values in f32: what the reference multiplies, and gradients are taken of.
Expected<Tensor> dequantize_grouped(const GroupedTensor& tensor, std::int64_t boundary,
                                    std::int64_t groups, MxAlong along);
// The scales of one group's matrix, as quantize_mx gives them; of an operand that was checked.
Tensor group_scales(const GroupedTensor& tensor, const GroupedMatrix& matrix, std::size_t group,
                    MxAlong along);

}  // namespace tessera
