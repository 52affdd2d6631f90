#include "interp/field/equality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/passes/purpose.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "interp/field/both_runs.h"
#include "interp/field/matching.h"
#include "interp/field/trace_difference.h"

namespace tessera::fields {
namespace {

constexpr std::size_t fewest_draws = 3;
// Orders of max and min, where so few elements are compared that one order may hide a difference.
constexpr std::size_t draws_of_orders = 24;
constexpr std::int64_t many_elements = 4096;
// An equality that may be wrong more often is none.
constexpr double most_probability = 1e-6;
// As many primes as `draw` can draw, all beyond 2^30: those p of 31 bits for which (p - 1) / 2 is a
// prime.
constexpr double primes = 1634069;

// That two unequal functions are equal at one draw. Either the prime divides all coefficients of
// their difference, or the difference has a zero there (Schwartz, Zippel); and so the difference of
// each two arguments of functions. Those of exponentials are compared modulo (p - 1) / 2.
double chance(const Bound& bound) {
  const double least_prime = bound.has_exponential ? 0x1p29 : 0x1p30;
  const auto zero = [&](double degree, double height) {
    return std::max(1.0, degree) / least_prime + height / 30 / primes;
  };
  const double pairs = std::max(0.0, bound.arguments * (bound.arguments - 1) / 2);
  return zero(bound.degree, bound.height) +
         pairs * zero(bound.argument_degree, bound.argument_height);
}

// Of all results of a program: what holds for each of their elements.
void widen(Bound& all, const Bound& one) {
  const double arguments = std::max(all.arguments, one.arguments);
  all = joined(all, one);
  all.arguments = arguments;
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
                                      bool has_devices_of_a, Bound& bound) {
  std::optional<Found> first;
  Bound of_a, of_b;
  for (std::size_t r = 0; r < results.size(); ++r)
    for (int device = 0; device < devices; ++device)
      for (std::size_t draw = 0; draw < a.values.size(); ++draw) {
        const Tile x = a.values[draw]->result(results[r].a, device);
        const Tile y = b.values[draw]->result(results[r].b, has_devices_of_a ? device : 0);
        widen(of_a, x.bound);
        widen(of_b, y.bound);
        const auto from = y.p.begin() + (results[r].is_stacked ? device * x.elements() : 0);
        const auto at = std::mismatch(x.p.begin(), x.p.end(), from).first - x.p.begin();
        if (at == x.elements()) continue;
        const bool is_earlier =
            !first || first->result > r || (first->result == r && first->device > device) ||
            (first->result == r && first->device == device && first->element > at);
        if (is_earlier) first = Found{r, draw, device, at};
      }
  widen(bound, sum_of(of_a, of_b));
  return first;
}

std::string incomplete(const Bound& bound) {
  if (bound.has_no_value) return "a value such as 0 / 0 or inf - inf has no rule over the field";
  if (bound.has_unknown)
    return "of functions, and of constants that were computed from others, it is only known that "
           "equal ones are equal, and that does not show it";
  return "max and min are known as some order alone, and that does not show it";
}

}  // namespace

Expected<Equality> compare(KeptRun& run_a, KeptRun& run_b, std::uint64_t seed,
                           Tracing tracing) try {
  Equality equality;
  // What looks at a run computes nothing.
  for (KeptRun* const run : {&run_a, &run_b})
    run->program = without(std::move(run->program), Purpose::assertion);
  const int devices = run_a.options.devices, devices_b = run_b.options.devices;
  if (devices != devices_b && devices_b != 1)
    return error(fmt::format("A runs on {} devices and B on {}: expected as many, or one for B",
                             devices, devices_b));
  Side a{run_a, SplitMix::mix(seed)}, b{run_b, SplitMix::mix(~seed)};
  const std::vector<Matched> results = TRY(match_results(a, b));
  equality.uncompared = uncompared_results(a, b);
  equality.unmatched = TRY(match_operands(a, b, equality.alike));
  for (const Matched& result : results) {
    equality.results.push_back(result.name);
    equality.elements += result.elements * devices;
  }
  const bool has_exponents = has_exponentials(a.program()) || has_exponentials(b.program());
  std::size_t wanted = fewest_draws;
  std::vector<Draw> draws;
  std::optional<Found> found;
  while (draws.size() < wanted && !found) {
    std::vector<Draw> some;
    while (some.size() < fewest_draws) {
      some.push_back(draw(SplitMix::mix(seed + SplitMix::golden * (draws.size() + some.size()))));
      equality.primes.push_back(some.back().p.prime());
    }
    const Ran ran_a = TRY(run_over(a, some, has_exponents));
    if (is_left_open(ran_a, Which::a, equality)) return equality;
    const Ran ran_b = TRY(run_over(b, some, has_exponents));
    if (is_left_open(ran_b, Which::b, equality)) return equality;
    found = first_difference(ran_a, ran_b, results, devices, devices_b == devices, equality.bound);
    if (found) found->draw += draws.size();
    draws.insert(draws.end(), some.begin(), some.end());
    if (equality.bound.has_order && equality.elements < many_elements) wanted = draws_of_orders;
  }
  equality.draws = static_cast<int>(draws.size());
  const Bound& bound = equality.bound;
  if (!found) {
    equality.probability = std::pow(std::min(1.0, chance(bound)), 3);
    if (bound.has_no_value)
      equality.reason = incomplete(bound);
    else if (equality.probability > most_probability)
      equality.reason = fmt::format(
          "d = {:.4g}, k = {:.4g} and coefficients of {:.0f} bits are too large for three "
          "primes of 31 bits",
          bound.degree, bound.arguments, bound.height);
    else
      equality.outcome = Outcome::equal;
    return equality;
  }
  const bool is_decided = !bound.has_unknown && !bound.has_order && !bound.has_no_value;
  equality.outcome = is_decided ? Outcome::different : Outcome::not_shown;
  if (!is_decided) equality.reason = incomplete(bound);
  if (tracing == Tracing::none) return equality;
  const Matched& result = results[found->result];
  const DifferingElement at{
      .a = result.a,
      .b = result.b,
      .device = found->device,
      .device_b = devices_b == devices ? found->device : 0,
      .element = found->element,
      .element_b = found->element + (result.is_stacked ? found->device * result.elements : 0)};
  equality.difference = TRY(trace_difference(a, b, at, draws[found->draw], has_exponents));
  return equality;
} catch (...) {
  return given_up("comparing two programs");
}

}  // namespace tessera::fields
