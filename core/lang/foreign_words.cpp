#include "core/lang/foreign_words.h"

#include <algorithm>
#include <iterator>

namespace tessera {
namespace {

// Names that a slip of a word here would not give: those near one of ours, and those of common sums
// and functions that take more than a word.
struct ForeignWord {
  std::string_view theirs, ours;
};

// clang-format off
constexpr ForeignWord all[] = {
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
};
// clang-format on

}  // namespace

std::string_view instead_of(std::string_view function) {
  const auto found = std::find_if(std::begin(all), std::end(all),
                                  [&](const ForeignWord& w) { return w.theirs == function; });
  return found == std::end(all) ? std::string_view() : found->ours;
}

}  // namespace tessera
