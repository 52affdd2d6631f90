// sharded-gmm: groups shared by devices, rows on all of them.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/operations/collective_reader.h"
#include "cli/operations/grouped_collective.h"
#include "cli/operations/shared_groups.h"
#include "core/data/shape_limits.h"
#include "kernels/collective/rings.h"
#include "kernels/experts/sharded_grouped_matmul.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

Expected<OperationCall> prepare(const Arguments& arguments) {
  Collective collective;
  CollectiveReader read(arguments);
  read.begin(collective);
  if (!read.ok()) return read.diags();
  SharedGroups shared(read);
  SharedGroupSizes given(read, collective, shared, Per::ring);
  auto& held_groups = read.extent("local-groups", 1);
  read.file(collective, "lhs", {{&shared.said.m}, {&shared.said.k}}, shared.type, DType::bf16,
            Per::ring);
  read.file(collective, "rhs", matrices_axes(read, shared, {&held_groups}), shared.type,
            DType::bf16);
  given.settle_rows(shared);
  const GroupedDesc product = settle(read, shared);
  if (!read.ok()) return read.diags();
  ShardedGroupedMatmulOptions options;
  begin_grouped(read, collective, product.lhs, options);
  options.scatter = read.has("scatter");
  const std::int64_t local_groups =
      held_groups.value ? *held_groups.value : read.shared("groups", product.groups());
  if (read.has("group-offset")) {
    const auto offsets = parse_integers(read.text("group-offset"));
    if (!offsets) {
      read.complain(
          fmt::format("--group-offset wants the first group of each place as 0,2,4, not "
                      "'{}'",
                      read.text("group-offset")));
    } else {
      options.group_offset = *offsets;
    }
  }
  const std::int64_t rings = read.rings().dim(0);
  const auto& sizes = given.tensors(collective, product, static_cast<std::size_t>(rings));
  if (!read.ok()) return read.diags();
  collective.group_sizes = &sizes;
  collective.shape = {
      {"m", product.m}, {"k", product.k}, {"n", product.n}, {"groups", product.groups()}};
  collective.flops = saturated_product({2, product.m, product.k, product.n, rings});
  const auto& lhs = read.fill(collective, "lhs", product.lhs, {product.m, product.k}, FillRole::lhs,
                              product.k, Per::ring);
  const auto& rhs =
      read.fill(collective, "rhs", product.lhs,
                matrices(local_groups, product.k, product.n, options), FillRole::rhs, product.k);
  Expected<Launch> launch = launch_sharded_grouped_matmul(lhs, rhs, sizes, read.rings(), options);
  if (!launch) return launch.diags();
  collective.launch = *std::move(launch);
  collective.judge = [&lhs, &rhs, &sizes, options,
                      rings = std::make_shared<Tensor>(read.rings().clone())](
                         const Launch& done, const CheckOptions& how) {
    return check_sharded_grouped_matmul(lhs, rhs, sizes, *rings, done, options, how);
  };
  return as_call(std::move(collective));
}

}  // namespace

Command sharded_gmm_command() {
  return {
      "sharded-gmm",
      "",
      "grouped matmul: all devices hold the rows, each multiplies those of its groups, and the "
      "results are added",
      "  gmm-run sharded-gmm --devices 4 --m 64 --k 32 --n 16 --groups 8 --interpret\n"
      "  gmm-run sharded-gmm --rings 0,2/3,1 --m 64 --k 32 --n 16 --groups 6 --scatter\n"
      "  gmm-run sharded-gmm --devices 2 --group-sizes 9,0,5,2 --k 32 --n 16 "
      "--group-offset 2,0\n",
      collective_options(grouped_options(
          {{"m", "N", "rows; left out when --group-sizes lists them"},
           {"scatter", "", "each device gets its block of the rows, not all of them"},
           {"local-groups", "N", "groups of one device; default an equal share"},
           {"group-offset", "0,2,4,6", "the first group of each place in a ring; default in order"},
           group_sizes_option(),
           operand_option("sizes", "[groups] of each ring", Per::ring),
           operand_option("lhs", "[m, k] of each ring", Per::ring),
           operand_option("rhs", "[its groups, k, n] of each device")})),
      run_operation<prepare>,
      verifiable_operation<prepare>};
}

}  // namespace tessera::cli
