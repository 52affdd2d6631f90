#include "analysis/certificate/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/certificate/explore.h"
#include "core/program/unknown_values.h"
#include "core/report/stop.h"
#include "interp/rerun.h"

namespace tessera {
namespace {

// Max further pairs, over all races, that are run to find different ends after equal ones.
constexpr std::int64_t max_more = 8;
// Max events of a run that is recorded again with whole copies.
constexpr std::int64_t max_events_again = 200'000;

// Outcome of the runs of a witness.
struct Shown {
  bool are_run = false, is_shown = false;
  Ends ends = Ends::unknown;
  std::string outcome;

  // True if this outcome shows more than another one.
  bool is_better_than(const Shown& other) const {
    const auto rank = [](const Shown& s) {
      return s.is_shown ? (s.ends == Ends::different ? 3 : 2) : s.are_run ? 1 : 0;
    };
    return rank(*this) > rank(other);
  }
};

// Findings of a run except races, such as "semaphore_leak (4 times), unwaited_dma".
std::string kinds(const RunResult& run) {
  std::map<FindingKind, int> times;
  for (const Finding& f : run.findings)
    if (f.kind != FindingKind::race) ++times[f.kind];
  std::string text;
  for (const auto& [kind, n] : times)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name(kind),
                        n == 1 ? "" : fmt::format(" ({} times)", n));
  return text;
}

std::string or_none(const std::string& kinds) { return kinds.empty() ? "no finding" : kinds; }

// Compares the ends of two runs.
void compare(const RunResult& a, const RunResult& b, bool has_values, bool are_known,
             Shown& shown) {
  if (kinds(a) != kinds(b)) {
    shown.ends = Ends::different;
    shown.outcome = fmt::format("one order ends with {}, the other with {}", or_none(kinds(a)),
                                or_none(kinds(b)));
    return;
  }
  if (!kinds(a).empty()) {
    shown.ends = Ends::findings;
    shown.outcome =
        fmt::format("both orders end with {}, and their values are not compared", kinds(a));
    return;
  }
  if (!has_values) {
    shown.outcome = "values not compared: no tile arithmetic";
    return;
  }
  for (std::size_t i = 0; i < a.results.size() && i < b.results.size(); ++i) {
    if (a.results[i] == b.results[i]) continue;
    shown.ends = Ends::different;
    shown.outcome = fmt::format("{} of dev{} is different in the two orders", a.results[i].buffer,
                                a.results[i].device);
    return;
  }
  if (are_known)
    shown.ends = Ends::same;
  else
    shown.outcome = "values not compared: `opaque` leaves some unknown";
}

// Runs both schedules of the witness. For a race with a lifetime, one run that ends with the
// lifetime finding is enough, and its schedule replaces the other one. If a run does not contain
// the expected steps, its control flow differs from the recorded run.
Shown show(const Simulate& simulate, RunOptions options, bool is_of_lifetime, bool are_known,
           Witness& witness) {
  if (witness.granularity == CopyGranularity::partial)
    options.copies.granularity = CopyGranularity::partial;
  options = options_of_rerun(options);
  options.record.results = true;
  options.machine.slow_device = -1;
  RunResult results[2];
  bool seen[2] = {}, ended_with_lifetime[2] = {};
  const bool is_one = witness.x_first == witness.y_first;
  Shown shown;
  for (int i = 0; i < (is_one ? 1 : 2); ++i) {
    WhichFirst first(witness);
    RunOptions one = options;
    one.schedule = i == 0 ? witness.x_first : witness.y_first;
    one.observers.push_back(&first);
    Expected<RunResult> result = simulate(one);
    if (!result || result->end != RunEnd::program) return shown;
    results[i] = *std::move(result);
    seen[i] = is_one   ? first.saw_x_first() || first.saw_y_first()
              : i == 0 ? first.saw_x_first()
                       : first.saw_y_first();
    ended_with_lifetime[i] = is_of_lifetime && first.ended_with_lifetime();
  }
  shown.are_run = true;
  shown.is_shown = seen[0] && (is_one || seen[1]);
  // A partial copy can end the run before its last granule. Then there is no other order to show.
  for (int i = 0; i < 2 && !shown.is_shown; ++i) {
    if (!ended_with_lifetime[i]) continue;
    shown.is_shown = true;
    shown.ends = Ends::findings;
    shown.outcome = fmt::format("it ends with {}", kinds(results[i]));
    (i == 0 ? witness.y_first : witness.x_first) = i == 0 ? witness.x_first : witness.y_first;
    return shown;
  }
  if (shown.is_shown && !is_one)
    compare(results[0], results[1], options.math != Math::none, are_known, shown);
  return shown;
}

// True if a witness of the race moves only a part of a copy: with partial copies its schedules
// differ in one granule.
bool moves_parts(const Record& record, const std::vector<std::pair<EventId, EventId>>& pairs) {
  const auto is_part = [&](EventId e) {
    const RecordedAgentId agent = record.event(e).agent;
    return !record.is_core(agent) && record.is_partial(record.agents[agent]);
  };
  return std::any_of(pairs.begin(), pairs.end(),
                     [&](const auto& pair) { return is_part(pair.first) || is_part(pair.second); });
}

bool is_of_same_statements(const Witness& a, const Witness& b) {
  return (a.x_statement == b.x_statement && a.y_statement == b.y_statement) ||
         (a.x_statement == b.y_statement && a.y_statement == b.x_statement);
}

// Checks races that were shown with equal values in the order of some granules. The values count as
// equal only if they are equal with whole copies, too. Otherwise the race is shown with whole
// copies, or nothing is claimed about its values.
void show_with_whole_copies(const Simulate& simulate, const CertifyOptions& options,
                            const std::vector<std::size_t>& races, Certificate& certificate) {
  CertifyOptions how = options;
  how.necessity = false;
  how.schedules = 1;
  how.exhaust = std::min<std::int64_t>(how.exhaust, 16);
  how.granularity = how.run.copies.granularity = CopyGranularity::whole;
  std::optional<Certificate> whole;
  if (certificate.statistics.events <= max_events_again)
    if (Expected<Certificate> again = certify(simulate, how)) whole = *std::move(again);
  for (const std::size_t i : races) {
    RaceWitness& race = certificate.races[i];
    const RaceWitness* found = nullptr;
    if (whole)
      for (const RaceWitness& other : whole->races)
        if (other.is_shown && other.schedules &&
            is_of_same_statements(*other.schedules, *race.schedules))
          found = &other;
    if (found != nullptr && found->ends == Ends::same) continue;
    race.ends = Ends::unknown;
    race.outcome.clear();
    if (found == nullptr || found->ends != Ends::different) continue;
    race.ends = Ends::different;
    race.outcome = found->outcome;
    race.schedules = found->schedules;
  }
}

}  // namespace

void show_races(const Simulate& simulate, const CertifyOptions& options, const Record& record,
                std::optional<std::uint64_t> order, Certificate& certificate) {
  if (certificate.races.empty()) return;
  const SignalTable signals(record);
  const bool are_known = !unknown_values(*record.program).any;
  std::int64_t more = max_more;
  std::vector<std::size_t> same_in_parts;
  for (std::size_t i = 0; i < certificate.races.size() && i < options.shown; ++i) {
    if (is_stopped(current_stop())) return;
    RaceWitness& race = certificate.races[i];
    std::vector<std::pair<EventId, EventId>> pairs{{race.race.x, race.race.y}};
    pairs.insert(pairs.end(), race.race.others.begin(), race.race.others.end());
    Shown best;
    race.schedules.reset();
    std::int64_t tried = 0;
    for (const auto& [x, y] : pairs) {
      const bool is_of_lifetime = record.event(x).access == AccessKind::lifetime ||
                                  record.event(y).access == AccessKind::lifetime;
      if (best.is_shown && (best.ends != Ends::same || more-- <= 0)) break;
      bool is_shown = false;
      for (const Way way : {Way::shortest, Way::recorded}) {
        if (is_shown) break;
        std::optional<Witness> witness = find_witness(record, signals, x, y, order, way);
        if (!witness) continue;
        const Shown shown =
            show(simulate, within_budget(options), is_of_lifetime, are_known, *witness);
        is_shown = shown.is_shown;
        if (!shown.is_better_than(best)) continue;
        best = shown;
        race.schedules = witness;
      }
      tried += is_shown ? 1 : 0;
    }
    race.is_run = best.are_run;
    race.is_shown = best.is_shown;
    race.ends = best.ends;
    race.outcome = best.outcome;
    if (best.ends == Ends::same)
      race.outcome = race.race.pairs == 1
                         ? "same values in both orders"
                         : fmt::format(
                               "same values in both orders of the {} of {} pairs that were "
                               "run",
                               tried, race.race.pairs);
    if (best.ends == Ends::same && moves_parts(record, pairs)) same_in_parts.push_back(i);
    if (best.is_shown) continue;
    // Schedules that do not show the race are not a witness.
    race.schedules.reset();
    race.outcome =
        certificate.racing_control.line > 0
            ? fmt::format(
                  "the value that line {} reads is in a race and decides the control flow: the "
                  "tried orders of this race took another path than the run in which it was found",
                  certificate.racing_control.line)
            : "no order of it occurred in a run";
  }
  if (!same_in_parts.empty()) show_with_whole_copies(simulate, options, same_in_parts, certificate);
}

}  // namespace tessera
