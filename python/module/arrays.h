// Conversion between Python arrays and tensors. NumPy has no bf16 and no FP8, so arrays are passed
// as unsigned integers of the same size, and the element type is passed separately.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>

#include "core/data/held_files.h"

namespace tessera::python {

using AnyArray = nanobind::ndarray<nanobind::ro, nanobind::device::cpu>;

// Returns a tensor that refers to the memory of the array and keeps the array alive. Throws
// std::invalid_argument if `dtype` is unknown or has another size than the array's elements. Call
// with the interpreter lock held; the result may be destroyed without the lock.
HeldTensor held(AnyArray array, const std::string& dtype);
// Returns a NumPy array of unsigned integers that owns the tensor.
nanobind::object array_of(Tensor tensor);

}  // namespace tessera::python
