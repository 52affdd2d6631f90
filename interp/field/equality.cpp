#include "interp/field/equality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "interp/field/both_runs.h"
#include "interp/field/trace_difference.h"

namespace tessera::fields {
namespace {

constexpr std::size_t fewest_draws = 3;
// Orders of max and min, where so few elements are compared that one order may hide a difference.
constexpr std::size_t draws_of_orders = 24;
constexpr std::int64_t many_elements = 64;

// Results that both programs have.
struct Matched {
  BufferId a, b;
  std::string name;
  std::int64_t elements = 0;
};

const Buffer* operand_of(const Program& program, const std::string& name, Role role) {
  const Buffer* const found = program.find_buffer(name);
  return found != nullptr && found->role == role ? found : nullptr;
}

BufferId id_of(const Program& program, const Buffer& buffer) {
  return program.value(buffer.value).buffer;
}

std::string type_text(const Buffer& buffer) {
  return fmt::format("{}[{}]", name(buffer.dtype), fmt::join(buffer.shape, ", "));
}

// Gives B the integers of A.
Expected<void> match_operands(KeptRun& a, KeptRun& b, Equality& equality) {
  for (const Buffer& buffer : a.program.buffers) {
    if (buffer.role != Role::in) continue;
    const Buffer* const other = operand_of(b.program, buffer.name, Role::in);
    if (other == nullptr) {
      equality.unmatched.push_back(buffer.name);
      continue;
    }
    const bool are_integers = is_integer(buffer.dtype);
    if (elements(buffer.shape) != elements(other->shape) ||
        are_integers != is_integer(other->dtype) || (are_integers && buffer.dtype != other->dtype))
      return error(fmt::format("operand `{}` is {} in A and {} in B: operands of one name are one",
                               buffer.name, type_text(buffer), type_text(*other)));
    if (!are_integers) continue;
    for (std::size_t device = 0; device < a.operands.size(); ++device) {
      Tensor& to = b.operands[device].find(buffer.name)->second;
      const Tensor& from = a.operands[device].find(buffer.name)->second;
      std::copy_n(from.data(), from.bytes(), to.data());
    }
  }
  for (const Buffer& buffer : b.program.buffers)
    if (buffer.role == Role::in && operand_of(a.program, buffer.name, Role::in) == nullptr)
      equality.unmatched.push_back(buffer.name);
  return {};
}

Expected<std::vector<Matched>> match_results(const Program& a, const Program& b) {
  std::vector<Matched> matched;
  for (const Buffer& buffer : a.buffers) {
    const Buffer* const other =
        buffer.role == Role::out ? operand_of(b, buffer.name, Role::out) : nullptr;
    if (other == nullptr) continue;
    if (elements(buffer.shape) != elements(other->shape))
      return error(fmt::format("result `{}` is {} in A and {} in B: they cannot be compared",
                               buffer.name, type_text(buffer), type_text(*other)));
    matched.push_back({id_of(a, buffer), id_of(b, *other), buffer.name, elements(buffer.shape)});
  }
  if (matched.empty()) return error("A and B have no result of the same name: nothing to compare");
  return matched;
}

// What keeps a run from telling its values.
bool is_left_open(const Ran& ran, Which which, Equality& equality) {
  const auto refused = std::find_if(ran.values.begin(), ran.values.end(),
                                    [](const auto& values) { return values->refusal(); });
  equality.which = which;
  if (refused != ran.values.end()) {
    equality.refusal = (*refused)->refusal();
    equality.reason = equality.refusal->message;
    return true;
  }
  if (!ran.result.findings.empty()) {
    equality.findings = ran.result.findings;
    equality.reason = fmt::format("{} has a finding: {}", which == Which::a ? "A" : "B",
                                  ran.result.findings.front().message);
    return true;
  }
  if (ran.result.is_complete) return false;
  equality.reason = fmt::format("{} did not run to its end", which == Which::a ? "A" : "B");
  return true;
}

// Of the first element that differs at some draw.
struct Found {
  std::size_t result = 0, draw = 0;
  int device = 0;
  std::int64_t element = 0;
};

std::optional<Found> first_difference(const Ran& a, const Ran& b,
                                      const std::vector<Matched>& results, int devices,
                                      Equality& equality) {
  std::optional<Found> first;
  for (std::size_t r = 0; r < results.size(); ++r)
    for (int device = 0; device < devices; ++device)
      for (std::size_t draw = 0; draw < a.values.size(); ++draw) {
        const Tile x = a.values[draw]->result(results[r].a, device);
        const Tile y = b.values[draw]->result(results[r].b, device);
        for (const Tile* tile : {&x, &y}) {
          const double arguments = std::max(equality.bound.arguments, tile->bound.arguments);
          equality.bound = joined(equality.bound, tile->bound);
          equality.bound.arguments = arguments;
        }
        const auto at = std::mismatch(x.p.begin(), x.p.end(), y.p.begin()).first - x.p.begin();
        if (at == x.elements()) continue;
        const bool is_earlier =
            !first || first->result > r || (first->result == r && first->device > device) ||
            (first->result == r && first->device == device && first->element > at);
        if (is_earlier) first = Found{r, draw, device, at};
      }
  return first;
}

std::string incomplete(const Bound& bound) {
  if (bound.has_no_value) return "a value such as 0 / 0 or inf - inf has no rule over the field";
  if (bound.has_unknown)
    return "functions are known by their name alone (equal at equal arguments), and that does not "
           "show it";
  return "max and min are known as some order alone, and that does not show it";
}

}  // namespace

Expected<Equality> compare(KeptRun& a, KeptRun& b, std::uint64_t seed) try {
  Equality equality;
  if (a.options.devices != b.options.devices)
    return error(
        fmt::format("A runs on {} devices and B on {}: how operands are cut over devices "
                    "is not known",
                    a.options.devices, b.options.devices));
  const std::vector<Matched> results = TRY(match_results(a.program, b.program));
  TRY(match_operands(a, b, equality));
  const int devices = a.options.devices;
  for (const Matched& result : results) {
    equality.results.push_back(result.name);
    equality.elements += result.elements * devices;
  }
  const bool has_exponents = has_exponentials(a.program) || has_exponentials(b.program);
  std::size_t wanted = fewest_draws;
  std::vector<Draw> draws;
  std::optional<Found> found;
  while (draws.size() < wanted && !found) {
    std::vector<Draw> some;
    while (some.size() < fewest_draws) {
      some.push_back(draw(SplitMix::mix(seed + SplitMix::golden * (draws.size() + some.size()))));
      equality.primes.push_back(some.back().p.prime());
    }
    const std::uint64_t apart = SplitMix::mix(~seed + draws.size());
    const Ran ran_a = TRY(run_over(a, some, SplitMix::mix(apart), has_exponents));
    if (is_left_open(ran_a, Which::a, equality)) return equality;
    const Ran ran_b = TRY(run_over(b, some, SplitMix::mix(~apart), has_exponents));
    if (is_left_open(ran_b, Which::b, equality)) return equality;
    found = first_difference(ran_a, ran_b, results, devices, equality);
    if (found) found->draw += draws.size();
    draws.insert(draws.end(), some.begin(), some.end());
    if (equality.bound.has_order && equality.elements < many_elements) wanted = draws_of_orders;
  }
  equality.draws = static_cast<int>(draws.size());
  if (!found) {
    equality.outcome = Outcome::equal;
    const double d = std::max(1.0, equality.bound.degree), k = equality.bound.arguments;
    const double each = (d + k * k * d) / draws.front().p.prime();
    equality.probability = std::min(1.0, std::pow(each, 3));
    return equality;
  }
  const Bound& bound = equality.bound;
  const bool is_decided = !bound.has_unknown && !bound.has_order && !bound.has_no_value;
  equality.outcome = is_decided ? Outcome::different : Outcome::not_shown;
  if (!is_decided) equality.reason = incomplete(bound);
  const Matched& result = results[found->result];
  equality.difference =
      TRY(trace_difference(a, b, {result.a, result.b, found->device, found->element},
                           draws[found->draw], has_exponents, seed));
  return equality;
} catch (...) {
  return given_up("comparing two programs");
}

}  // namespace tessera::fields
