// Options that several operations take, and their values.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/options.h"
#include "core/data/dtype.h"
#include "core/data/tensor.h"
#include "core/kernel/tiling.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
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
std::optional<DType> dtype_option(const Arguments& arguments, std::string_view option,
                                  std::span<const std::string_view> names, Diags& diags);
std::optional<Tiling> tiling_option(const Arguments& arguments, Diags& diags);
Precision precision_option(const Arguments& arguments, Diags& diags);
Fill fill_option(const Arguments& arguments, Diags& diags);

// The tensor of a file, of the type `declared`, else of the file's own type, else of `fallback` if
// the file holds raw elements.
Expected<Tensor> load_operand(const std::string& file, std::optional<DType> declared,
                              DType fallback);
// The tensor of --OPTION FILE by load_operand(), or none if the option is not given.
std::optional<Tensor> file_option(const Arguments& arguments, std::string_view option,
                                  std::optional<DType> declared, DType fallback, Diags& diags);
// Sizes of --sizes FILE, or of --group-sizes: a list, @FILE, or a distribution of --groups groups
// over `rows`, where that is known.
std::optional<Tensor> sizes_option(const Arguments& arguments, std::optional<std::int64_t> rows,
                                   std::uint64_t seed, Diags& diags);
// Sizes by the name of a distribution; `text` is empty for the default one.
std::optional<std::vector<std::int64_t>> drawn_sizes(const std::string& text,
                                                     std::optional<std::int64_t> groups,
                                                     std::optional<std::int64_t> rows,
                                                     std::uint64_t seed, Diags& diags);
// [groups], i32 if all sizes fit, else i64.
Tensor sizes_tensor(const std::vector<std::int64_t>& sizes);

}  // namespace tessera::cli
