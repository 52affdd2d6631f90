#include "cli/operations/grouped_collective.h"

#include <fmt/format.h>

namespace tessera::cli {

Options grouped_options(Options own) {
  const Options product = {
      {"k", "N", "columns of lhs"},
      {"n", "N", "columns of the product"},
      {"groups", "N", "groups of all devices together; each device holds its share"},
      {"dtype", "TYPE", "element type of lhs and rhs: bf16 f16 f32; default bf16"},
      {"transpose-rhs", "", "rhs is stored as [groups, n, k]"},
      {"tiling", "tm,tk,tn", "tile of the products; default the profile's"},
      {"buffers", "N", "slots of each input window; default 2"}};
  own.insert(own.end(), product.begin(), product.end());
  return own;
}

void begin_grouped(CollectiveReader& read, Collective& collective, DType type,
                   GroupedCollectiveOptions& options) {
  static_cast<CollectiveOptions&>(options) = collective.options;
  options.run.profile = collective.request.profile.machine;
  options.transpose_rhs = read.has("transpose-rhs");
  options.tiling = read.tiling();
  options.buffers = read.integer("buffers", 2, 1);
  collective.dtype = type;
  collective.types = fmt::format("{} . {} -> f32{}", name(type), name(type),
                                 options.transpose_rhs ? ", rhs transposed" : "");
}

Shape matrices(std::int64_t groups, std::int64_t k, std::int64_t n,
               const GroupedCollectiveOptions& options) {
  return options.transpose_rhs ? Shape{groups, n, k} : Shape{groups, k, n};
}

}  // namespace tessera::cli
