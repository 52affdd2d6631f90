#include "cli/operations/shared_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/args/operation_options.h"
#include "kernels/inputs/group_sizes.h"

namespace tessera::cli {
namespace {

std::int64_t sum_of(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

}  // namespace

Options grouped_options(Options own) {
  const Options product = {
      {"k", "N", "columns of lhs"},
      {"n", "N", "columns of the product"},
      {"groups", "N", "total number of groups; each device has an equal share"},
      {"dtype", "TYPE", "element type of lhs and rhs: bf16 f16 f32; default bf16"},
      {"transpose-rhs", "", "rhs is stored as [groups, n, k]"},
      {"tiling", "tm,tk,tn", "tile of the products; default the profile's"},
      {"buffers", "N", "slots of each input window; default 2"}};
  own.insert(own.end(), product.begin(), product.end());
  return own;
}

Option group_sizes_option() {
  return {"group-sizes", "SIZES", "100,150,50 or a distribution as for gmm; default multinomial"};
}

void begin_grouped(CollectiveReader& read, GroupedCollectiveOptions& options) {
  static_cast<CollectiveOptions&>(options) = read.collective.options;
  options.transpose_rhs = read.has("transpose-rhs");
  options.tiling = read.tiling();
  options.buffers = read.integer("buffers", 2, 1);
  read.describe_types(DType::f32, options.transpose_rhs ? ", rhs transposed" : "");
}

SharedGroupSizes::SharedGroupSizes(CollectiveReader& read, std::string_view kernel, Per per)
    : read_(read), per_(per) {
  read.bind(kernel, {{"sizes", "group_sizes", per}}, DType::bf16);
  if (!read.ok()) return;
  const bool is_listed = read.has("group-sizes") && is_group_size_list(read.text("group-sizes"));
  if (read.has("sizes") && read.has("group-sizes"))
    read.complain("--sizes and --group-sizes both give the group sizes: use one of them");
  tensors_ = read.held("sizes", per);
  if (tensors_ != nullptr) {
    for (const auto& sizes : read.counts("sizes", *tensors_))
      rows_ = std::max(rows_.value_or(0), sum_of(sizes));
  } else if (is_listed) {
    const auto listed = read.group_sizes(0, 0, 0);
    const auto count = static_cast<std::int64_t>(listed.size());
    Extent& groups = read.extent("groups");
    if (groups.value && *groups.value != count)
      read.complain(
          fmt::format("{} gives {}, and --group-sizes lists {}", groups.by, *groups.value, count));
    groups.value = count;
    groups.by = "--group-sizes";
    rows_ = sum_of(listed);
  }
}

const Collective::Tensors& SharedGroupSizes::tensors(std::size_t count) {
  if (tensors_ != nullptr) return *tensors_;
  Collective::Tensors sizes;
  for (std::size_t part = 0; part < count; ++part)
    sizes.push_back(sizes_tensor(read_.group_sizes(read_.value("groups"), read_.value("m"), part)));
  return read_.keep("sizes", std::move(sizes), per_);
}

}  // namespace tessera::cli
