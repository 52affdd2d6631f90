#include "kernels/inputs/group_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/data/shape_limits.h"
#include "core/data/splitmix.h"
#include "core/report/try.h"
#include "kernels/inputs/multinomial.h"

namespace tessera {
namespace {

using Sizes = std::vector<std::int64_t>;
using Weights = std::vector<double>;

template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return value;
}

// Largest-remainder method: rounds shares down, then adds one to those with the largest remainder.
// Equal remainders: lower index first.
Sizes apportion(const Weights& weights, std::int64_t rows) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  Sizes sizes(weights.size());
  if (rows == 0) return sizes;
  Weights lost(weights.size());
  std::int64_t left = rows;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double share = (weights[i] * static_cast<double>(rows)) / sum;
    sizes[i] = static_cast<std::int64_t>(share);
    lost[i] = share - static_cast<double>(sizes[i]);
    left -= sizes[i];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lost[a] > lost[b]; });
  for (std::int64_t i = 0; i < left; ++i) ++sizes[order[static_cast<std::size_t>(i)]];
  return sizes;
}

// Fisher-Yates, downwards.
template <typename T>
void permute(std::vector<T>& values, SplitMix& random) {
  for (std::size_t i = values.size() - 1; i > 0; --i)
    std::swap(values[i], values[random.next() % (i + 1)]);
}

Weights jittered(std::size_t count, double spread, SplitMix& random) {
  Weights weights(count);
  for (double& weight : weights) weight = (1.0 - spread) + (2.0 * spread) * random.unit();
  return weights;
}

Sizes zipf(std::size_t groups, std::int64_t rows, double exponent, SplitMix& random) {
  Weights weights(groups);
  for (std::size_t i = 0; i < groups; ++i)
    weights[i] = 1.0 / std::pow(static_cast<double>(i + 1), exponent);
  Sizes sizes = apportion(weights, rows);
  permute(sizes, random);
  return sizes;
}

std::size_t empty_groups(std::size_t groups, double percent) {
  return static_cast<std::size_t>(std::lround(static_cast<double>(groups) * percent / 100.0));
}

Sizes with_empty(std::size_t groups, std::int64_t rows, std::size_t empty, SplitMix& random) {
  Weights weights(empty);
  const Weights rest = jittered(groups - empty, 0.3, random);
  weights.insert(weights.end(), rest.begin(), rest.end());
  permute(weights, random);
  return apportion(weights, rows);
}

constexpr std::string_view forms =
    "uniform, multinomial, zipf:S, onehot, empty:P, jitter:P or a list such as 100,150,50";

Expected<void> check_fits_i32(const Sizes& sizes) {
  for (const std::int64_t size : sizes)
    if (size > std::numeric_limits<std::int32_t>::max())
      return error(fmt::format("group size {} does not fit i32", size));
  return {};
}

Expected<void> check_counts(std::string_view distribution, std::int64_t groups, std::int64_t rows) {
  if (groups < 1)
    return error(
        fmt::format("group sizes '{}' need at least one group, got {}", distribution, groups));
  if (rows < 0)
    return error(fmt::format("group sizes '{}' cannot sum to {} rows", distribution, rows));
  if (groups > max_groups)
    return error(fmt::format("expected at most 2^24 groups for group sizes '{}', found {}",
                             distribution, groups));
  if (rows > max_extent)
    return error(fmt::format("expected at most 2^40 rows for group sizes '{}', found {}",
                             distribution, rows));
  return {};
}

// Returns the sizes of a named distribution.
Expected<Sizes> drawn(std::string_view distribution, std::int64_t groups, std::int64_t rows,
                      std::uint64_t seed) {
  const std::size_t colon = distribution.find(':');
  const std::string_view name = distribution.substr(0, colon);
  const bool has_argument = colon != distribution.npos;
  const double argument =
      (has_argument ? number<double>(distribution.substr(colon + 1)) : std::nullopt).value_or(-1);
  const auto count = static_cast<std::size_t>(groups);
  SplitMix random(seed);

  if (!has_argument) {
    if (name == "uniform") return apportion(Weights(count, 1.0), rows);
    if (name == "multinomial") return multinomial(count, rows, random);
    if (name == "onehot") {
      Sizes sizes(count);
      sizes[count / 2] = rows;
      return sizes;
    }
  }
  if (name == "zipf" || name == "empty" || name == "jitter") {
    const double largest = name == "zipf" ? 16 : name == "empty" ? 100 : 99;
    if (!(argument >= 0 && argument <= largest)) {
      return error(fmt::format("group sizes '{}' require a number from 0 to {} as in {}",
                               distribution, largest,
                               name == "zipf"    ? "zipf:1.2"
                               : name == "empty" ? "empty:50"
                                                 : "jitter:30"));
    }
    if (name == "zipf") return zipf(count, rows, argument, random);
    if (name == "jitter") return apportion(jittered(count, argument / 100.0, random), rows);
    const std::size_t empty = empty_groups(count, argument);
    if (empty == count && rows > 0) {
      return error(fmt::format("group sizes '{}' leave none of {} groups for {} rows", distribution,
                               groups, rows));
    }
    return with_empty(count, rows, empty, random);
  }
  return error(fmt::format("group sizes '{}' are none of {}", distribution, forms));
}

}  // namespace

// Names of distributions do not begin like a number and have no comma.
bool is_group_size_list(std::string_view text) {
  if (text.empty() || text.front() == '@') return false;
  return std::string_view("0123456789,-+ ").find(text.front()) != text.npos ||
         text.find(',') != text.npos;
}

Expected<void> check_group_sizes(std::string_view text) {
  TRY(generate_group_sizes(text, 1, 0, 0));
  return {};
}

Expected<Sizes> parse_group_sizes(std::string_view text) {
  Sizes sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view entry = text.substr(begin, end - begin);
    const auto size = number<std::int64_t>(entry);
    if (!size)
      return error(fmt::format("'{}' in the group sizes '{}' is not a number", entry, text));
    if (*size < 0) return error(fmt::format("group size {} is negative", *size));
    sizes.push_back(*size);
    begin = end + 1;
  }
  TRY(check_fits_i32(sizes));
  return sizes;
}

Expected<Sizes> generate_group_sizes(std::string_view distribution, std::int64_t groups,
                                     std::int64_t rows, std::uint64_t seed) {
  if (is_group_size_list(distribution)) return parse_group_sizes(distribution);
  TRY(check_counts(distribution, groups, rows));
  Sizes sizes = TRY(drawn(distribution, groups, rows, seed));
  TRY(check_fits_i32(sizes));
  return sizes;
}

}  // namespace tessera
