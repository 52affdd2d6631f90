// What measuring kernels on a device takes: operands in its memory, its own clock, and a library of
// the machine's maker as a peer.
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

// An operand in a device's memory whose values do not matter, for measuring.
struct MeasuredOperand {
  std::string name;       // of the program's buffer
  DType dtype;            // type of its elements
  std::int64_t elements;  // how many it has
  // Repeated until the operand is full; none: the memory is left as it is.
  std::optional<Tensor> pattern;
};

// c[m, n] = a . b on row-major matrices of bf16 in a device's memory, with sums in f32; a is [m, k]
// or, transposed, [k, m]; b is [k, n] or, transposed, [n, k].
struct DenseProduct {
  std::int64_t m = 0, n = 0, k = 0;               // extents
  bool transpose_a = false, transpose_b = false;  // how the operands are stored
  std::uint64_t a = 0, b = 0, c = 0;              // addresses
};

// Puts one run on the default stream.
using Enqueue = std::function<Expected<void>()>;

// Dense products by a library that is not ours, beside which kernels are measured. Each call
// enqueues on the default stream.
class PeerLibrary {
 public:
  virtual ~PeerLibrary() = default;
  // As rows of a report name it: "cublas".
  virtual std::string name() const = 0;
  // One product.
  virtual Expected<void> product(const DenseProduct& product) = 0;
  // `count` products of one shape in one call; strides from one to the next, in elements.
  virtual Expected<void> batch(const DenseProduct& product, std::int64_t count,
                               std::int64_t stride_a, std::int64_t stride_b,
                               std::int64_t stride_c) = 0;
  // One call for products of different sizes, none of them empty; prepared by its first run.
  virtual Enqueue grouped(const std::vector<DenseProduct>& products) = 0;
};

// Operands in a device's memory and its clock.
class Workbench {
 public:
  virtual ~Workbench() = default;
  // The address of a new operand, which lives as long as the workbench.
  virtual Expected<std::uint64_t> add(const MeasuredOperand& operand) = 0;
  // Fills so many bytes with a pattern that no kernel computes.
  virtual Expected<void> poison(std::uint64_t address, std::int64_t bytes) = 0;
  // Fills the tensor with the elements at the address, after all that was enqueued.
  virtual Expected<void> read(Tensor& to, std::uint64_t address) = 0;
  // Waits for all that was enqueued.
  virtual Expected<void> synchronise() = 0;
  // Seconds of what is enqueued, with operands that are in no cache; waits for it.
  virtual Expected<double> seconds(const Enqueue& enqueue) = 0;
  // The library of the machine's maker; null where it is not here.
  virtual PeerLibrary* peer() { return nullptr; }
};

}  // namespace tessera
