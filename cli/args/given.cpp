#include "cli/args/given.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "cli/args/host_memory.h"
#include "cli/args/operation_options.h"
#include "core/data/tensor_file.h"
#include "kernels/inputs/group_sizes.h"

namespace tessera::cli {
namespace {

class Loader {
 public:
  explicit Loader(const Asked& asked)
      : asked_(asked),
        said_(asked.said),
        local_groups_(asked.local_groups),
        lhs_dtype_("dtype", asked.dtype),
        rhs_dtype_("dtype", asked.dtype),
        out_dtype_("out-dtype", asked.out_dtype) {}

  Expected<Given> load() {
    load_files();
    if (diags_.empty()) settle();
    if (diags_.empty()) make_operands();
    if (!diags_.empty()) return diags_;
    return std::move(given_);
  }

  Expected<Problem> problem() {
    load_files();
    if (diags_.empty()) settle();
    if (!diags_.empty()) return diags_;
    return std::move(given_.problem);
  }

 private:
  using Extents = std::vector<Extent*>;

  bool is_tgmm() const { return asked_.problem.desc.is_tgmm(); }

  void load_files() {
    const bool transposed = asked_.problem.desc.transpose_rhs;
    Operands& operands = given_.operands;
    const bool turned = is_tgmm() && !asked_.problem.lhs_stored;
    operands.lhs =
        load("lhs", asked_.lhs, turned ? Extents{&said_.k, &said_.m} : Extents{&said_.m, &said_.k},
             &lhs_dtype_);
    operands.rhs = load("rhs", asked_.rhs,
                        is_tgmm()    ? Extents{&said_.m, &said_.n}
                        : transposed ? Extents{&local_groups_, &said_.n, &said_.k}
                                     : Extents{&local_groups_, &said_.k, &said_.n},
                        &rhs_dtype_);
    operands.existing =
        load("existing", asked_.existing,
             is_tgmm() ? Extents{&local_groups_, &said_.k, &said_.n} : Extents{&said_.m, &said_.n},
             &out_dtype_);
    std::string sizes = asked_.sizes;
    if (asked_.group_sizes.starts_with('@')) {
      if (!sizes.empty()) diags_.push_back(error("--group-sizes and --sizes both name a file"));
      sizes = asked_.group_sizes.substr(1);
    } else if (!sizes.empty() && !asked_.group_sizes.empty()) {
      diags_.push_back(error("--sizes names a file, and --group-sizes gives the sizes"));
    }
    operands.group_sizes = load("sizes", sizes, {&said_.groups}, nullptr);
    if (!diags_.empty()) return;
    for (std::int64_t g = 0; !sizes.empty() && g < operands.group_sizes.elements(); ++g) {
      given_.problem.desc.sizes.push_back(std::llround(operands.group_sizes.at(g)));
    }
  }

  Tensor load(std::string_view operand, const std::string& file, const Extents& extents,
              Agreed<DType>* dtype) {
    if (file.empty()) return {};
    Expected<Tensor> tensor = dtype == nullptr
                                  ? load_tensor(file, std::nullopt)
                                  : load_operand(file, dtype->value, asked_.problem.desc.lhs);
    if (!tensor) {
      diags_.insert(diags_.end(), tensor.diags().begin(), tensor.diags().end());
      return {};
    }
    const std::string source = fmt::format("--{} {}", operand, file);
    if (tensor->rank() != static_cast<int>(extents.size())) {
      diags_.push_back(error(fmt::format("{} has shape {}, and {} has {} dimensions", source,
                                         to_string(tensor->shape()), operand, extents.size())));
      return {};
    }
    for (std::size_t d = 0; d < extents.size(); ++d) {
      extents[d]->say(tensor->dim(static_cast<int>(d)), source, diags_);
    }
    if (dtype != nullptr) dtype->say(tensor->dtype(), source, diags_);
    return *std::move(tensor);
  }

  void settle() {
    std::vector<std::int64_t> loaded = std::move(given_.problem.desc.sizes);
    Problem& problem = given_.problem = asked_.problem;
    // An operand that is generated follows the one that is given.
    problem.desc.lhs = lhs_dtype_.value.value_or(rhs_dtype_.value.value_or(problem.desc.lhs));
    problem.desc.rhs = rhs_dtype_.value.value_or(problem.desc.lhs);
    problem.desc.out = out_dtype_.value.value_or(problem.desc.out);
    problem.desc.sizes = std::move(loaded);
    require(said_.k);
    require(said_.n);
    if (!diags_.empty()) return;
    problem.desc.k = *said_.k.value;
    problem.desc.n = *said_.n.value;
    settle_groups();
    if (!diags_.empty()) return;
    refuse_idle_options();
  }

  void make_operands() {
    const Problem& problem = given_.problem;
    std::vector<TensorSize> sizes = {{problem.desc.lhs, problem.lhs_shape()},
                                     {problem.desc.rhs, problem.rhs_shape()},
                                     {problem.desc.out, problem.out_shape()}};
    if (problem.desc.existing) sizes.push_back(sizes.back());
    take(check_host_memory(sizes));
    if (!diags_.empty()) return;
    Operands files = std::move(given_.operands);
    given_.operands = generate(problem, std::move(files), asked_.is_lazy);
  }

  void require(const Extent& extent) {
    if (!extent.value) diags_.push_back(error(fmt::format("--{} is missing", extent.option)));
  }

  void settle_groups() {
    Problem& problem = given_.problem;
    const std::string& text = asked_.group_sizes;
    if (is_group_size_list(text) && !text.empty() && text[0] != '@') {
      const auto sizes = parse_group_sizes(text);
      if (!sizes) return take(sizes.diags());
      problem.desc.sizes = *sizes;
    } else if (problem.desc.sizes.empty() && given_.operands.group_sizes.rank() == 0) {
      generate_sizes(text);
      if (!diags_.empty()) return;
    }
    constexpr std::int64_t most_rows = std::int64_t{1} << 40;
    std::int64_t room = most_rows;
    for (const std::int64_t size : problem.desc.sizes) {
      if (size > room) {
        return diags_.push_back(error("the group sizes sum to more than 2^40 rows"));
      }
      room -= std::max<std::int64_t>(size, 0);
    }
    said_.groups.say(problem.desc.groups(), "--group-sizes", diags_);
    const std::int64_t after = problem.desc.groups() - problem.desc.group_offset;
    problem.desc.local_groups = local_groups_.value.value_or(after);
    if (problem.desc.local_groups < 0 || problem.desc.local_groups > after) {
      diags_.push_back(error(fmt::format(
          "group_offset={} and {} local groups do not fit into {} groups",
          problem.desc.group_offset, std::max<std::int64_t>(problem.desc.local_groups, 0),
          problem.desc.groups())));
      return;
    }
    const std::int64_t rows = problem.desc.local_rows
                                  ? problem.processed_rows()
                                  : std::accumulate(problem.desc.sizes.begin(),
                                                    problem.desc.sizes.end(), std::int64_t{0});
    problem.desc.m = said_.m.value.value_or(rows);
  }

  void generate_sizes(const std::string& text) {
    Problem& problem = given_.problem;
    auto sizes = drawn_sizes(text, said_.groups.value, said_.m.value, problem.seed, diags_);
    if (problem.desc.local_rows) {
      diags_.push_back(error(
          "--rows local needs listed group sizes: m is the rows of the processed groups alone"));
    }
    if (sizes) problem.desc.sizes = *std::move(sizes);
  }

  // An option that changes nothing here is a misunderstanding.
  void refuse_idle_options() {
    const bool all_given = !asked_.lhs.empty() && !asked_.rhs.empty() &&
                           (!given_.problem.desc.existing || !asked_.existing.empty());
    if (asked_.has_fill && all_given) {
      diags_.push_back(error("--fill has nothing to fill: every operand is a file"));
    }
  }

  void take(const Diags& diags) { diags_.insert(diags_.end(), diags.begin(), diags.end()); }

  const Asked& asked_;
  SaidExtents said_;
  Extent local_groups_;
  Agreed<DType> lhs_dtype_, rhs_dtype_, out_dtype_;
  Given given_;
  Diags diags_;
};

}  // namespace

Expected<Given> given(const Asked& asked) { return Loader(asked).load(); }

Expected<Problem> settled_problem(const Asked& asked) { return Loader(asked).problem(); }

}  // namespace tessera::cli
