// A dense product in f64, computed block by block.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/oracle/reference.h"
#include "kernels/oracle/reference_matrix.h"

namespace tessera {

// Buffers for one block, reused for all products.
class ReferenceProduct {
 public:
  explicit ReferenceProduct(Magnitude magnitude) : magnitude_(magnitude) {}

  // Computes the elements (a_rows[i], j) of a[.., terms] . b[terms, columns]. If `existing` is not
  // null, its rows result_rows[i] are added. Passes the elements to `sink` in blocks, whose rows
  // are result_rows. terms: may be 0. result_rows: same length as a_rows.
  void multiply(const MatrixView& a, std::span<const std::int64_t> a_rows, const MatrixView& b,
                std::int64_t terms, std::int64_t columns, const MatrixView* existing,
                std::span<const std::int64_t> result_rows, const BlockSink& sink);

 private:
  void clear(std::size_t rows, std::int64_t columns);
  void add_product(const MatrixView& a, std::span<const std::int64_t> rows, const MatrixView& b,
                   std::int64_t terms, std::int64_t columns);
  void add_existing(const MatrixView& existing, std::span<const std::int64_t> rows,
                    std::int64_t columns);

  Magnitude magnitude_;
  std::vector<double> a_, b_, value_, magnitudes_, row_largest_, column_largest_;
};

}  // namespace tessera
