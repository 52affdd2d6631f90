// Options that several operations take, and their values.
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

// --out, --check, --explain and run_options(), after those of the operation itself.
// `with_reference`: the reference is among the devices; without: operands and results are of
// several devices.
Options operation_options(Options own, bool with_reference = true);

// The types that operations move and store: those that are multiplied, and i32.
std::vector<std::string_view> stored_types();
// "of lhs and rhs: f32 bf16; default bf16"
std::string_view operand_types_help();
Fill fill_option(const Arguments& arguments, Diags& diags);

// The tensor of a file, of the type `declared`, else of the file's own type, else of `fallback` if
// the file holds raw elements.
Expected<Tensor> load_operand(const std::string& file, std::optional<DType> declared,
                              DType fallback, Files* files);
// [groups], i32 if all sizes fit, else i64.
Tensor sizes_tensor(const std::vector<std::int64_t>& sizes);
// The elements of a tensor of integers, in order.
std::vector<std::int64_t> integers_of(const Tensor& tensor);

}  // namespace tessera::cli
