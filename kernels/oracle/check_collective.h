// Checks the results of collectives on all devices: products and sums by a proven error bound
// (kernels/oracle/verdict.h), moved rows bit for bit, except for the payloads of NaN.
#pragma once  // public
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"
#include "kernels/oracle/verdict.h"

namespace tessera {

// Concatenates matrices of equal shapes along rows (dim 0) or columns (dim 1).
Tensor joined(std::span<const Tensor* const> parts, int dim);
// The tensor of a device, by its number.
using Held = std::function<const Tensor&(std::size_t device)>;
// Concatenates what the devices of one ring hold, in the order of their places.
Tensor joined(const Tensor& rings, std::int64_t ring, int dim, const Held& held);

// One verdict for all devices: the worst one, with its device in the message, and the number of all
// checked rows. `what` names what the list counts.
Verdict together(const std::vector<Verdict>& devices, std::string_view what = "device");
// The same for rings, each judged by the concatenation of the results of its places, which have
// equal shapes; the device of the worst element is in the verdict.
Verdict together_on_rings(const std::vector<Verdict>& of_rings, const Tensor& rings,
                          const Launch& done);

// A product whose sums may be made in any order.
struct ProductCheck {
  const Tensor* a = nullptr;  // [m, k]
  const Tensor* b = nullptr;  // [k, n], or [n, k]
  bool transpose_b = false;   // b is [n, k]
  DType wire = DType::f32;    // type in which partial sums travel
  std::int64_t hops = 0;      // how often they travel, and are rounded to it
};
// out = a . b, or a . transpose(b).
Verdict check_product(const ProductCheck& product, const Tensor& out, const CheckOptions& options);
// out = the sum of matrices of its shape, added in any order.
Verdict check_sum(std::span<const Tensor* const> parts, const Tensor& out,
                  const CheckOptions& options);
// out = expected: each element must be equal.
Verdict check_same(const Tensor& expected, const Tensor& out, const CheckOptions& options);

// How an all-gather matmul gathers.
struct Gathered {
  int dim = 1;               // dimension of a that is sharded: rows (0) or columns (1)
  bool transpose_b = false;  // b is [n, k]
};
// The results of a launch that ran: on each device a, gathered over its ring, times the device's
// own b.
Verdict check_gathered(std::span<const Tensor> a, std::span<const Tensor> b, const Tensor& rings,
                       const Launch& done, const Gathered& gathered, const CheckOptions& options);

// A verdict for each device of the rings, put together.
using JudgePlace =
    std::function<Verdict(std::int64_t ring, std::int64_t place, std::size_t device)>;
Verdict on_every_place(const Tensor& rings, const JudgePlace& judge);

}  // namespace tessera
