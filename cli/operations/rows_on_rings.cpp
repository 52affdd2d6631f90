#include "cli/operations/rows_on_rings.h"

#include <fmt/format.h>

#include <utility>

#include "text/numbers.h"

namespace tessera::cli {

Expected<RowsOnRings> rows_on_rings(CollectiveReader& read) {
  RowsOnRings result;
  read.begin(result.collective);
  if (!read.ok()) return read.diags();
  Collective& collective = result.collective;
  auto &rows = read.extent("m"), &columns = read.extent("n");
  auto& of_rows = read.operand_type("dtype");
  read.file(collective, "lhs", {{&rows}, {&columns}}, of_rows, DType::f32);
  const std::int64_t m = read.value(rows), n = read.value(columns);
  const DType type = of_rows.value.value_or(DType::f32);
  if (!read.ok()) return read.diags();
  collective.shape = {{"m", m}, {"n", n}};
  collective.dtype = type;
  collective.types = std::string(name(type));
  result.rings = std::make_shared<Tensor>(read.rings().clone());
  result.x = &read.fill(collective, "lhs", type, {m, n}, FillRole::lhs, read.length());
  return result;
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
        fmt::format("--tile wants two positive sides tm,tn, not '{}'", read.text("tile")));
  }
  return options;
}

Option reduce_tile_option() {
  return {"tile", "tm,tn", "sides of the tiles in which rows are added; default 128,128"};
}

Expected<OperationCall> as_call(RowsOnRings rows, Expected<Launch> launch, JudgeRows judge) {
  if (!launch) return launch.diags();
  rows.collective.launch = *std::move(launch);
  rows.collective.judge = [x = rows.x, rings = rows.rings, judge](const Launch& done,
                                                                  const CheckOptions& how) {
    return judge(*x, *rings, done, how);
  };
  return as_call(std::move(rows.collective));
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
