#include "kernels/inputs/multinomial.h"

#include <algorithm>
#include <cmath>

#include "core/report/stop.h"

namespace tessera {
namespace {

constexpr std::int64_t max_picks = std::int64_t{1}
                                   << 20;  // rows that select their groups one by one
constexpr std::int64_t min_split = 64;     // min rows for which binomial() is valid

// Difference between log(k!) and Stirling's formula.
double stirling_error(double k) {
  constexpr double exact[] = {0.0810614667953272, 0.0413406959554092, 0.0276779256849983,
                              0.0207906721037650, 0.0166446911898211, 0.0138761288230707,
                              0.0118967099458917, 0.0104112652619720, 0.00925546218271273,
                              0.00833056343336287};
  if (k < 10) return exact[static_cast<int>(k)];
  const double next = k + 1, square = next * next;
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / next;
}

class Splitter {
 public:
  Splitter(std::vector<std::int64_t>& sizes, SplitMix& random) : sizes_(sizes), random_(random) {}

  void split(std::size_t first, std::size_t groups, std::int64_t rows) {
    leave_if_stopped();
    const double share = static_cast<double>(groups) / static_cast<double>(sizes_.size());
    if (groups == 1) {
      sizes_[first] = rows;
    } else if (rows <= std::max(min_split, static_cast<std::int64_t>(share * max_picks))) {
      for (std::int64_t row = 0; row < rows; ++row) ++sizes_[first + random_.next() % groups];
    } else {
      const std::size_t left = groups / 2;
      const double p = static_cast<double>(left) / static_cast<double>(groups);
      const std::int64_t to_left = binomial(rows, p, random_);
      split(first, left, to_left);
      split(first + left, groups - left, rows - to_left);
    }
  }

 private:
  std::vector<std::int64_t>& sizes_;
  SplitMix& random_;
};

}  // namespace

std::vector<std::int64_t> multinomial(std::size_t groups, std::int64_t rows, SplitMix& random) {
  std::vector<std::int64_t> sizes(groups);
  Splitter(sizes, random).split(0, groups, rows);
  return sizes;
}

std::int64_t binomial(std::int64_t trials, double p, SplitMix& random) {
  const auto n = static_cast<double>(trials);
  const double odds = p / (1 - p), spread = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double centre = n * p + 0.5, alpha = (2.83 + 5.1 / b) * spread;
  const double squeeze = 0.92 - 4.2 / b, mode = std::floor((n + 1) * p);
  for (;;) {
    const double u = random.unit() - 0.5, v = 1 - random.unit();
    const double distance = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / distance + b) * u + centre);
    if (distance >= 0.07 && v <= squeeze) return static_cast<std::int64_t>(k);
    if (k < 0 || k > n) continue;
    const double scaled = std::log(v * alpha / (a / (distance * distance) + b));
    const double bound = (mode + 0.5) * std::log((mode + 1) / (odds * (n - mode + 1))) +
                         (n + 1) * std::log((n - mode + 1) / (n - k + 1)) +
                         (k + 0.5) * std::log(odds * (n - k + 1) / (k + 1)) + stirling_error(mode) +
                         stirling_error(n - mode) - stirling_error(k) - stirling_error(n - k);
    if (scaled <= bound) return static_cast<std::int64_t>(k);
  }
}

}  // namespace tessera
