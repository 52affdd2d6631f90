#include "cli/operations/shared_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/args/operation_options.h"
#include "kernels/inputs/group_sizes.h"

namespace tessera::cli {
namespace {

using Sizes = std::vector<std::int64_t>;

std::int64_t sum_of(const Sizes& sizes) {
  std::int64_t rows = 0;
  for (const std::int64_t size : sizes) rows += size;
  return rows;
}

}  // namespace

SharedGroups::SharedGroups(CollectiveReader& read)
    : said{Extent("m", read.optional("m")), Extent("k", read.optional("k")),
           Extent("n", read.optional("n")), Extent("groups", read.optional("groups", 1))},
      type(read.operand_type("dtype")) {}

GroupedDesc settle(CollectiveReader& read, const SharedGroups& shared) {
  const std::int64_t k = read.value(shared.said.k), n = read.value(shared.said.n),
                     groups = read.value(shared.said.groups), m = read.value(shared.said.m);
  if (!read.ok()) return {};
  GroupedDesc product = grouped_desc(GroupedKind::gmm, m, k, n, groups);
  product.lhs = product.rhs = shared.type.value.value_or(DType::bf16);
  return product;
}

SharedGroupSizes::SharedGroupSizes(CollectiveReader& read, Collective& collective,
                                   SharedGroups& shared, Per per)
    : read_(read), per_(per) {
  CollectiveReader::Type any("sizes", std::nullopt);
  read.file(collective, "sizes", {{&shared.said.groups}}, any, DType::i32, per);
  if (!read.ok()) return;
  is_listed_ = read.has("group-sizes") && is_group_size_list(read.text("group-sizes"));
  if (read.has("sizes") && read.has("group-sizes"))
    read.complain("--sizes names a file, and --group-sizes gives the sizes");
  if (const auto* held = read.held(collective, "sizes", per)) {
    tensors_ = held;
    for (const Sizes& sizes : read.counts("sizes", *held))
      rows_ = std::max(rows_.value_or(0), sum_of(sizes));
  } else if (is_listed_) {
    const Sizes listed = read.group_sizes(0, 0, 0);
    const auto groups = static_cast<std::int64_t>(listed.size());
    if (shared.said.groups.value && *shared.said.groups.value != groups)
      read.complain(fmt::format("{} says {}, and --group-sizes lists {}", shared.said.groups.by,
                                *shared.said.groups.value, groups));
    shared.said.groups.value = groups;
    shared.said.groups.by = "--group-sizes";
    rows_ = sum_of(listed);
  }
}

void SharedGroupSizes::settle_rows(SharedGroups& shared) const {
  if (!shared.said.m.value) shared.said.m.value = rows_;
}

const Collective::Tensors& SharedGroupSizes::tensors(Collective& collective,
                                                     const GroupedDesc& product,
                                                     std::size_t count) {
  if (tensors_ != nullptr) return *tensors_;
  Collective::Tensors sizes;
  for (std::size_t part = 0; part < count; ++part)
    sizes.push_back(sizes_tensor(read_.group_sizes(product.groups(), product.m, part)));
  return read_.keep(collective, "sizes", std::move(sizes), per_);
}

std::vector<CollectiveReader::Axis> matrices_axes(CollectiveReader& read, SharedGroups& shared,
                                                  CollectiveReader::Axis groups) {
  if (read.has("transpose-rhs")) return {groups, {&shared.said.n}, {&shared.said.k}};
  return {groups, {&shared.said.k}, {&shared.said.n}};
}

Option group_sizes_option() {
  return {"group-sizes", "SIZES",
          "100,150,50 or a distribution as of gmm; default multinomial"};
}

}  // namespace tessera::cli
