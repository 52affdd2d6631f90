// The analysis of all schedules beside a complete exploration, on random programs.
//
//   fuzz_schedules [--seed N] [--count M]      100 programs when nothing is said
//
// Compared: the races of every pair of lines and kinds, additions in no order, deadlock, what is
// left in semaphores, of scopes as well; with copies that land whole and that stream, in any order
// and in the order of each link, from runs under three schedules that land so or whole, by every
// way to reach. Of parallel loops: whether their points may come in any order and in any split, and
// what keeps them from it, by an exploration in which each point is an agent. Of the shorter record
// of a program that is planned: whether it misses something. Prints what differs with the program,
// and ends with 1.
#include <string_view>

#include "core/passes/at_once.h"
#include "tests/fuzz/schedules/compare_points.h"
#include "tests/fuzz/schedules/orders.h"
#include "tests/fuzz/schedules/point_forks.h"
#include "tests/fuzz/schedules/random_net.h"
#include "tests/fuzz/schedules/thread_reaches.h"

namespace tessera::fuzz {
namespace {

constexpr std::string_view touch_names[] = {"read", "write", "accumulate", "life"};

constexpr std::string_view reach_names[] = {"full reach", "needed reach", "swept", "adaptive"};

std::string text(const std::set<NetRace>& races) {
  std::string result;
  for (const auto& [a, b] : races)
    result += fmt::format(" {}:{}-{}:{}", a.first, touch_names[static_cast<int>(a.second)], b.first,
                          touch_names[static_cast<int>(b.second)]);
  return result.empty() ? " none" : result;
}

// Somebody reaches a semaphore of a scope that may be over, or not begun.
bool races_with_scope(const std::set<NetRace>& races) {
  return std::any_of(races.begin(), races.end(), [](const NetRace& race) {
    const auto is_scope = [](const auto& side) {
      return side.second == NetAccess::lifetime && side.first != 0;
    };
    return is_scope(race.first) || is_scope(race.second);
  });
}

void compare_sequence(std::uint64_t seed, const ProtocolNet& net, const Promises& promises,
                      const Program& expanded, const Explored& truth, Totals& totals) {
  const bool is_scope_left = races_with_scope(truth.races);
  // A random one brings the points of loops in another order.
  const char* const last = net.loops.empty() ? "random:1" : "lifo";
  for (const char* schedule : {"eager", "lazy", last}) {
    for (const SearchMode mode :
         {SearchMode::exhaustive, SearchMode::targeted, SearchMode::swept, SearchMode::adaptive}) {
      // What a run says of partial copies is the same whether its own did.
      const CopyGranularity granularity =
          promises.whole || mode == SearchMode::exhaustive || mode == SearchMode::swept
              ? CopyGranularity::whole
              : CopyGranularity::partial;
      const Seen seen = analyse(expanded, net, promises, granularity, schedule, mode);
      const std::string how =
          fmt::format("{}, {}{}{}, {}", schedule, promises.whole ? "whole" : "partial",
                      promises.fifo ? ", fifo" : "", promises.own_scoped ? "" : ", shared scopes",
                      reach_names[static_cast<int>(mode)]);
      const auto differ = [&](const std::string& what) { totals.differ(net, seed, how, what); };
      // A run in which somebody reaches a semaphore of no open scope ends there.
      if (seen.ends_scope_early) {
        if (!is_scope_left && !truth.misses_scope) differ("a scope ends early");
        continue;
      }
      if (seen.races != truth.races)
        differ(fmt::format("races{}, found{}", text(truth.races), text(seen.races)));
      if (seen.sums != truth.sums)
        differ(fmt::format("sums{}, found{}", text(truth.sums), text(seen.sums)));
      if (seen.deadlocks != truth.deadlocks) differ(fmt::format("deadlock {}", truth.deadlocks));
      if (truth.completes && !is_scope_left && seen.leaves != truth.leaves)
        differ(fmt::format("leftover {}", truth.leaves));
    }
  }
}

// The record of a program that is planned is shorter, and misses nothing. It may take the copies of
// one statement for a race with what their core does between their starts: then the longer one is
// asked.
void compare_at_once(std::uint64_t seed, const ProtocolNet& net, const Promises& promises,
                     const Program& structured, const Explored& truth, Totals& totals) {
  const Expected<Program> program = expand_at_once(structured);
  const Seen seen = analyse(checked(program, net), net, promises, CopyGranularity::whole, "eager",
                            SearchMode::adaptive);
  if (seen.ends_scope_early) return;
  const auto differ = [&](const std::string& what) { totals.differ(net, seed, "at once", what); };
  if (seen.races.empty() && !truth.races.empty())
    differ(fmt::format("races{}, found none", text(truth.races)));
  if (seen.sums.empty() && !truth.sums.empty())
    differ(fmt::format("sums{}, found none", text(truth.sums)));
  if (seen.deadlocks != truth.deadlocks) differ(fmt::format("deadlock {}", truth.deadlocks));
  if (truth.completes && !races_with_scope(truth.races) && seen.leaves != truth.leaves)
    differ(fmt::format("leftover {}", truth.leaves));
  totals.asked_again += !seen.races.empty() && truth.races.empty() ? 1 : 0;
}

void compare_loops(std::uint64_t seed, const ProtocolNet& net, const Promises& promises,
                   const Program& structured, const Explored& in_sequence, Totals& totals) {
  const ProtocolNet apart = forked(net, promises.fifo);
  PointsTruth truth = PointsExplorer(apart).run(60'000);
  totals.configurations += truth.configurations;
  if (truth.is_truncated) {
    ++totals.skipped;
    return;
  }
  const Expected<Program> per_point = expand(structured, {.per_point = true});
  const std::string reaches = thread_reaches_differ(checked(per_point, net), net, promises);
  if (!reaches.empty()) totals.differ(net, seed, "iterations as agents", reaches);
  std::map<int, LoopSeen> seen = judge_loops(*per_point, net, promises);
  const bool shares = std::any_of(truth.loops.begin(), truth.loops.end(),
                                  [](const LoopTruth& loop) { return loop.waits; });
  const bool needs = std::any_of(truth.loops.begin(), truth.loops.end(),
                                 [](const LoopTruth& loop) { return loop.needs; });
  if (truth.deadlocks && !shares && !needs)
    totals.differ(net, seed, "exploration", "points by themselves deadlock");
  bool stops = false, is_blamed = false;
  if (!shares)
    for (const std::size_t l : Orders(net).stuck()) stops = truth.loops[l].stops = true;
  for (const auto& [line, loop] : seen) is_blamed |= loop.is_undecided || !loop.loop.any_order;
  if (stops && !is_blamed)
    totals.differ(net, seed, "loops", "the program stops in some order of points");
  // A loop that several devices have is one of the text.
  std::map<int, LoopTruth> of_line;
  for (std::size_t l = 0; l < truth.loops.size(); ++l)
    of_line[net.loops[l].line].add(truth.loops[l]);
  LoopComparison comparison(seed, net, in_sequence, totals);
  for (const auto& [line, loop] : of_line)
    // Where another loop's points wait for one count, who comes when is open here too.
    if (!shares || loop.waits) comparison.loop(loop, seen[line], line);
}

void compare(std::uint64_t seed, const Promises& promises, Totals& totals) {
  const ProtocolNet net = random_net(seed, promises);
  const ProtocolNet sequence = in_sequence(net, promises.fifo);
  constexpr std::int64_t most = 60'000;
  // Without the end of the kernel first: a program that cannot end has none.
  Explored truth = Explorer(sequence, false).run(most);
  if (!truth.is_truncated && truth.completes) truth = Explorer(sequence, true).run(most);
  totals.configurations += truth.configurations;
  if (truth.is_truncated) {
    ++totals.skipped;
    return;
  }
  ++totals.programs;
  totals.races += static_cast<std::int64_t>(truth.races.size());
  totals.racy += truth.races.empty() ? 0 : 1;
  totals.sums += static_cast<std::int64_t>(truth.sums.size());
  totals.deadlocks += truth.deadlocks ? 1 : 0;
  totals.leaves += truth.leaves ? 1 : 0;
  totals.scopes += net.text.find("scoped") != std::string::npos ? 1 : 0;
  if (truth.ends.size() != 1)
    totals.differ(net, seed, "exploration", fmt::format("{} ends", truth.ends.size()));

  const Expected<Module> module =
      parse(std::make_shared<const Source>(Source{"net.tsr", net.text}));
  const Expected<Program> program = instantiate(checked(module, net), "net", {}, {});
  const Expected<Program> expanded = expand(checked(program, net));
  compare_sequence(seed, net, promises, checked(expanded, net), truth, totals);
  compare_at_once(seed, net, promises, *program, truth, totals);
  // Of a run that does not end well nothing is said of the loops.
  if (!net.loops.empty() && truth.completes && !truth.leaves && !races_with_scope(truth.races))
    compare_loops(seed, net, promises, *program, truth, totals);
}

}  // namespace
}  // namespace tessera::fuzz

int main(int argc, char** argv) {
  using namespace tessera::fuzz;
  std::int64_t seed = 1, count = 100;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc || (option != "--seed" && option != "--count")) {
      fmt::print(stderr, "fuzz_schedules [--seed N] [--count M]\n");
      return 2;
    }
    (option == "--seed" ? seed : count) = std::strtoll(argv[i + 1], nullptr, 10);
  }
  Totals totals;
  for (std::int64_t i = seed; i < seed + count; ++i)
    compare(static_cast<std::uint64_t>(i),
            {.whole = i % 4 == 1, .fifo = i / 4 % 2 == 1, .own_scoped = i % 7 != 0}, totals);
  fmt::print(
      "{} programs explored ({} too large), {} configurations: {} races in {} programs, {} sums in "
      "no order, {} deadlocks, {} with leftovers, {} with a scope; {} parallel loops: {} in any "
      "order, {} in any split; {} with races of points, {} read before a store, {} undefined "
      "after, "
      "{} with a count for two, {} that need a point, {} that meet others, {} that stop for "
      "others, {} undecided; {} asked again when planned; {} differences\n",
      totals.programs, totals.skipped, totals.configurations, totals.races, totals.racy,
      totals.sums, totals.deadlocks, totals.leaves, totals.scopes, totals.loops, totals.any_order,
      totals.any_split, totals.point_races, totals.reads_before, totals.undefined, totals.waits,
      totals.needs, totals.outside, totals.stops, totals.undecided, totals.asked_again,
      totals.differences);
  return totals.differences == 0 ? 0 : 1;
}
