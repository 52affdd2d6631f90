// Cases of gmm and tgmm.
#include <algorithm>
#include <array>

#include "core/data/dtype.h"
#include "core/kernel/grouped_desc.h"
#include "fuzz/draws.h"
#include "kernels/inputs/group_sizes.h"

namespace tessera::fuzz {
namespace {

Numbers draw_groups(Choices& choices, std::int64_t rows) {
  constexpr std::array<std::string_view, 7> names = {
      "uniform", "multinomial", "zipf:1.2", "onehot", "empty:50", "jitter:30", ""};
  const std::int64_t groups = choices.percent(80) ? choices.between(1, 6) : choices.between(7, 24);
  const std::string_view distribution = choices.among(names);
  if (!distribution.empty()) {
    const auto sizes = generate_group_sizes(distribution, groups, rows, choices.word());
    if (sizes) return *sizes;
    // A distribution can fail, for example `empty:50` without a group for the rows. The last group
    // then gets all rows.
    Numbers one(static_cast<std::size_t>(groups), 0);
    one.back() = rows;
    return one;
  }
  // Differences of sorted cuts; equal cuts make empty groups.
  Numbers cuts = {0, rows};
  for (std::int64_t g = 1; g < groups; ++g) cuts.push_back(choices.between(0, rows));
  std::sort(cuts.begin(), cuts.end());
  Numbers sizes;
  for (std::size_t g = 1; g < cuts.size(); ++g) sizes.push_back(cuts[g] - cuts[g - 1]);
  return sizes;
}

// Chooses the groups to process, for a product with its rows and sizes. In some cases lhs has only
// the rows of these groups, or a few more.
void draw_window(Choices& choices, GroupedDesc& desc) {
  desc.local_groups = desc.groups();
  if (!choices.percent(30)) return;
  desc.group_offset = choices.between(0, desc.groups() - 1);
  desc.local_groups = choices.between(1, desc.groups() - desc.group_offset);
  desc.local_rows = choices.percent(40);
  if (!desc.local_rows) return;
  const auto first = desc.sizes.begin() + desc.group_offset;
  desc.m = sum(Numbers(first, first + desc.local_groups)) + (choices.percent(30) ? 5 : 0);
}

}  // namespace

Invocation draw_grouped_matmul(Choices& choices, std::string_view operation) {
  constexpr std::array<const char*, 8> operands = {"f32", "bf16", "f16",  "i8",
                                                   "f32", "bf16", "e4m3", "e5m2"};
  constexpr std::array<const char*, 4> results = {"f32", "bf16", "f16", "i32"};
  constexpr std::array<const char*, 5> fills = {"integers", "integers", "integers", "normal",
                                                "uniform"};
  const bool draws_tgmm = choices.percent(35);
  Invocation to{std::string(!operation.empty() ? operation : draws_tgmm ? "tgmm" : "gmm"), {}};
  GroupedDesc desc;
  desc.m = choices.extent(160);
  desc.k = choices.percent(2) ? 0 : choices.extent(96);
  desc.n = choices.extent(96);
  // One case in four has rows without a group.
  const bool has_tail = choices.percent(25);
  desc.sizes = draw_groups(choices, has_tail ? choices.between(0, desc.m) : desc.m);
  const std::string operand = choices.among(operands);
  std::string result = choices.among(results);
  if (result == "i32" && operand != "i8") result = "f32";
  const std::string fill = choices.among(fills);
  draw_window(choices, desc);
  add(to, "m", std::to_string(desc.m));
  add(to, "k", std::to_string(desc.k));
  add(to, "n", std::to_string(desc.n));
  add(to, "group-sizes", list(desc.sizes));
  add(to, "dtype", operand);
  if (result != "f32") add(to, "out-dtype", result);
  if (to.command == "gmm" && choices.percent(40)) add_switch(to, "transpose-rhs");
  if (desc.group_offset != 0) add(to, "group-offset", std::to_string(desc.group_offset));
  if (desc.group_offset + desc.local_groups != desc.groups())
    add(to, "local-groups", std::to_string(desc.local_groups));
  if (desc.local_rows) add(to, "rows", "local");
  if (choices.percent(30))
    add(to, "existing-out", choices.percent(50) ? "accumulate" : "overwrite");
  const std::int64_t tm = choices.tile(), tk = choices.tile(), tn = choices.tile();
  add(to, "tiling", list({tm, tk, tn}));
  if (!choices.percent(50)) add(to, "buffers", std::to_string(choices.between(1, 4)));
  if (fill != "normal") add(to, "fill", fill);
  add(to, "seed", std::to_string(choices.between(0, 999)));
  draw_run(choices, to);
  return to;
}

}  // namespace tessera::fuzz
