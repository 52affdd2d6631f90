#include "analysis/equality/branches.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>

#include "core/data/splitmix.h"
#include "core/report/try.h"
#include "interp/cut_off.h"

namespace tessera::fields {
namespace {

constexpr std::int64_t max_inputs = std::int64_t{1} << 21;
constexpr int orders_looked_at = 8;

using Values = std::unordered_set<Residue>;

void add_constants(const Program& program, const Draw& draw, Values& constants) {
  for (const Value& value : program.values) {
    if (!value.constant) continue;
    if (value.kind == ValueKind::real) constants.insert(draw.of(value.real).p);
    if (value.kind == ValueKind::scalar) constants.insert(draw.of(value.integer).p);
  }
}

std::int64_t inputs_of(const Side& side) {
  std::int64_t count = 0;
  for (const Buffer& buffer : side.program().buffers)
    if (buffer.role == Role::in) count += elements(buffer.shape);
  return count * side.run.options.machine.devices;
}

void add_inputs(const Side& side, const Draw& draw, Values& values) {
  const Inputs inputs(draw, side.cuts, std::nullopt);
  for (const Buffer& buffer : side.program().buffers) {
    if (buffer.role != Role::in || !is_float(buffer.dtype)) continue;
    for (int device = 0; device < side.run.options.machine.devices; ++device) {
      const Inputs::Operand operand = inputs.of(buffer.name, device);
      for (std::int64_t i = 0; i < elements(buffer.shape); ++i) values.insert(operand(i).p);
    }
  }
}

bool are_inputs(const Side& a, const Side& b, const Draw& draw, const std::vector<Residue>& all) {
  if (inputs_of(a) + inputs_of(b) > max_inputs) return false;
  Values inputs;
  add_inputs(a, draw, inputs);
  add_inputs(b, draw, inputs);
  return std::all_of(all.begin(), all.end(), [&](Residue value) { return inputs.contains(value); });
}

Expected<void> run_both(const Side& a, const Side& b, std::span<const Draw> draws,
                        bool has_exponents) {
  for (const auto& [side, name] : {std::pair(&a, "A"), std::pair(&b, "B")}) {
    const Ran ran = TRY(run_over(*side, draws, has_exponents));
    if (ran.result.end != RunEnd::program) return cut_off(ran.result.end, name);
  }
  return {};
}

}  // namespace

Expected<Branches> branches_of(const Side& a, const Side& b, const Draw& draw, bool has_exponents) {
  Branches found;
  add_constants(a.program(), draw, found.constants);
  add_constants(b.program(), draw, found.constants);
  Comparisons of_maxima(found.constants), of_minima(found.constants);
  std::vector<Draw> draws(2, draw);
  for (const bool is_max : {true, false}) {
    Draw& each = draws[is_max ? 0 : 1];
    each.levels = std::make_shared<Levels>(levels_without_constants(is_max, found.constants));
    each.comparisons = is_max ? &of_maxima : &of_minima;
  }
  std::deque<Comparisons> others;
  for (int i = 1; i <= orders_looked_at; ++i) {
    Draw& each = draws.emplace_back(draws.front());
    each.order = SplitMix::mix(draw.order + SplitMix::golden * static_cast<std::uint64_t>(i));
    each.comparisons = &others.emplace_back(found.constants);
  }
  TRY(run_both(a, b, draws, has_exponents));
  found.maxima = of_maxima.groups(true);
  found.minima = of_minima.groups(false);
  found.comparisons = of_maxima.count();
  found.is_truncated = of_maxima.is_truncated() || of_minima.is_truncated();
  const std::vector<Residue> values = of_maxima.values();
  found.is_nested = values != of_minima.values() ||
                    std::any_of(others.begin(), others.end(),
                                [&](const Comparisons& each) { return each.values() != values; });
  return found;
}

Expected<bool> compares_inputs(const Side& a, const Side& b, const Draw& draw, bool has_exponents) {
  Values constants;
  add_constants(a.program(), draw, constants);
  add_constants(b.program(), draw, constants);
  Comparisons compared(constants);
  Draw same = draw;
  same.comparisons = &compared;
  TRY(run_both(a, b, {&same, 1}, has_exponents));
  return !compared.is_truncated() && compared.constants() <= 1 &&
         are_inputs(a, b, draw, compared.values());
}

}  // namespace tessera::fields
