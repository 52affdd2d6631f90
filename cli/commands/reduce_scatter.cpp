// reduce-scatter: each device its block of the sum over its ring.
#include "cli/operations/rows_on_rings.h"
#include "kernels/collective/reduce_scatter.h"

namespace tessera::cli {
namespace {

Expected<OperationCall> prepare(const Arguments& arguments) {
  return rows_call(arguments, reduce_options, launch_reduce_scatter, check_reduce_scattered);
}

}  // namespace

Command reduce_scatter_command() {
  return {"reduce-scatter",
          "",
          "every device gets its place's block of the sum of the rows of its ring",
          "  gmm-run reduce-scatter --devices 4 --m 32 --n 128 --interpret\n",
          rows_options("rows of one device, a block for each place", added_types, {reduce_tile_option()}),
          run_operation<prepare>,
          verifiable_operation<prepare>};
}

}  // namespace tessera::cli
