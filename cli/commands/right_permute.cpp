// right-permute: sends the rows of each device to its right neighbour.
#include "kernels/collective/right_permute.h"

#include "cli/operations/rows_on_rings.h"

namespace tessera::cli {
namespace {

RightPermuteOptions own_options(CollectiveReader& read) {
  RightPermuteOptions options;
  options.double_barrier = !read.has("single-barrier");
  return options;
}

Expected<OperationCall> prepare(const Arguments& arguments) {
  return rows_call(arguments, "right_permute", own_options, launch_right_permute, check_permuted);
}

}  // namespace

Command right_permute_command() {
  return operation_command<prepare>(
      "right-permute", "every device sends its rows to the right neighbour of its ring",
      "  gmm-run right-permute --devices 4 --m 8 --n 128 --interpret\n"
      "  gmm-run right-permute --devices 8 --m 8 --n 128 --calls 3 --slow-device 2\n"
      "  gmm-run right-permute --devices 4 --lhs 'x{d}.npy' --out y.npy\n",
      rows_options("rows of one device", moved_types,
                   {{"single-barrier", "",
                     "use the barrier that is too weak for several consecutive calls"}}));
}

}  // namespace tessera::cli
