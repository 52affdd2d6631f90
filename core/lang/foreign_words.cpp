#include "core/lang/foreign_words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace tessera {
namespace {

// Names that a spelling suggestion would not resolve: other names for words of this language, and
// common sums and functions that need more than one word here.
struct ForeignWord {
  std::string_view theirs, ours;
};

// clang-format off
constexpr ForeignWord functions[] = {
    {"sum",        "`row_sum(x)` of each row, `col_sum(x)` of each column, `reduce_sum(x, d)` along dimension d"},
    {"mean",       "`row_sum(x) / n` of each row of n elements, `col_sum(x) / m` of each column"},
    {"amax",       "`row_max(x)` of each row, `col_max(x)` of each column, `reduce_max(x, d)` along dimension d"},
    {"softmax",    "`e = exp(x - row_max(x))` and `e / row_sum(e)`"},
    {"power",      "`pow(x, n)`, or a product"},
    {"sigmoid",    "`logistic(x)`"},
    {"silu",       "`x * logistic(x)`"},
    {"amin",       "`reduce_min(x, d)` along dimension d"},
    {"rem",        "`remainder(a, b)`, towards zero, or `a mod b`"},
    {"xor",        "`bit_xor(a, b)`"},
    {"permute_dims", "`transpose(x, 0, 2, 1)`"},
    {"dot",        "the product `a . b`"},
    {"where",      "`select(c, a, b)`"},
    {"maximum",    "`max(a, b)`"},
    {"minimum",    "`min(a, b)`"},
    {"cdiv",       "`tiles(a, b)`"},
    {"ceil_div",   "`tiles(a, b)`"},
    {"arange",     "`iota(n)` of integers, `tile_iota(dim)` of a tile"},
    {"cumsum",     "`prefix_sum(t)`, which begins with 0"},
    {"zeros",      "memory that is declared, and `x = 0`"},
    {"range",      "a loop, `for i in a .. b`"},
    {"atomic_add", "a copy that adds, `start x -> y, s add`"},
    {"program_id", "the variable of a pipeline's dimension"},
    {"matmul",     "the product `a . b`, which `acc += a . b` adds"},
    {"fma",        "`acc += a . b` of matrices, `a * b + c` of elements"},
    {"zeros_like", "memory that is declared, and `x = 0`"},
    {"ones_like",  "memory that is declared, and `x = 1`"},
    {"full_like",  "memory that is declared, and `x = value`"},
    {"printf",     "the statement `print \"s\", s`"},
    {"debug_print", "the statement `print \"s\", s`"},
    {"device_print", "the statement `print \"s\", s`"},
    {"__syncthreads", "nothing: a core executes its ops in order, and `wait s for x` waits for a copy"},
    {"syncthreads", "nothing: a core executes its ops in order, and `wait s for x` waits for a copy"},
    {"axis_index", "`device`"},
    {"device_id",  "`device`"},
    {"num_devices", "`devices`"},
    {"num_programs", "the extent of the pipeline's dimension, and `last(i)` for its end"},
    {"len",        "the extent that the declaration gives"},
    {"float",      "`cast(x, f32)`"},
    {"int",        "`truncate(x, i32)`"},
};

constexpr ForeignWord names[] = {
    {"device_id",   "`device`"},
    {"my_id",       "`device`"},
    {"rank",        "`device`"},
    {"num_devices", "`devices`"},
    {"world_size",  "`devices`"},
    {"true",        "1"},
    {"True",        "1"},
    {"false",       "0"},
    {"False",       "0"},
    {"None",        "nothing: the argument is left out"},
    {"infinity",    "`inf`"},
    {"threadIdx",   "nothing: ops take whole tiles"},
    {"blockIdx",    "the variable of a pipeline's dimension"},
    {"blockDim",    "the extent of a window"},
    {"gridDim",     "the extent of a pipeline's dimension"},
};

constexpr ForeignWord members[] = {
    {"T",         "`transpose(x)`"},
    {"mT",        "`transpose(x)`"},
    {"transpose", "`transpose(x)`"},
    {"astype",    "`cast(x, f32)`"},
    {"to",        "`cast(x, f32)`"},
    {"reshape",   "`reshape(x, a, b)` of values, `view(x) as f32[a, b]` of memory"},
    {"shape",     "the extents that the declaration gives"},
    {"size",      "the extents that the declaration gives"},
    {"dtype",     "the type that the declaration gives"},
    {"at",        "`x[i, :]` or `x[i +: n, :]`"},
    {"sum",       "`row_sum(x)` of each row, `reduce_sum(x, d)` along dimension d"},
    {"max",       "`row_max(x)` of each row, `reduce_max(x, d)` along dimension d"},
    {"min",       "`reduce_min(x, d)` along dimension d"},
    {"mean",      "`row_sum(x) / n` of each row of n elements"},
    {"start",     "`start a -> b, s`"},
    {"wait",      "`wait s for b`"},
};

constexpr ForeignWord types[] = {
    {"float32", "f32"}, {"float", "f32"}, {"fp32", "f32"}, {"float16", "f16"}, {"half", "f16"},
    {"fp16", "f16"}, {"bfloat16", "bf16"}, {"float64", "f32"}, {"double", "f32"}, {"int8", "i8"},
    {"int16", "i16"}, {"int32", "i32"}, {"int", "i32"}, {"int64", "i64"}, {"long", "i64"},
    {"uint8", "u8"}, {"uint16", "u16"}, {"uint32", "u32"}, {"uint64", "i64"},
    {"float8_e4m3fn", "e4m3"}, {"float8_e5m2", "e5m2"},
};

constexpr std::string_view definitions[] = {"let", "var", "auto", "val", "int", "float", "double",
                                            "mut", "def"};
// clang-format on

template <std::size_t Count>
std::string_view find(const ForeignWord (&words)[Count], std::string_view name) {
  const auto* const found = std::find_if(std::begin(words), std::end(words),
                                         [&](const ForeignWord& w) { return w.theirs == name; });
  return found == std::end(words) ? std::string_view() : found->ours;
}

}  // namespace

std::string_view instead_of(std::string_view function) { return find(functions, function); }
std::string_view instead_of_name(std::string_view name) { return find(names, name); }
std::string_view instead_of_member(std::string_view name) { return find(members, name); }
std::string_view type_instead_of(std::string_view type) { return find(types, type); }

bool begins_definition(std::string_view word) {
  return std::find(std::begin(definitions), std::end(definitions), word) != std::end(definitions);
}

}  // namespace tessera
