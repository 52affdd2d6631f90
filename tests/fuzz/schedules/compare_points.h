// The verdicts on parallel loops beside the exploration in which each point is an agent.
#pragma once
#include "tests/fuzz/schedules/analysis.h"
#include "tests/fuzz/schedules/points_truth.h"
#include "tests/fuzz/schedules/totals.h"

namespace tessera::fuzz {

inline std::string text(const std::set<int>& lines) {
  return lines.empty() ? "none" : fmt::format("{}", fmt::join(lines, " "));
}
inline std::string text(const std::set<std::pair<int, int>>& pairs) {
  std::string result;
  for (const auto& [a, b] : pairs) result += fmt::format(" {}-{}", a, b);
  return result.empty() ? " none" : result;
}

class LoopComparison {
 public:
  LoopComparison(std::uint64_t seed, const ProtocolNet& net, const Explored& in_sequence,
                 Totals& totals)
      : seed_(seed), net_(net), in_sequence_(in_sequence), totals_(totals) {}

  void loop(const LoopTruth& truth, const LoopSeen& seen, int line) {
    // verify() says that it does not know.
    if (seen.is_undecided) {
      ++totals_.undecided;
      return;
    }
    const std::string how = fmt::format("loop of line {}", line);
    bool is_outside = false;  // by what is no race when the points come one after the other
    for (const NetRace& race : truth.outside) is_outside |= !in_sequence_.races.contains(race);
    // Where accesses race anyway, who stored x when is open.
    const bool is_ordered =
        std::all_of(in_sequence_.races.begin(), in_sequence_.races.end(), [](const NetRace& race) {
          return race.first.second == NetAccess::lifetime ||
                 race.second.second == NetAccess::lifetime;
        });
    if (!is_ordered && !(truth.undefined.empty() && truth.reads_before.empty())) return;
    const bool is_wrong = !truth.races.empty() || !truth.reads_before.empty() ||
                          !truth.undefined.empty() || truth.waits || truth.needs || is_outside;
    // Of loops that stop for each other it is enough to blame one.
    if (!is_wrong && truth.stops) {
      ++totals_.stops;
      return;
    }
    ++totals_.loops;
    totals_.any_order += is_wrong ? 0 : 1;
    totals_.any_split += is_wrong || truth.is_read_after ? 0 : 1;
    totals_.point_races += truth.races.empty() ? 0 : 1;
    totals_.reads_before += truth.reads_before.empty() ? 0 : 1;
    totals_.undefined += truth.undefined.empty() ? 0 : 1;
    totals_.waits += truth.waits ? 1 : 0;
    totals_.needs += truth.needs ? 1 : 0;
    totals_.outside += is_outside ? 1 : 0;
    if (seen.loop.any_order == is_wrong)
      return totals_.differ(
          net_, seed_, how,
          fmt::format("any order {}, found {} (races {}, reads before {}, undefined {}, waits {}, "
                      "needs {}, outside {})",
                      !is_wrong, seen.loop.any_order, truth.races.size(), text(truth.reads_before),
                      text(truth.undefined), truth.waits, truth.needs, is_outside));
    if (!is_wrong && is_ordered && seen.loop.any_split == truth.is_read_after)
      totals_.differ(
          net_, seed_, how,
          fmt::format("any split {}, found {}", !truth.is_read_after, seen.loop.any_split));
    // Where points need each other, what orders them is a breach of its own.
    if (!is_wrong || truth.waits || truth.needs) return;
    std::set<std::pair<int, int>> races;
    for (const auto& [a, b] : truth.races) races.insert(std::minmax(a.first, b.first));
    same_kind("races of points", races, seen.races);
    same_kind("reads before", truth.reads_before, seen.reads_before);
    if (races.empty() && truth.reads_before.empty())
      same_kind("undefined", truth.undefined, seen.undefined);
  }

 private:
  // The analysis names one access of each point to a rectangle, not all.
  template <typename Lines>
  void same_kind(std::string_view what, const Lines& truth, const Lines& seen) {
    if (truth.empty() == seen.empty() &&
        std::includes(truth.begin(), truth.end(), seen.begin(), seen.end()))
      return;
    totals_.differ(net_, seed_, "loop",
                   fmt::format("{} {}, found {}", what, text(truth), text(seen)));
  }

  const std::uint64_t seed_;
  const ProtocolNet& net_;
  const Explored& in_sequence_;
  Totals& totals_;
};

}  // namespace tessera::fuzz
