// Arrays of Python as tensors and back, without their element type: NumPy has no bf16 and no FP8,
// so arrays cross as unsigned integers of the same size, and the type is told beside them.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>

#include "core/data/held_files.h"

namespace tessera::python {

using AnyArray = nanobind::ndarray<nanobind::ro, nanobind::device::cpu>;

// The memory of the array, which lives as long as the tensor does. Called with the interpreter lock
// held; it may be let go of without.
HeldTensor held(AnyArray array, const std::string& dtype);
// A NumPy array that owns the tensor.
nanobind::object array_of(Tensor tensor);

}  // namespace tessera::python
