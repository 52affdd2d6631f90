// all-gather: copies the rows of all devices of a ring to each of them.
#include "kernels/collective/all_gather.h"

#include <array>

#include "cli/operations/rows_on_rings.h"

namespace tessera::cli {
namespace {

AllGatherOptions own_options(CollectiveReader& read) {
  constexpr std::array<std::string_view, 2> directions = {"2", "1"};
  AllGatherOptions options;
  options.halves = read.choice("directions", directions) == 0;
  return options;
}

Expected<OperationCall> prepare(const Arguments& arguments) {
  return rows_call(arguments, "ring_all_gather", own_options, launch_all_gather,
                   check_all_gathered);
}

}  // namespace

Command all_gather_command() {
  return operation_command<prepare>(
      "all-gather", "every device gets the rows of all devices of its ring",
      "  gmm-run all-gather --devices 4 --m 8 --n 128 --interpret\n"
      "  gmm-run all-gather --rings 0,1,2/5,4,3 --m 8 --n 128 --directions 1\n",
      rows_options("rows of one device", moved_types,
                   {{"directions", "2|1",
                     "1: blocks travel to the right; 2: one half of each block travels each "
                     "way; default 2"}}));
}

}  // namespace tessera::cli
