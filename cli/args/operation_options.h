// Options shared by several operations, and their values.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/options.h"
#include "core/data/dtype.h"
#include "core/data/tensor.h"
#include "kernels/inputs/fill.h"

namespace tessera::cli {

// Appends --out, --check, --explain and run_options() to the options of an operation.
// with_reference: --device also accepts `reference`. If false, operands and results are distributed
// over several devices.
Options operation_options(Options own, bool with_reference = true);

// Element types that operations can move and store: the multiplied types, and i32.
std::vector<std::string_view> stored_types();
// "element type of lhs and rhs: f32 bf16; default bf16"
std::string_view operand_types_help();
// Returns the value of --fill; the default is the first, `normal`. Adds an error for other words.
Fill fill_option(const Arguments& arguments, Diags& diags);

// Loads a tensor of type `declared`. If it is not given, uses the type in the file, or `fallback`
// if the file contains raw elements. Fails if the file cannot be read or has another type.
Expected<Tensor> load_operand(const std::string& file, std::optional<DType> declared,
                              DType fallback, Files* files);
// Returns the sizes as a tensor [groups]: i32 if all fit, else i64.
Tensor sizes_tensor(const std::vector<std::int64_t>& sizes);
// Returns the elements of a tensor of integers, in order.
std::vector<std::int64_t> integers_of(const Tensor& tensor);

}  // namespace tessera::cli
