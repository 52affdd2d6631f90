// Checks the results of collectives on all devices. Products and sums are compared with a proven
// error bound (kernels/oracle/verdict.h), moved rows bit for bit except for NaN payloads.
#pragma once  // public
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"
#include "kernels/oracle/verdict.h"

namespace tessera {

// Concatenates matrices of equal shapes along rows (dim 0) or columns (dim 1). Requires at least
// one.
Tensor joined(std::span<const Tensor* const> parts, int dim);
// Returns the tensor of a device, by its number.
using Held = std::function<const Tensor&(std::size_t device)>;
// Concatenates the tensors of the devices of one ring, in the order of their places.
Tensor joined(const Tensor& rings, std::int64_t ring, int dim, const Held& held);

// Combines the verdicts of all devices: the worst one, with its device in the message, the largest
// max_abs_error, and the totals of rows, wrong and overflowed elements. Without devices, an ok
// verdict without a message. what: name of the list's items.
Verdict together(const std::vector<Verdict>& devices, std::string_view what = "device");
// Combines the verdicts of rings, each on the concatenated results of its places, which have equal
// shapes. Sets Verdict::device to the device of the worst element.
Verdict together_on_rings(const std::vector<Verdict>& of_rings, const Tensor& rings,
                          const Launch& done);

// A product whose terms may be added in any order.
struct ProductCheck {
  const Tensor* a = nullptr;  // [m, k]
  const Tensor* b = nullptr;  // [k, n], or [n, k]
  bool transpose_b = false;   // b is [n, k]
  DType wire = DType::f32;    // type of partial sums sent between devices
  std::int64_t hops = 0;      // number of transfers, each of which rounds to `wire`
};
// Checks out = a . b, or a . transpose(b), in the rows that `options` select. Like for all checks
// below, shapes must fit: they are not checked.
Verdict check_product(const ProductCheck& product, const Tensor& out, const CheckOptions& options);
// Checks out = the sum of f32 or i32 matrices of its shape, added in any order.
Verdict check_sum(std::span<const Tensor* const> parts, const Tensor& out,
                  const CheckOptions& options);
// Checks out = expected, two matrices, bit for bit except for NaN payloads.
Verdict check_same(const Tensor& expected, const Tensor& out, const CheckOptions& options);

// Gather of an all-gather matmul.
struct Gathered {
  int dim = 1;               // sharded dimension of a: rows (0) or columns (1)
  bool transpose_b = false;  // b is [n, k]
};
// Checks the results of a completed launch: on each device a, gathered over its ring, times the
// device's own b. a, b and rings must be the arguments of the launch.
Verdict check_gathered(std::span<const Tensor> a, std::span<const Tensor> b, const Tensor& rings,
                       const Launch& done, const Gathered& gathered, const CheckOptions& options);

// Returns the verdict on the device at one place of a ring.
using JudgePlace =
    std::function<Verdict(std::int64_t ring, std::int64_t place, std::size_t device)>;
// Calls `judge` for each place, ring by ring, and combines the verdicts by together().
Verdict on_every_place(const Tensor& rings, const JudgePlace& judge);

}  // namespace tessera
