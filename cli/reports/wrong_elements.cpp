#include "cli/reports/wrong_elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "interp/memory/layout.h"

namespace tessera::cli {
namespace {

using Indices = std::vector<std::int64_t>;  // ascending

Indices indices_of(const std::vector<bool>& has) {
  Indices indices;
  for (std::size_t i = 0; i < has.size(); ++i)
    if (has[i]) indices.push_back(static_cast<std::int64_t>(i));
  return indices;
}

// Distance of adjacent indices; 0 if it varies.
std::int64_t step_of(const Indices& indices) {
  if (indices.size() < 2) return 1;
  const std::int64_t step = indices[1] - indices[0];
  for (std::size_t i = 2; i < indices.size(); ++i)
    if (indices[i] - indices[i - 1] != step) return 0;
  return step;
}

struct SliceWords {
  std::string text;
  bool is_exact = true;  // true: contains no other index
};

// "5", "0 .. 32" or "64 .. 128 step 2", in the syntax of the language.
SliceWords words_of(const Indices& indices) {
  const std::int64_t step = step_of(indices), first = indices.front(), last = indices.back();
  if (first == last) return {fmt::format("{}", first)};
  if (step > 1) return {fmt::format("{} .. {} step {}", first, last + 1, step)};
  return {fmt::format("{} .. {}", first, last + 1), step == 1};
}

}  // namespace

std::string wrong_elements_text(const ComparedResult& result) {
  const Comparison& c = result.comparison;
  const Buffer& buffer = *result.expected->buffer;
  if (c.wrong < 2 || c.wrong == c.elements || buffer.shape.empty()) return {};
  const Layout layout(buffer);
  std::vector<std::vector<bool>> has;
  for (const std::int64_t extent : buffer.shape) has.emplace_back(extent);
  for (std::int64_t i = 0; i < c.elements; ++i) {
    if (result.is_right(i)) continue;
    const Index at = layout.index(i);
    for (std::size_t d = 0; d < has.size(); ++d) has[d][static_cast<std::size_t>(at[d])] = true;
  }
  std::vector<std::string> words;
  std::int64_t product = 1;
  bool is_exact = true;
  for (const std::vector<bool>& dimension : has) {
    const Indices indices = indices_of(dimension);
    SliceWords one = words_of(indices);
    product *= static_cast<std::int64_t>(indices.size());
    is_exact = is_exact && one.is_exact;
    words.push_back(std::move(one.text));
  }
  return fmt::format("the wrong elements {} {}[{}]",
                     is_exact && product == c.wrong ? "are" : "are inside", buffer.name,
                     fmt::join(words, ", "));
}

}  // namespace tessera::cli
