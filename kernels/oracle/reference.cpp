#include "kernels/oracle/reference.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/data/convert.h"
#include "core/data/dtype_range.h"
#include "kernels/oracle/reference_product.h"

namespace tessera {
namespace {

using Rows = std::vector<std::int64_t>;

MatrixView matrix(const Tensor& tensor) {
  const std::int64_t columns = tensor.dim(tensor.rank() - 1);
  return {&tensor, 0, columns, 1};
}

// The rows of `all` in [begin, end).
std::span<const std::int64_t> between(std::span<const std::int64_t> all, std::int64_t begin,
                                      std::int64_t end) {
  const auto first = std::lower_bound(all.begin(), all.end(), begin);
  return {first, std::lower_bound(first, all.end(), end)};
}

}  // namespace

Tensor collect_reference(
    DType dtype, const Shape& shape,
    const std::function<void(std::span<const std::int64_t>, const BlockSink&)>& run) {
  Tensor out(dtype, shape);
  const std::int64_t columns = shape.back();
  Rows rows(static_cast<std::size_t>(columns == 0 ? 0 : out.elements() / columns));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  run(rows, [&](const ReferenceBlock& block) {
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      std::byte* const row = out.data() + (block.rows[r] * columns + block.column) * size_of(dtype);
      for (std::int64_t c = 0; c < block.columns; ++c) {
        const double value = block.value[static_cast<std::int64_t>(r) * block.columns + c];
        store_element(row + c * size_of(dtype), dtype,
                      dtype == DType::i32 ? wrapped_i32(value) : value);
      }
    }
  });
  return out;
}

std::vector<std::int64_t> processed_rows(const GroupedProblem& problem) {
  const auto sizes = problem.group_sizes.begin();
  Rows edges{problem.local_rows
                 ? 0
                 : std::accumulate(sizes, sizes + problem.group_offset, std::int64_t{0})};
  for (std::int64_t g = 0; g < problem.local_groups; ++g)
    edges.push_back(edges.back() + sizes[problem.group_offset + g]);
  return edges;
}

void reference_gmm(const GroupedProblem& problem, std::span<const std::int64_t> rows,
                   Magnitude magnitude, const BlockSink& sink) {
  const std::int64_t m = problem.lhs->dim(0), k = problem.lhs->dim(1);
  const std::int64_t n = problem.rhs->dim(problem.transpose_rhs ? 1 : 2);
  const MatrixView lhs = matrix(*problem.lhs);
  const MatrixView rhs{problem.rhs, 0, problem.transpose_rhs ? 1 : n,
                       problem.transpose_rhs ? k : 1};
  const MatrixView old = problem.existing ? matrix(*problem.existing) : MatrixView{};
  const MatrixView* const kept = problem.existing ? &old : nullptr;
  const MatrixView* const added = problem.accumulate ? kept : nullptr;
  const Rows edges = processed_rows(problem);

  ReferenceProduct product(magnitude);
  const auto untouched = [&](std::int64_t begin, std::int64_t end) {
    const auto some = between(rows, begin, end);
    product.multiply(lhs, some, lhs, 0, n, kept, some, sink);
  };
  untouched(0, edges.front());
  for (std::int64_t g = 0; g < problem.local_groups; ++g) {
    MatrixView weights = rhs;
    weights.offset = g * k * n;
    const auto some =
        between(rows, edges[static_cast<std::size_t>(g)], edges[static_cast<std::size_t>(g) + 1]);
    product.multiply(lhs, some, weights, k, n, added, some, sink);
  }
  untouched(edges.back(), m);
}

void reference_tgmm(const GroupedProblem& problem, std::span<const std::int64_t> rows,
                    Magnitude magnitude, const BlockSink& sink) {
  const std::int64_t k = problem.lhs->dim(problem.transpose_lhs ? 0 : 1), n = problem.rhs->dim(1);
  const MatrixView lhs = matrix(*problem.lhs);  // [k, m] after transposed() below
  const MatrixView wide = problem.transpose_lhs ? lhs : lhs.transposed();
  const MatrixView old = problem.existing ? matrix(*problem.existing) : MatrixView{};
  const Rows edges = processed_rows(problem);

  ReferenceProduct product(magnitude);
  for (std::int64_t g = 0; g < problem.local_groups; ++g) {
    const std::int64_t first = edges[static_cast<std::size_t>(g)],
                       size = edges[static_cast<std::size_t>(g) + 1] - first;
    const auto some = between(rows, g * k, (g + 1) * k);
    Rows columns(some.begin(), some.end());
    for (std::int64_t& column : columns) column -= g * k;
    product.multiply(wide.from(0, first), columns, matrix(*problem.rhs).from(first, 0), size, n,
                     problem.existing && problem.accumulate ? &old : nullptr, some, sink);
  }
}

Tensor reference_gmm(const GroupedProblem& problem, DType out) {
  const Shape shape{problem.lhs->dim(0), problem.rhs->dim(problem.transpose_rhs ? 1 : 2)};
  Tensor result =
      collect_reference(out, shape, [&](std::span<const std::int64_t> rows, const BlockSink& sink) {
        reference_gmm(problem, rows, Magnitude::none, sink);
      });
  if (problem.existing == nullptr || problem.existing->dtype() != out) return result;
  // Rows outside the processed groups keep the existing bits, including the sign of zeros and NaN
  // payloads.
  const Rows edges = processed_rows(problem);
  const std::int64_t row = shape[1] * size_of(out);
  const auto keep = [&](std::int64_t begin, std::int64_t end) {
    if (begin < end && row > 0)
      std::memcpy(result.data() + begin * row, problem.existing->data() + begin * row,
                  static_cast<std::size_t>((end - begin) * row));
  };
  keep(0, edges.front());
  keep(edges.back(), shape[0]);
  return result;
}

Tensor reference_tgmm(const GroupedProblem& problem, DType out) {
  const Shape shape{problem.local_groups, problem.lhs->dim(problem.transpose_lhs ? 0 : 1),
                    problem.rhs->dim(1)};
  return collect_reference(out, shape,
                           [&](std::span<const std::int64_t> rows, const BlockSink& sink) {
                             reference_tgmm(problem, rows, Magnitude::none, sink);
                           });
}

}  // namespace tessera
