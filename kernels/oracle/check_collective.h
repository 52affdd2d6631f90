// Checks the results of collectives on all devices: products and sums by the a-priori bound, moved
// rows bit for bit.
#pragma once  // public
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"
#include "kernels/oracle/verdict.h"

namespace tessera {

// Tensors of equal shapes side by side: along rows (0) or columns (1) of matrices.
Tensor joined(std::span<const Tensor* const> parts, int dim);
// What the devices of one ring hold, in the order of their places.
using Held = std::function<const Tensor&(std::size_t device)>;
Tensor joined(const Tensor& rings, std::int64_t ring, int dim, const Held& held);

// One for all devices: the worst, its message naming the device; the rows of all.
Verdict together(const std::vector<Verdict>& devices, std::string_view what = "device");
// The same of rings, each judged by the results of its places one after the other, of equal shapes:
// with the device of the worst element.
Verdict together_on_rings(const std::vector<Verdict>& of_rings, const Tensor& rings,
                          const Launch& done);

// out = a . b (or a . transpose(b)), sums in any order. wire: sums may travel in this type `hops`
// times.
struct ProductCheck {
  const Tensor* a = nullptr;
  const Tensor* b = nullptr;
  bool transpose_b = false;
  DType wire = DType::f32;
  std::int64_t hops = 0;
};
Verdict check_product(const ProductCheck& product, const Tensor& out, const CheckOptions& options);
// out = the sum of matrices of its shape, in any order.
Verdict check_sum(std::span<const Tensor* const> parts, const Tensor& out,
                  const CheckOptions& options);
// out = expected, element by element.
Verdict check_same(const Tensor& expected, const Tensor& out, const CheckOptions& options);

// The results of a launch, device by device: a gathered over its ring along `dim` times the
// device's own b.
struct Gathered {
  int dim = 1;
  bool transpose_b = false;
};
Verdict check_gathered(std::span<const Tensor> a, std::span<const Tensor> b, const Tensor& rings,
                       const Launch& done, const Gathered& gathered, const CheckOptions& options);

// A verdict for each device of the rings, put together.
using JudgePlace =
    std::function<Verdict(std::int64_t ring, std::int64_t place, std::size_t device)>;
Verdict on_every_place(const Tensor& rings, const JudgePlace& judge);

}  // namespace tessera
