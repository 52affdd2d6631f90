// One grouped matmul with its operands and a poisoned result, for tests on an emulated
// multiprocessor or a GPU.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/data/splitmix.h"
#include "core/kernel/grouped_desc.h"
#include "kernels/inputs/fill.h"
#include "kernels/oracle/check_grouped.h"
#include "tests/unit/cuda_support.h"

namespace tessera::cuda {

// Sizes of a grouped product. Its kind and types are in the configuration.
struct Sizes : GroupedDesc {
  Sizes(std::vector<std::int64_t> of_groups, std::int64_t rows, std::int64_t products,
        std::int64_t columns) {
    m = rows;
    k = products;
    n = columns;
    sizes = std::move(of_groups);
  }
};

// Limits of random_sizes(). k and n: maximum, in units of 8; groups: maximum number; rows: bound
// for the rows of a group. A group has no rows, up to 19, less than `rows`, or a multiple of 64;
// with more than 100 groups, less than 8.
struct Most {
  std::uint64_t k, n, groups, rows;
};
inline Sizes random_sizes(SplitMix& random, const Most& most) {
  const auto below = [&](std::uint64_t count) {
    return static_cast<std::int64_t>(random.next() % count);
  };
  Sizes sizes{{}, 0, 8 * (1 + below(most.k)), 8 * (1 + below(most.n))};
  const std::int64_t groups = 1 + below(most.groups);
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t kind = below(4);
    sizes.sizes.push_back(kind == 0   ? 0
                          : kind == 1 ? below(20)
                          : kind == 2 ? below(most.rows)
                                      : 64 * below(4));
    if (groups > 100) sizes.sizes.back() %= 8;
    sizes.m += sizes.sizes.back();
  }
  sizes.m += 1 + below(3) * 5;
  return sizes;
}

class GroupedCase {
 public:
  // planted: rows that belong to no group are NaN. Kernels may read them, but they must not affect
  // the result.
  GroupedCase(TestConfiguration configuration, const Sizes& sizes, std::uint64_t seed, Fill fill,
              bool planted = false)
      : configuration_(std::move(configuration)), sizes_(sizes), fill_(fill) {
    Settings& s = configuration_.settings;
    s["m"] = std::to_string(sizes.m);
    s["k"] = std::to_string(sizes.k);
    s["n"] = std::to_string(sizes.n);
    s["groups"] = s["local_groups"] = std::to_string(sizes.groups());
    name_ = configuration_.name() + " m " + s["m"] + " k " + s["k"] + " n " + s["n"] + " seed " +
            std::to_string(seed);
    const Expected<Program> made = make_kernel(configuration_.kernel, s);
    if (!made) {
      problem_ = render(made.diags());
      return;
    }
    program_ = *made;
    for (const Buffer& buffer : program_.buffers) {
      if (buffer.role == Role::scratch) continue;
      Shape shape = buffer.shape;
      for (std::size_t d = 0; d < buffer.order.size(); ++d)
        shape[d] = buffer.shape[static_cast<std::size_t>(buffer.order[d])];
      Tensor& tensor = tensors_[buffer.name] = Tensor(buffer.dtype, shape);
      if (buffer.role == Role::out)
        std::memset(tensor.data(), 0xFF, static_cast<std::size_t>(tensor.bytes()));
    }
    const std::int64_t terms = is_gmm() ? sizes.k : sizes.m;
    tessera::fill(tensors_["lhs"], fill, FillRole::lhs, terms, seed);
    tessera::fill(tensors_["rhs"], fill, FillRole::rhs, terms, seed + 1);
    if (tensors_.contains("existing_out"))
      tessera::fill(tensors_["existing_out"], fill, FillRole::existing, terms, seed + 2);
    for (std::size_t g = 0; g < sizes.sizes.size(); ++g)
      tensors_["group_sizes"].as<std::int32_t>()[g] = static_cast<std::int32_t>(sizes.sizes[g]);
    if (planted) plant();
  }

  const std::string& name() const { return name_; }
  const std::string& problem() const { return problem_; }  // error of the constructor, or empty
  const Program& program() const { return program_; }
  const MachineHints& hints() const { return configuration_.hints; }
  Tensor& tensor(const std::string& operand) { return tensors_[operand]; }
  bool is_gmm() const { return configuration_.kernel == "gmm"; }

  double sum_error = 0;  // LoweredKernel::sum_error

  // Returns the mismatch of the result, or empty.
  std::string verdict() {
    GroupedProblem problem;
    problem.lhs = &tensors_["lhs"];
    problem.rhs = &tensors_["rhs"];
    problem.group_sizes = sizes_.sizes;
    problem.local_groups = sizes_.groups();
    const Settings& s = configuration_.settings;
    const auto is = [&](const char* key, const char* value) {
      const auto found = s.find(key);
      return found != s.end() && found->second == value;
    };
    problem.transpose_rhs = is_gmm() && is("transpose_rhs", "1");
    if (tensors_.contains("existing_out")) problem.existing = &tensors_["existing_out"];
    problem.accumulate = !is("existing", "2");
    CheckOptions options;
    options.sum_error = sum_error;
    options.values =
        fill_ == Fill::integers ? Arithmetic::Values::small_integers : Arithmetic::Values::any;
    const Verdict verdict = (is_gmm() ? check_gmm : check_tgmm)(problem, tensors_["out"], options);
    return verdict.ok ? "" : verdict.message;
  }

 private:
  void plant() {
    std::int64_t rows = 0;
    for (const std::int64_t size : sizes_.sizes) rows += size;
    if (rows < 0 || rows > sizes_.m) return;
    for (const char* operand : {"lhs", "rhs"}) {
      Tensor& tensor = tensors_[operand];
      if (tensor.rank() != 2 || tensor.dim(0) != sizes_.m) continue;  // weights have no such rows
      const auto row = static_cast<std::size_t>(tensor.bytes() / sizes_.m);
      std::memset(tensor.data() + rows * static_cast<std::int64_t>(row), 0xFF,
                  static_cast<std::size_t>(sizes_.m - rows) * row);
    }
  }

  TestConfiguration configuration_;
  Sizes sizes_;
  Fill fill_;
  std::string name_, problem_;
  Program program_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace tessera::cuda
