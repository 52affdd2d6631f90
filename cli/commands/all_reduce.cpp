// all-reduce: the sum over a ring on each of its devices.
#include "cli/operations/rows_on_rings.h"
#include "kernels/collective/all_reduce.h"

namespace tessera::cli {
namespace {

Expected<OperationCall> prepare(const Arguments& arguments) {
  CollectiveReader read(arguments);
  Expected<RowsOnRings> rows = rows_on_rings(read);
  if (!rows) return rows.diags();
  const ReduceOptions options = reduce_options(read, rows->collective);
  if (!read.ok()) return read.diags();
  Expected<Launch> launch = launch_all_reduce(*rows->x, *rows->rings, options);
  return as_call(*std::move(rows), std::move(launch), check_all_reduced);
}

}  // namespace

Command all_reduce_command() {
  return {"all-reduce",
          "",
          "every device gets the sum of the rows of its ring",
          "  gmm-run all-reduce --devices 4 --m 8 --n 128 --interpret\n",
          rows_options("rows of one device", added_types, {reduce_tile_option()}),
          run_operation<prepare>,
          verifiable_operation<prepare>};
}

}  // namespace tessera::cli
