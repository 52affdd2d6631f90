// sharded-gmm: grouped matmul with groups distributed over devices and rows on all of them.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/operations/shared_groups.h"
#include "kernels/collective/rings.h"
#include "kernels/experts/sharded_grouped_matmul.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// Parses --group-offset: the first group of each place in a ring.
std::vector<std::int64_t> group_offsets(CollectiveReader& read) {
  if (!read.has("group-offset")) return {};
  const auto offsets = parse_integers(read.text("group-offset"));
  if (!offsets)
    read.complain(
        fmt::format("--group-offset: expected the first group of each place as 0,2,4, found '{}'",
                    read.text("group-offset")));
  return offsets.value_or(std::vector<std::int64_t>());
}

Expected<OperationCall> prepare(const Arguments& arguments) {
  constexpr std::string_view kernel = "sharded_gmm";
  CollectiveReader read(arguments);
  if (!read.ok()) return read.diags();
  SharedGroupSizes given(read, kernel, Per::ring);
  read.bind(kernel, {{"lhs", "", Per::ring}, {"rhs"}}, DType::bf16);
  read.otherwise("m", given.rows());
  if (!read.extent("local-groups").value) read.otherwise("local-groups", read.shared("groups"));
  read.settle();
  ShardedGroupedMatmulOptions options;
  begin_grouped(read, options);
  options.scatter = read.has("scatter");
  options.group_offset = group_offsets(read);
  const Tensor& rings = read.rings();
  if (!read.ok()) return read.diags();
  const auto& sizes = given.tensors(static_cast<std::size_t>(rings.dim(0)));
  if (!read.ok()) return read.diags();
  read.collective.group_sizes = &sizes;
  read.describe({"m", "k", "n", "groups"});
  read.count_flops({"m", "k", "n"}, Per::ring);
  const std::int64_t k = read.value("k");
  const auto &lhs = read.fill("lhs", k), &rhs = read.fill("rhs", k);
  return as_call(std::move(read.collective),
                 launch_sharded_grouped_matmul(lhs, rhs, sizes, rings, options),
                 judge_with(check_sharded_grouped_matmul, options, lhs, rhs, sizes, rings));
}

}  // namespace

Command sharded_gmm_command() {
  return operation_command<prepare>(
      "sharded-gmm",
      "grouped matmul: all devices have all rows, each multiplies the rows of its groups, and the "
      "results are added",
      "  gmm-run sharded-gmm --devices 4 --m 64 --k 32 --n 16 --groups 8 --interpret\n"
      "  gmm-run sharded-gmm --rings 0,2/3,1 --m 64 --k 32 --n 16 --groups 6 --scatter\n"
      "  gmm-run sharded-gmm --devices 2 --group-sizes 9,0,5,2 --k 32 --n 16 "
      "--group-offset 2,0\n",
      collective_options(grouped_options(
          {{"m", "N", "number of rows; omit it if --group-sizes lists the sizes"},
           {"scatter", "", "each device gets its block of the rows, not all of them"},
           {"local-groups", "N", "groups of one device; default an equal share"},
           {"group-offset", "0,2,4,6", "the first group of each place in a ring; default in order"},
           group_sizes_option(),
           operand_option("sizes", "[groups] of each ring", Per::ring),
           operand_option("lhs", "[m, k] of each ring", Per::ring),
           operand_option("rhs", "[its groups, k, n] of each device")})));
}

}  // namespace tessera::cli
