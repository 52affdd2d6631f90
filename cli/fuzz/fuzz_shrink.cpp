// Makes a failing case small: each step puts one plainer or smaller value in, and keeps it while
// the case still fails in the same way.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "cli/fuzz/fuzz_case.h"

namespace tessera::cli {
namespace {

using Cases = std::vector<FuzzCase>;

// Variants of `from` with one change each that leaves the case as it is or makes it plainer.
class Variants {
 public:
  explicit Variants(const FuzzCase& from) : from_(from) {}

  void with(const std::function<void(FuzzCase&)>& change) {
    FuzzCase changed = from_;
    change(changed);
    // A group dropped or a row taken may leave the window or the rows invalid.
    Problem& problem = changed.problem;
    if (problem.group_sizes.empty()) return;
    const std::int64_t after = problem.groups() - problem.group_offset;
    if (problem.local_groups < 1 || problem.local_groups > after) return;
    std::int64_t rows = 0;
    for (const std::int64_t size : problem.group_sizes) rows += size;
    if (problem.m < (problem.local_rows ? problem.processed_rows() : rows)) return;
    if (to_words(changed) != to_words(from_)) cases_.push_back(std::move(changed));
  }

  Cases take() { return std::move(cases_); }

 private:
  const FuzzCase& from_;
  Cases cases_;
};

void add_plainer(Variants& variants) {
  variants.with([](FuzzCase& c) { c.schedule = "eager"; });
  // Of two plain values the second is for where the first does not fail; no step leads back.
  variants.with([](FuzzCase& c) {
    if (c.schedule != "eager") c.schedule = "lazy";
  });
  variants.with([](FuzzCase& c) { c.landing = Landing::whole; });
  variants.with([](FuzzCase& c) { c.dma_order = DmaOrder::unordered; });
  variants.with([](FuzzCase& c) { c.math = Math::library; });
  variants.with([](FuzzCase& c) { c.problem.fill = Fill::integers; });
  variants.with([](FuzzCase& c) { c.problem.seed = 0; });
  variants.with([](FuzzCase& c) { c.problem.existing = Existing::none; });
  variants.with([](FuzzCase& c) { c.problem.transpose_rhs = false; });
  variants.with([](FuzzCase& c) { c.problem.local_rows = false; });
  variants.with([](FuzzCase& c) { c.problem.buffers = 2; });
  variants.with([](FuzzCase& c) {
    if (c.problem.buffers > 2) c.problem.buffers = 1;
  });
  variants.with([](FuzzCase& c) {
    c.problem.dtype = c.problem.rhs_dtype = DType::f32;
    if (c.problem.out_dtype == DType::i32) c.problem.out_dtype = DType::f32;
  });
  variants.with([](FuzzCase& c) { c.problem.out_dtype = DType::f32; });
}

// All groups are processed; the rows stay those of all groups.
void process_all(FuzzCase& c) {
  c.problem.group_offset = 0;
  c.problem.local_groups = c.problem.groups();
  c.problem.local_rows = false;
  std::int64_t rows = 0;
  for (const std::int64_t size : c.problem.group_sizes) rows += size;
  c.problem.m = std::max(c.problem.m, rows);
}

void add_fewer_groups(Variants& variants, const Problem& problem) {
  variants.with(process_all);
  for (std::size_t g = 0; g < problem.group_sizes.size(); ++g) {
    const auto group = static_cast<std::int64_t>(g);
    const bool is_local =
        group >= problem.group_offset && group < problem.group_offset + problem.local_groups;
    variants.with([&](FuzzCase& c) {
      Problem& p = c.problem;
      if (is_local || !p.local_rows) p.m -= p.group_sizes[g];
      p.group_sizes.erase(p.group_sizes.begin() + static_cast<std::ptrdiff_t>(g));
      if (is_local) --p.local_groups;
      if (group < p.group_offset) --p.group_offset;
    });
    for (const std::int64_t less :
         {problem.group_sizes[g], problem.group_sizes[g] / 2, std::int64_t{1}}) {
      variants.with([&](FuzzCase& c) {
        if (c.problem.group_sizes[g] < less) return;
        c.problem.group_sizes[g] -= less;
        if (is_local || !c.problem.local_rows) c.problem.m -= less;
      });
    }
  }
}

void add_smaller(Variants& variants, const Problem& problem) {
  const auto shrink_extent = [&](std::int64_t Problem::*extent) {
    const std::int64_t now = problem.*extent;
    for (const std::int64_t smaller : {std::int64_t{1}, now / 2, now - 1}) {
      if (smaller < 0 || smaller >= now) continue;
      variants.with([&](FuzzCase& c) { c.problem.*extent = smaller; });
    }
  };
  shrink_extent(&Problem::k);
  shrink_extent(&Problem::n);
  shrink_extent(&Problem::m);
  for (std::int64_t Tiling::*side : {&Tiling::m, &Tiling::k, &Tiling::n}) {
    const std::int64_t now = (*problem.tiling).*side;
    for (const std::int64_t smaller : {std::int64_t{1}, now / 2, now - 1}) {
      if (smaller < 1 || smaller >= now) continue;
      variants.with([&](FuzzCase& c) { (*c.problem.tiling).*side = smaller; });
    }
  }
}

}  // namespace

FuzzCase shrink(FuzzCase failing, const Failure& failure, const Tester& tester, int attempts) {
  for (bool changed = true; changed;) {
    changed = false;
    Variants variants(failing);
    add_fewer_groups(variants, failing.problem);
    add_plainer(variants);
    add_smaller(variants, failing.problem);
    for (FuzzCase& candidate : variants.take()) {
      if (--attempts < 0) return failing;
      const std::optional<Failure> same = tester(candidate);
      if (!same || same->kind != failure.kind) continue;
      failing = std::move(candidate);
      changed = true;
      break;
    }
  }
  return failing;
}

}  // namespace tessera::cli
