#include "devices/cuda/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tessera::cuda {
namespace {

constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

// rows a group, k, {tile m, k, n}, buffers. Few rows: the operands change places and the weights
// stream through many buffers. A short contraction: smaller tiles, whose epilogues overlap more of
// the products.
constexpr TuningLine gmm_table[] = {
    {6, any, {{8, 64, 128}, 8, 1}},      {24, any, {{16, 64, 128}, 8, 1}},
    {48, any, {{32, 64, 128}, 8, 1}},    {96, any, {{64, 64, 256}, 4, 1}},
    {any, 1024, {{128, 64, 128}, 6, 1}}, {any, any, {{128, 64, 256}, 4, 1}},
};

// The contraction runs along the rows: tile m is its step.
constexpr TuningLine tgmm_table[] = {
    {any, any, {{64, 128, 256}, 4, 1}},
};

Configuration choose(std::span<const TuningLine> lines, std::int64_t rows, std::int64_t k) {
  for (const TuningLine& line : lines) {
    if (rows <= line.rows_up_to && k <= line.k_up_to) return line.configuration;
  }
  return lines.back().configuration;
}

}  // namespace

std::string to_string(const Configuration& c) {
  std::string text = fmt::format("{}, {} buffers", tessera::to_string(c.tiling), c.buffers);
  if (c.hints.pairing != Pairing::none)
    text += fmt::format(", pairs along the {}", name(c.hints.pairing));
  if (c.hints.alternate) text += ", consumers in turn";
  if (c.hints.band != Hints{}.band) text += fmt::format(", bands of {}", c.hints.band);
  if (c.hints.left != Eviction::normal)
    text += fmt::format(", left evicted {}", name(c.hints.left));
  if (c.hints.right != Eviction::normal)
    text += fmt::format(", right evicted {}", name(c.hints.right));
  return text;
}

std::span<const TuningLine> gmm_lines() { return gmm_table; }
std::span<const TuningLine> tgmm_lines() { return tgmm_table; }

Configuration gmm_configuration(std::int64_t m, std::int64_t k, std::int64_t groups) {
  return choose(gmm_table, m / std::max<std::int64_t>(groups, 1), k);
}

Configuration tgmm_configuration(std::int64_t m, std::int64_t groups) {
  return choose(tgmm_table, m / std::max<std::int64_t>(groups, 1), 0);
}

}  // namespace tessera::cuda
