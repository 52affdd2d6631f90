#include "core/report/near.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace tessera {

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

namespace {

// True if the words differ only in letter case.
bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  int best_distance = 1 + static_cast<int>(word.size()) / 3;
  for (const std::string_view candidate : candidates) {
    if (same_letters(word, candidate)) return candidate;
    // A prefix counts as a single edit.
    const bool begins = word.size() >= 3 && candidate.starts_with(word);
    const int distance = begins ? 1 : edit_distance(word, candidate);
    if (distance >= static_cast<int>(word.size())) continue;  // nothing in common
    if (distance < best_distance || (best.empty() && distance == best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view near = nearest(word, candidates);
  return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near);
}

}  // namespace tessera
