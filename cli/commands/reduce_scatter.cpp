// reduce-scatter: gives each device its block of the sum over its ring.
#include "kernels/collective/reduce_scatter.h"

#include "cli/operations/rows_on_rings.h"

namespace tessera::cli {
namespace {

Expected<OperationCall> prepare(const Arguments& arguments) {
  return rows_call(arguments, "ring_reduce_scatter", reduce_options, launch_reduce_scatter,
                   check_reduce_scattered, "rows");
}

}  // namespace

Command reduce_scatter_command() {
  return operation_command<prepare>(
      "reduce-scatter",
      "add the rows of the devices of a ring; every device gets one block of the sum",
      "  gmm-run reduce-scatter --devices 4 --m 32 --n 128 --interpret\n",
      rows_options("rows of one device: one block for each device of the ring", added_types,
                   {reduce_tile_option()}));
}

}  // namespace tessera::cli
