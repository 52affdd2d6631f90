// all-reduce: computes the sum over a ring on each of its devices.
#include "kernels/collective/all_reduce.h"

#include "cli/operations/rows_on_rings.h"

namespace tessera::cli {
namespace {

Expected<OperationCall> prepare(const Arguments& arguments) {
  return rows_call(arguments, "ring_all_reduce", reduce_options, launch_all_reduce,
                   check_all_reduced);
}

}  // namespace

Command all_reduce_command() {
  return operation_command<prepare>(
      "all-reduce", "every device gets the sum of the rows of its ring",
      "  gmm-run all-reduce --devices 4 --m 8 --n 128 --interpret\n",
      rows_options("rows of one device", added_types, {reduce_tile_option()}));
}

}  // namespace tessera::cli
