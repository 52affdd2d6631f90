#include "kernels/oracle/check_collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/collective/rings.h"
#include "kernels/oracle/reference_matrix.h"
#include "kernels/oracle/reference_product.h"

namespace tessera {
namespace {

MatrixView view(const Tensor& matrix) { return {&matrix, 0, matrix.dim(1), 1}; }

std::vector<std::int64_t> rows_of(const Tensor& out, const CheckOptions& options) {
  return checked_rows(out.dim(0), {}, options.check, options.seed);
}

// Checks rows with known elements, without sums. elements: sets the values and magnitudes of some
// rows.
Verdict judge_rows(const Tensor& out, const Arithmetic& arithmetic, std::int64_t terms,
                   const CheckOptions& options,
                   const std::function<void(std::span<const std::int64_t>, std::vector<double>&,
                                            std::vector<double>&)>& elements) {
  Judge judge(out, arithmetic);
  const std::vector<std::int64_t> rows = rows_of(out, options);
  const std::int64_t columns = out.dim(1);
  std::vector<double> value, magnitude;
  const std::vector<double> none(static_cast<std::size_t>(std::max<std::int64_t>(columns, 1)));
  for (const std::int64_t& row : rows) {
    const std::span<const std::int64_t> one(&row, 1);
    value.assign(static_cast<std::size_t>(columns), -0.0);  // -0 + x is x for every x
    magnitude.assign(static_cast<std::size_t>(columns), 0);
    elements(one, value, magnitude);
    judge.see(
        {one, 0, columns, terms, false, value.data(), magnitude.data(), none.data(), none.data()});
  }
  return judge.verdict();
}

}  // namespace

Tensor joined(std::span<const Tensor* const> parts, int dim) {
  Shape shape = parts[0]->shape();
  const std::int64_t rows = shape[0], count = static_cast<std::int64_t>(parts.size());
  shape[static_cast<std::size_t>(dim)] *= count;
  Tensor whole = Tensor::uninitialised(parts[0]->dtype(), shape);
  if (whole.bytes() == 0) return whole;
  const std::int64_t pieces = dim == 0 ? 1 : rows, piece = parts[0]->bytes() / pieces;
  for (std::int64_t r = 0; r < pieces; ++r)
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(whole.data() + (r * count + i) * piece,
                  parts[static_cast<std::size_t>(i)]->data() + r * piece,
                  static_cast<std::size_t>(piece));
  return whole;
}

Tensor joined(const Tensor& rings, std::int64_t ring, int dim, const Held& held) {
  std::vector<const Tensor*> parts;
  for (std::int64_t place = 0; place < rings.dim(1); ++place)
    parts.push_back(&held(device_at(rings, ring, place)));
  return joined(parts, dim);
}

Verdict together(const std::vector<Verdict>& devices, std::string_view what) {
  Verdict all;
  if (devices.size() == 1) {
    all = devices.front();
    all.device = 0;
    return all;
  }
  std::size_t worst = 0;
  std::int64_t rows = 0, wrong = 0, overflowed = 0;
  double error = 0;
  bool ok = true;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    rows += devices[d].checked_rows;
    wrong += devices[d].wrong_elements;
    error = std::max(error, devices[d].max_abs_error);
    ok = ok && devices[d].ok;
    overflowed += devices[d].overflowed_elements;
    const auto rank = [](const Verdict& verdict) {
      return std::pair(!verdict.ok, verdict.max_error_over_bound);
    };
    if (rank(devices[d]) > rank(devices[worst])) worst = d;
  }
  if (devices.empty()) return all;
  all = devices[worst];
  all.device = static_cast<int>(worst);
  all.ok = ok;
  all.max_abs_error = error;
  all.checked_rows = rows;
  all.wrong_elements = wrong;
  all.overflowed_elements = overflowed;
  if (rows == 0) return all;
  all.message = all.ok && all.max_error_over_bound == 0 && overflowed == 0
                    ? fmt::format("{} rows of {} {}s checked; every element is exact", rows,
                                  devices.size(), what)
                    : fmt::format("{} rows of {} {}s; {} {}: {}", rows, devices.size(), what, what,
                                  worst, devices[worst].message);
  return all;
}

Verdict together_on_rings(const std::vector<Verdict>& of_rings, const Tensor& rings,
                          const Launch& done) {
  Verdict all = together(of_rings, "ring");
  const std::int64_t ring = all.device, rows = done.result(0).dim(0);
  all.device = -1;
  if (all.worst.empty() || ring < 0 || rows == 0) return all;
  all.device = static_cast<int>(device_at(rings, ring, all.worst[0] / rows));
  all.on_device = all.worst;
  all.on_device[0] %= rows;
  return all;
}

Verdict check_product(const ProductCheck& product, const Tensor& out, const CheckOptions& options) {
  Arithmetic arithmetic =
      Arithmetic::of(product.a->dtype(), product.b->dtype(), out.dtype(), options.values);
  if (product.wire != DType::f32) {
    const Rounding wire = rounding(product.wire, DType::f32);
    arithmetic.exact = false;
    arithmetic.wire = static_cast<double>(product.hops) * wire.unit;
    arithmetic.wire_steps = static_cast<double>(product.hops) * wire.half_step;
    if (wire.overflow < arithmetic.overflow) {
      arithmetic.partial_sums = product.wire;
      arithmetic.overflow = wire.overflow;
    }
  }
  Judge judge(out, arithmetic);
  const std::vector<std::int64_t> rows = rows_of(out, options);
  ReferenceProduct reference(arithmetic.exact ? Magnitude::none : Magnitude::wanted);
  const MatrixView b = product.transpose_b ? view(*product.b).transposed() : view(*product.b);
  reference.multiply(view(*product.a), rows, b, product.a->dim(1), out.dim(1), nullptr, rows,
                     [&](const ReferenceBlock& block) { judge.see(block); });
  return judge.verdict();
}

Verdict check_sum(std::span<const Tensor* const> parts, const Tensor& out,
                  const CheckOptions& options) {
  const DType type = out.dtype();
  Arithmetic arithmetic;
  arithmetic.accumulator = is_float(type) ? DType::f32 : DType::i32;
  arithmetic.flushes = is_float(type);
  arithmetic.exact = options.values == Arithmetic::Values::small_integers;
  std::vector<double> part(static_cast<std::size_t>(out.dim(1)));
  return judge_rows(out, arithmetic, static_cast<std::int64_t>(parts.size()), options,
                    [&](std::span<const std::int64_t> row, std::vector<double>& value,
                        std::vector<double>& magnitude) {
                      for (const Tensor* tensor : parts) {
                        decode(view(*tensor), row, out.dim(1), part.data());
                        for (std::size_t c = 0; c < part.size(); ++c) {
                          value[c] += part[c];
                          magnitude[c] += std::abs(part[c]);
                        }
                      }
                    });
}

Verdict check_same(const Tensor& expected, const Tensor& out, const CheckOptions& options) {
  return judge_rows(
      out, Arithmetic{.exact = true}, 0, options,
      [&](std::span<const std::int64_t> row, std::vector<double>& value, std::vector<double>&) {
        decode(view(expected), row, out.dim(1), value.data());
      });
}

Verdict on_every_place(const Tensor& rings, const JudgePlace& judge) {
  std::vector<Verdict> verdicts(static_cast<std::size_t>(rings.elements()));
  for (std::int64_t ring = 0; ring < rings.dim(0); ++ring) {
    for (std::int64_t place = 0; place < rings.dim(1); ++place) {
      const std::size_t d = device_at(rings, ring, place);
      verdicts[d] = judge(ring, place, d);
    }
  }
  return together(verdicts);
}

Verdict check_gathered(std::span<const Tensor> a, std::span<const Tensor> b, const Tensor& rings,
                       const Launch& done, const Gathered& gathered, const CheckOptions& options) {
  Tensor whole;
  std::int64_t held = -1;
  return on_every_place(rings, [&](std::int64_t ring, std::int64_t, std::size_t d) {
    if (held != ring) {
      whole =
          joined(rings, ring, gathered.dim, [&](std::size_t at) -> const Tensor& { return a[at]; });
    }
    held = ring;
    return check_product({&whole, &b[d], gathered.transpose_b}, done.result(d), options);
  });
}

}  // namespace tessera
