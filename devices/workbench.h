// Measurement of kernels on a device: operands in its memory, its clock, and a vendor library for
// comparison.
#pragma once  // public
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dtype.h"
#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// An operand in device memory for measurements. Its values do not matter.
struct MeasuredOperand {
  std::string name;       // name of the program's buffer
  DType dtype;            // element type
  std::int64_t elements;  // number of elements
  // Has the type of the operand, and at least one element. Repeated until the operand is full.
  // None: the memory is not initialised.
  std::optional<Tensor> pattern;
};

// c[m, n] = a . b on row-major matrices of bf16 in device memory, with sums in f32. a is [m, k], or
// [k, m] if transposed; b is [k, n], or [n, k] if transposed.
struct DenseProduct {
  std::int64_t m = 0, n = 0, k = 0;               // extents
  bool transpose_a = false, transpose_b = false;  // storage of the operands
  std::uint64_t a = 0, b = 0, c = 0;              // addresses
};

// Enqueues one run on the default stream.
using Enqueue = std::function<Expected<void>()>;

// Dense products of a third-party library, for comparison with kernels. Each call enqueues on the
// default stream, and fails with ErrorCode::environment if the library rejects it.
class PeerLibrary {
 public:
  virtual ~PeerLibrary() = default;
  // Name in the rows of a report: "cublas".
  virtual std::string name() const = 0;
  // Enqueues one product.
  virtual Expected<void> product(const DenseProduct& product) = 0;
  // Enqueues `count` products of one shape in one call. Strides: elements from one product to the
  // next.
  virtual Expected<void> batch(const DenseProduct& product, std::int64_t count,
                               std::int64_t stride_a, std::int64_t stride_b,
                               std::int64_t stride_c) = 0;
  // Returns a function that enqueues one call for products of different sizes, none of them empty.
  // Its first run also prepares the call. Must outlive the enqueued work.
  virtual Enqueue grouped(const std::vector<DenseProduct>& products) = 0;
};

// Operands in device memory, and the clock of the device. Functions fail with
// ErrorCode::environment if a call of the device's driver fails.
class Workbench {
 public:
  virtual ~Workbench() = default;
  // Returns the address of a new operand. It stays valid as long as the workbench.
  virtual Expected<std::uint64_t> add(const MeasuredOperand& operand) = 0;
  // Enqueues a write of a pattern that no kernel computes.
  virtual Expected<void> poison(std::uint64_t address, std::int64_t bytes) = 0;
  // Fills the tensor with the elements at the address, of the tensor's type and number, after all
  // enqueued work.
  virtual Expected<void> read(Tensor& to, std::uint64_t address) = 0;
  // Waits for all enqueued work.
  virtual Expected<void> synchronise() = 0;
  // Returns the duration of the enqueued work in seconds, with operands in no cache. Waits for it.
  // Fails also like `enqueue`.
  virtual Expected<double> seconds(const Enqueue& enqueue) = 0;
  // The vendor library, owned by the workbench; null if it is not available.
  virtual PeerLibrary* peer() { return nullptr; }
};

}  // namespace tessera
