#include "analysis/equality/equality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <utility>

#include "analysis/equality/both_runs.h"
#include "analysis/equality/branches.h"
#include "analysis/equality/matching.h"
#include "analysis/equality/trace_difference.h"
#include "core/passes/purpose.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "interp/cut_off.h"

namespace tessera::fields {
namespace {

constexpr std::size_t fewest_draws = 3;
// Draws with random orders of max and min. They are made if there are so few compared elements that
// one order may hide a difference.
constexpr std::size_t draws_of_orders = 24;
constexpr std::int64_t many_elements = 4096;
// Max error probability of the verdict `equal`.
constexpr double max_probability = 1e-6;
// Number of primes that `draw` can return: those p of 31 bits for which (p - 1) / 2 is prime. All
// are beyond 2^30.
constexpr double primes = 1634069;

// Probability that two unequal functions are equal at one draw. Either the prime divides all
// coefficients of their difference, or the difference has a zero there (Schwartz, Zippel). The same
// holds for the difference of each two arguments of functions. Arguments of exponentials are
// compared modulo (p - 1) / 2.
double chance(const Bound& bound) {
  const double least_prime = bound.has_exponential ? 0x1p29 : 0x1p30;
  const auto zero = [&](double degree, double height) {
    return std::max(1.0, degree) / least_prime + height / 30 / primes;
  };
  const double pairs = std::max(0.0, bound.arguments * (bound.arguments - 1) / 2);
  return zero(bound.degree, bound.height) +
         pairs * zero(bound.argument_degree, bound.argument_height);
}

// Extends `all`, a bound on each element of all results of a program, by another bound.
void widen(Bound& all, const Bound& one) {
  const double arguments = std::max(all.arguments, one.arguments);
  all = joined(all, one);
  all.arguments = arguments;
}

// True if a run has no values; sets the reason in `equality`.
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

// Place of the first element that differs at some draw.
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
    return "for functions, and for constants that were computed from others, it is only known that "
           "equal ones are equal, which does not show it";
  return "max or min compares computed values, and no operands are known that have this order";
}

// Returns the reason not to try this number of orders; empty if they are tried.
std::string too_many(const Branches& branches, std::size_t orders, std::int64_t elements) {
  // Max values that all runs together compare.
  constexpr std::int64_t max_work = std::int64_t{1} << 27;
  if (branches.is_truncated) return "max and min have more than 2^21 operands";
  if (static_cast<std::int64_t>(orders) <= max_work / (branches.comparisons + elements + 1))
    return "";
  return fmt::format("max and min have {} branch patterns", orders);
}

// Runs of a comparison, until a result differs or a run has no values.
class Comparison {
 public:
  Comparison(KeptRun& a, KeptRun& b, std::uint64_t seed, Equality& equality)
      : seed_(seed),
        a_{a, SplitMix::mix(seed)},
        b_{b, SplitMix::mix(~seed)},
        has_exponents_(has_exponentials(a_.program()) || has_exponentials(b_.program())),
        equality_(equality) {}

  Expected<void> match() {
    results_ = TRY(match_results(a_, b_));
    equality_.uncompared = uncompared_results(a_, b_);
    equality_.unmatched = TRY(match_operands(a_, b_, equality_.alike));
    for (const Matched& result : results_) {
      equality_.results.push_back(result.name);
      equality_.elements += result.elements * devices();
    }
    return {};
  }

  Expected<void> run() {
    TRY(try_draws(fewest_draws));
    if (is_over() || !equality_.bound.has_order) return {};
    branches_ = TRY(branches_of(a_, b_, draws_.front(), has_exponents_));
    TRY(try_branches(true));
    TRY(try_branches(false));
    // Random combinations of branches.
    if (is_over() || equality_.elements >= many_elements) return {};
    return try_draws(draws_.size() + draws_of_orders - fewest_draws);
  }

  // True if the equality already has its reason.
  bool is_left_open() const { return is_left_open_; }

  Expected<void> conclude(Tracing tracing) {
    const Bound& bound = equality_.bound;
    equality_.draws = static_cast<int>(draws_.size());
    if (!found_) return conclude_equal(), Expected<void>();
    bool is_decided = !bound.has_unknown && !bound.has_no_value;
    if (is_decided && bound.has_order)
      is_decided = TRY(compares_inputs(a_, b_, draws_[found_->draw], has_exponents_));
    equality_.outcome = is_decided ? Outcome::different : Outcome::not_shown;
    if (!is_decided) equality_.reason = incomplete(bound);
    if (tracing == Tracing::none) return {};
    const Matched& result = results_[found_->result];
    const DifferingElement at{
        .a = result.a,
        .b = result.b,
        .device = found_->device,
        .device_b = has_devices_of_a() ? found_->device : 0,
        .element = found_->element,
        .element_b = found_->element + (result.is_stacked ? found_->device * result.elements : 0)};
    equality_.difference = TRY(trace_difference(a_, b_, at, draws_[found_->draw], has_exponents_));
    return {};
  }

 private:
  int devices() const { return a_.run.options.machine.devices; }
  bool has_devices_of_a() const { return b_.run.options.machine.devices == devices(); }
  bool is_over() const { return is_left_open_ || found_; }

  Expected<void> try_all(const std::vector<Draw>& some) {
    const Ran ran_a = TRY(run_over(a_, some, has_exponents_));
    if (ran_a.result.end != RunEnd::program) return cut_off(ran_a.result.end, "A");
    is_left_open_ = fields::is_left_open(ran_a, Which::a, equality_);
    if (is_left_open_) return {};
    const Ran ran_b = TRY(run_over(b_, some, has_exponents_));
    if (ran_b.result.end != RunEnd::program) return cut_off(ran_b.result.end, "B");
    is_left_open_ = fields::is_left_open(ran_b, Which::b, equality_);
    if (is_left_open_) return {};
    found_ =
        first_difference(ran_a, ran_b, results_, devices(), has_devices_of_a(), equality_.bound);
    if (found_) found_->draw += draws_.size();
    for (const Draw& each : some) draws_.emplace_back(each).comparisons = nullptr;
    return {};
  }

  Expected<void> try_draws(std::size_t wanted) {
    while (draws_.size() < wanted && !is_over()) {
      std::vector<Draw> some;
      while (some.size() < fewest_draws) {
        some.push_back(
            draw(SplitMix::mix(seed_ + SplitMix::golden * (draws_.size() + some.size()))));
        equality_.primes.push_back(some.back().p.prime());
      }
      TRY(try_all(some));
    }
    return {};
  }

  // Runs the first draw with orders in which each operand of each maximum (or minimum) wins once.
  // If operands depend on the winners of other groups, branches_ has their values for one winner of
  // these. A group is done if all its operands are present in each order. The remaining groups are
  // tried again, while the groups that are done keep that winner.
  Expected<void> try_branches(bool is_max) {
    std::vector<Comparisons::Group> groups = is_max ? branches_->maxima : branches_->minima;
    while (!groups.empty() && !is_over() && equality_.untried.empty()) {
      tried_ += orders_of(groups);
      equality_.untried = too_many(*branches_, tried_, equality_.elements);
      if (!equality_.untried.empty()) return {};
      const std::vector<bool> are_done = TRY(try_orders(is_max, groups));
      std::vector<Comparisons::Group> others;
      for (std::size_t g = 0; g < groups.size(); ++g)
        if (!are_done[g]) others.push_back(std::move(groups[g]));
      if (others.size() == groups.size())
        equality_.untried = "the operands of a max or min depend on the branches of others";
      groups = std::move(others);
    }
    return {};
  }

  // Returns for each group whether all its operands were present, so that each of them won once.
  Expected<std::vector<bool>> try_orders(bool is_max,
                                         const std::vector<Comparisons::Group>& groups) {
    constexpr std::size_t at_once = 8;
    std::vector<bool> are_done(groups.size(), true);
    const std::size_t orders = orders_of(groups);
    for (std::size_t order = 0; order < orders && !is_over();) {
      std::vector<Draw> some;
      std::deque<Comparisons> compared;
      for (; some.size() < at_once && order < orders; ++order) {
        Draw& draw = some.emplace_back(draws_.front());
        Levels levels = levels_without_constants(is_max, branches_->constants);
        set_winners(groups, order, levels);
        draw.levels = std::make_shared<const Levels>(std::move(levels));
        if (branches_->is_nested)
          draw.comparisons = &compared.emplace_back(branches_->constants);
        else
          draw.order = SplitMix::mix(seed_ + SplitMix::golden * (order + 1));
      }
      TRY(try_all(some));
      for (const Comparisons& each : compared)
        for (std::size_t g = 0; g < groups.size(); ++g)
          if (are_done[g]) are_done[g] = each.has_all(is_max, groups[g].operands);
    }
    return are_done;
  }

  void conclude_equal() {
    const Bound& bound = equality_.bound;
    equality_.probability = std::pow(std::min(1.0, chance(bound)), 3);
    if (bound.has_no_value)
      equality_.reason = incomplete(bound);
    else if (equality_.probability > max_probability)
      equality_.reason = fmt::format(
          "d = {:.4g}, k = {:.4g} and coefficients of {:.0f} bits are too large for three "
          "primes of 31 bits",
          bound.degree, bound.arguments, bound.height);
    else if (!equality_.untried.empty())
      equality_.reason =
          fmt::format("{}; {} were tried, and agree", equality_.untried, equality_.draws);
    else
      equality_.outcome = Outcome::equal;
  }

  std::uint64_t seed_;
  Side a_, b_;
  bool has_exponents_;
  Equality& equality_;
  std::vector<Matched> results_;
  std::vector<Draw> draws_;
  std::optional<Found> found_;
  std::optional<Branches> branches_;  // empty until needed
  std::size_t tried_ = 0;             // number of tried orders
  bool is_left_open_ = false;
};

}  // namespace

Expected<Equality> compare(KeptRun& a, KeptRun& b, std::uint64_t seed, Tracing tracing) try {
  Equality equality;
  // Assertions do not change results.
  for (KeptRun* const run : {&a, &b})
    run->program = without(std::move(run->program), Purpose::assertion);
  if (a.options.machine.devices != b.options.machine.devices && b.options.machine.devices != 1)
    return error(
        fmt::format("A runs on {} devices and B on {}: expected the same number, or one for B",
                    a.options.machine.devices, b.options.machine.devices));
  Comparison comparison(a, b, seed, equality);
  TRY(comparison.match());
  TRY(comparison.run());
  if (!comparison.is_left_open()) TRY(comparison.conclude(tracing));
  return equality;
} catch (...) {
  return given_up("comparing two programs");
}

}  // namespace tessera::fields
