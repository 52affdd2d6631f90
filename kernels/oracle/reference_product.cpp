#include "kernels/oracle/reference_product.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {
namespace {

// Three f64 blocks with this side, and their magnitudes, fit into a second-level cache.
constexpr std::int64_t side = 256;

using Matrix = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

double* resized(std::vector<double>& buffer, std::int64_t size) {
  if (static_cast<std::int64_t>(buffer.size()) < size)
    buffer.resize(static_cast<std::size_t>(size));
  return buffer.data();
}

}  // namespace

void ReferenceProduct::clear(std::size_t rows, std::int64_t columns) {
  const auto size = static_cast<std::int64_t>(rows) * columns;
  std::fill_n(resized(value_, size), size, 0.0);
  if (magnitude_ == Magnitude::none) return;
  std::fill_n(resized(magnitudes_, size), size, 0.0);
  std::fill_n(resized(row_largest_, static_cast<std::int64_t>(rows)), rows, 0.0);
  std::fill_n(resized(column_largest_, columns), columns, 0.0);
}

void ReferenceProduct::add_product(const MatrixView& a, std::span<const std::int64_t> rows,
                                   const MatrixView& b, std::int64_t terms, std::int64_t columns) {
  static const std::vector<std::int64_t> ascending = [] {
    std::vector<std::int64_t> numbers(side);
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    return numbers;
  }();
  const auto count = static_cast<std::int64_t>(rows.size());
  Matrix left(resized(a_, count * terms), count, terms);
  Matrix right(resized(b_, terms * columns), terms, columns);
  decode(a, rows, terms, left.data());
  decode(b, std::span(ascending).first(static_cast<std::size_t>(terms)), columns, right.data());
  Matrix(value_.data(), count, columns).noalias() += left * right;
  if (magnitude_ == Magnitude::none) return;
  const auto finite_size = [](double x) { return std::isfinite(x) ? std::abs(x) : 0; };
  left = left.unaryExpr(finite_size).eval();
  right = right.unaryExpr(finite_size).eval();
  Matrix(magnitudes_.data(), count, columns).noalias() += left * right;
  for (std::int64_t r = 0; r < count; ++r) {
    double& largest = row_largest_[static_cast<std::size_t>(r)];
    for (std::int64_t t = 0; t < terms; ++t) largest = std::max(largest, left(r, t));
  }
  for (std::int64_t t = 0; t < terms; ++t) {
    for (std::int64_t c = 0; c < columns; ++c) {
      double& largest = column_largest_[static_cast<std::size_t>(c)];
      largest = std::max(largest, right(t, c));
    }
  }
}

void ReferenceProduct::add_existing(const MatrixView& existing, std::span<const std::int64_t> rows,
                                    std::int64_t columns) {
  const std::int64_t size = static_cast<std::int64_t>(rows.size()) * columns;
  const double* const old = resized(a_, size);
  decode(existing, rows, columns, a_.data());
  for (std::int64_t i = 0; i < size; ++i) {
    value_[static_cast<std::size_t>(i)] += old[i];
    if (magnitude_ == Magnitude::wanted)
      magnitudes_[static_cast<std::size_t>(i)] += std::isfinite(old[i]) ? std::abs(old[i]) : 0;
  }
}

void ReferenceProduct::multiply(const MatrixView& a, std::span<const std::int64_t> a_rows,
                                const MatrixView& b, std::int64_t terms, std::int64_t columns,
                                const MatrixView* existing,
                                std::span<const std::int64_t> result_rows, const BlockSink& sink) {
  for (std::size_t first = 0; first < a_rows.size(); first += side) {
    const std::size_t count = std::min<std::size_t>(side, a_rows.size() - first);
    for (std::int64_t column = 0; column < columns; column += side) {
      const std::int64_t width = std::min(side, columns - column);
      clear(count, width);
      for (std::int64_t term = 0; term < terms; term += side) {
        add_product(a.from(0, term), a_rows.subspan(first, count), b.from(term, column),
                    std::min(side, terms - term), width);
      }
      if (existing)
        add_existing(existing->from(0, column), result_rows.subspan(first, count), width);
      ReferenceBlock block{result_rows.subspan(first, count),
                           column,
                           width,
                           terms,
                           existing != nullptr,
                           value_.data(),
                           nullptr,
                           nullptr,
                           nullptr};
      if (magnitude_ == Magnitude::wanted) {
        block.magnitude = magnitudes_.data();
        block.row_largest = row_largest_.data();
        block.column_largest = column_largest_.data();
      }
      sink(block);
    }
  }
}

}  // namespace tessera
