// The analysis of all schedules beside a complete exploration, on random programs.
//
//   fuzz_schedules [--seed N] [--count M]      150 programs when nothing is said
//
// Compared: the races of every pair of lines and kinds, additions in no order, deadlock, what is
// left in semaphores; with copies that land whole and that stream, in any order and in the order of
// each link, from runs under three schedules that land so or whole, by every way to reach. Prints
// what differs with the program, and ends with 1.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "core/language.h"
#include "interp/certificate/freeze_one.h"
#include "interp/run.h"
#include "tests/fuzz/schedules/explore.h"
#include "tests/fuzz/schedules/random_net.h"

namespace tessera::fuzz {
namespace {

struct Seen {
  std::set<NetRace> races, sums;
  bool deadlocks = false, leaves = false;
};

Touch touch(AccessKind kind) {
  switch (kind) {
    case AccessKind::read:
      return Touch::read;
    case AccessKind::write:
      return Touch::write;
    case AccessKind::accumulate:
      return Touch::accumulate;
    case AccessKind::life:
      return Touch::life;
  }
  return Touch::read;
}

std::pair<int, Touch> side(const Record& record, std::int32_t e) {
  const RecordedEvent& event = record.events[static_cast<std::size_t>(e)];
  int line = 0;
  if (event.statement >= 0) {
    const Program& program = *record.program;
    const auto place =
        static_cast<std::size_t>(program.body[static_cast<std::size_t>(event.statement)].place);
    line = program.places[place].loc.line;
  }
  return {line, touch(event.access)};
}

Seen analyse(const Program& program, const Net& net, const Promises& promises, Landing landing,
             const std::string& schedule, Reach reach) {
  Recorder recorder(!promises.whole, 1'000'000);
  RunOptions options{.devices = net.devices,
                     .cores = net.cores,
                     .schedule = schedule,
                     .landing = landing,
                     .dma_order = promises.fifo ? DmaOrder::fifo : DmaOrder::unordered};
  options.observers.push_back(&recorder);
  const Expected<RunResult> result =
      run(program, std::vector<Binding>(static_cast<std::size_t>(net.devices)), options);
  if (!result) {
    fmt::print(stderr, "{}{}", net.text, render(result.diags()));
    std::exit(2);
  }
  Seen seen;
  for (const Finding& finding : result->findings) {
    seen.deadlocks |= finding.kind == FindingKind::deadlock;
    seen.leaves |=
        finding.kind == FindingKind::semaphore_leak || finding.kind == FindingKind::unwaited_dma;
  }
  for (const Race& race : freeze_one(recorder.record(), reach).races) {
    NetRace found{side(recorder.record(), race.x), side(recorder.record(), race.y)};
    if (found.second < found.first) std::swap(found.first, found.second);
    (race.is_order ? seen.sums : seen.races).insert(found);
  }
  return seen;
}

constexpr std::string_view touch_names[] = {"read", "write", "accumulate", "life"};

constexpr std::string_view reach_names[] = {"full reach", "needed reach", "swept", "adaptive"};

std::string text(const std::set<NetRace>& races) {
  std::string result;
  for (const auto& [a, b] : races)
    result += fmt::format(" {}:{}-{}:{}", a.first, touch_names[static_cast<int>(a.second)], b.first,
                          touch_names[static_cast<int>(b.second)]);
  return result.empty() ? " none" : result;
}

struct Totals {
  std::int64_t programs = 0, skipped = 0, races = 0, racy = 0, sums = 0, deadlocks = 0, leaves = 0,
               configurations = 0, differences = 0;
};

void differ(Totals& totals, const Net& net, std::uint64_t seed, std::string_view how,
            const std::string& what) {
  if (++totals.differences > 10) return;
  fmt::print("seed {}, {}: {}\n{}\n", seed, how, what, net.text);
}

void compare(std::uint64_t seed, const Promises& promises, Totals& totals) {
  const Net net = random_net(seed, promises);
  constexpr std::int64_t most = 200'000;
  // Without the end of the kernel first: a program that cannot end has none.
  Explored truth = Explorer(net, false).run(most);
  if (!truth.is_cut && truth.completes) truth = Explorer(net, true).run(most);
  totals.configurations += truth.configurations;
  if (truth.is_cut) {
    ++totals.skipped;
    return;
  }
  ++totals.programs;
  totals.races += static_cast<std::int64_t>(truth.races.size());
  totals.racy += truth.races.empty() ? 0 : 1;
  totals.sums += static_cast<std::int64_t>(truth.sums.size());
  totals.deadlocks += truth.deadlocks ? 1 : 0;
  totals.leaves += truth.leaves ? 1 : 0;
  if (truth.ends.size() != 1)
    differ(totals, net, seed, "exploration", fmt::format("{} ends", truth.ends.size()));

  const Expected<Module> module =
      parse(std::make_shared<const Source>(Source{"net.tsr", net.text}));
  const Expected<Program> program =
      module ? instantiate(*module, "net", {}, {}) : Expected<Program>(module.diags());
  const Expected<Program> expanded =
      program ? expand(*program) : Expected<Program>(program.diags());
  if (!expanded) return differ(totals, net, seed, "parsing", render(expanded.diags()));
  for (const char* schedule : {"eager", "lazy", "random:1"}) {
    for (const Reach reach : {Reach::full, Reach::needed, Reach::swept, Reach::adaptive}) {
      // What a run says of copies that stream is the same whether its own did.
      const Landing landing = promises.whole || reach == Reach::full || reach == Reach::swept
                                  ? Landing::whole
                                  : Landing::partial;
      const Seen seen = analyse(*expanded, net, promises, landing, schedule, reach);
      const std::string how =
          fmt::format("{}, {}{}, {}", schedule, promises.whole ? "whole" : "partial",
                      promises.fifo ? ", fifo" : "", reach_names[static_cast<int>(reach)]);
      if (seen.races != truth.races)
        differ(totals, net, seed, how,
               fmt::format("races{}, found{}", text(truth.races), text(seen.races)));
      if (seen.sums != truth.sums)
        differ(totals, net, seed, how,
               fmt::format("sums{}, found{}", text(truth.sums), text(seen.sums)));
      if (seen.deadlocks != truth.deadlocks)
        differ(totals, net, seed, how, fmt::format("deadlock {}", truth.deadlocks));
      if (truth.completes && seen.leaves != truth.leaves)
        differ(totals, net, seed, how, fmt::format("leftover {}", truth.leaves));
    }
  }
}

}  // namespace
}  // namespace tessera::fuzz

int main(int argc, char** argv) {
  using namespace tessera::fuzz;
  std::int64_t seed = 1, count = 150;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc || (option != "--seed" && option != "--count")) {
      fmt::print(stderr, "fuzz_schedules [--seed N] [--count M]\n");
      return 2;
    }
    (option == "--seed" ? seed : count) = std::strtoll(argv[i + 1], nullptr, 10);
  }
  Totals totals;
  for (std::int64_t i = 0; i < count; ++i)
    compare(static_cast<std::uint64_t>(seed + i),
            {.whole = (seed + i) % 4 == 1, .fifo = (seed + i) / 4 % 2 == 1}, totals);
  fmt::print(
      "{} programs explored ({} too large), {} configurations: {} races in {} programs, {} sums in "
      "no order, {} deadlocks, {} with leftovers; {} differences\n",
      totals.programs, totals.skipped, totals.configurations, totals.races, totals.racy,
      totals.sums, totals.deadlocks, totals.leaves, totals.differences);
  return totals.differences == 0 ? 0 : 1;
}
