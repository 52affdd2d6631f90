#include "cli/operations/rows_on_rings.h"

#include <fmt/format.h>

#include "text/numbers.h"

namespace tessera::cli {

const Collective::Tensors* rows_on_rings(CollectiveReader& read, std::string_view kernel,
                                         std::string_view shared) {
  if (!read.ok()) return nullptr;
  read.bind(kernel, {{"lhs", "x"}}, DType::f32, shared);
  read.settle();
  if (!read.ok()) return nullptr;
  read.describe({"m", "n"});
  read.collective.types = std::string(name(read.dtype()));
  return &read.fill("lhs", read.length());
}

ReduceOptions reduce_options(CollectiveReader& read) {
  ReduceOptions options;
  if (!read.has("tile")) return options;
  const auto sides = parse_integers(read.text("tile"));
  if (sides && sides->size() == 2 && sides->front() > 0 && sides->back() > 0) {
    options.bm = sides->front();
    options.bn = sides->back();
  } else {
    read.complain(
        fmt::format("--tile: expected two positive sides tm,tn, found '{}'", read.text("tile")));
  }
  return options;
}

Option reduce_tile_option() {
  return {"tile", "tm,tn", "sides of the tiles in which rows are added; default 128,128"};
}

Options rows_options(std::string_view m, std::string_view types, Options own) {
  Options all = {{"m", "N", m},
                 {"n", "N", "columns"},
                 {"dtype", "TYPE", types},
                 operand_option("lhs", "[m, n] of each device")};
  all.insert(all.end(), own.begin(), own.end());
  return collective_options(all);
}

}  // namespace tessera::cli
