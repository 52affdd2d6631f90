// Larger random programs that are proved, under many schedules: all must end alike.
//
//   fuzz_larger [--seed N] [--count M] [--schedules S]      20 programs, 20 schedules each
//
// Draws programs until M are proved, each by itself for partial or whole copies, in any
// order or in that of each link. Under every schedule (eager, lazy, the newest copy first, random,
// PCT, other orders of the points of parallel loops, a device that is slow, parts of copies of
// every size) the results must be the same and nothing found. Prints the program and the schedule
// that differ, and ends with 1. Those that have a task graph are also run on
// threads, in random orders of tasks as small as may be. Nothing may be proved of the run that
// programs are planned by and not of the program, also of those that are not proved.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "analysis/certificate/certificate.h"
#include "analysis/certificate/points/judged_points.h"
#include "core/lang/language.h"
#include "devices/interpreter/interpreter_device.h"
#include "devices/profiles/profile.h"
#include "devices/threads/task_run.h"
#include "devices/threads/threads_device.h"
#include "tests/fuzz/larger/random_kernel.h"

namespace tessera::fuzz {
namespace {

struct Case {
  std::uint64_t seed = 0;
  RandomKernel kernel;
  Program program;
  RunOptions options;      // that the proof is for
  bool any_split = false;  // of its parallel loops
};

// The operands of all devices: small whole numbers.
struct Operands {
  std::vector<std::map<std::string, Tensor, std::less<>>> tensors;
  std::vector<Binding> bindings;

  Operands(const Program& program, int devices) : tensors(static_cast<std::size_t>(devices)) {
    int next = 0;
    for (auto& of_device : tensors) {
      Binding& binding = bindings.emplace_back();
      for (const Buffer& buffer : program.buffers) {
        if (buffer.role == Role::scratch) continue;
        const auto [it, is_new] =
            of_device.emplace(buffer.name, Tensor(buffer.dtype, buffer.shape));
        for (std::int64_t i = 0; buffer.role == Role::in && i < elements(buffer.shape); ++i)
          it->second.set(i, (next = (next * 5 + 3) % 17) - 8);
        binding.emplace(buffer.name, &it->second);
      }
    }
  }
};

Expected<RunResult> simulate(const Case& of, const RunOptions& options) {
  Operands operands(of.program, of.kernel.devices);
  std::vector<DeviceBinding> bindings(operands.bindings.begin(), operands.bindings.end());
  const Expected<DeviceReport> report = interpreter_device().run(
      of.program, bindings, {.profile = options.machine.profile, .interpreter = &options});
  if (!report) return report.diags();
  return *report->simulated;
}

Case make_case(std::uint64_t seed) {
  Case made{.seed = seed, .kernel = KernelMaker(seed).make(), .program = {}, .options = {}};
  const Expected<Module> module =
      parse(std::make_shared<const Source>(Source{"large.tsr", made.kernel.text}));
  const Expected<Program> program =
      module ? instantiate(*module, "large", {}, {}) : Expected<Program>(module.diags());
  const Expected<Profile> profile = find_profile(default_profile);
  if (!program || !profile) {
    fmt::print(stderr, "seed {}\n{}{}", seed, made.kernel.text, render(program.diags()));
    std::exit(2);
  }
  made.program = *program;
  made.options.machine.devices = made.kernel.devices;
  made.options.machine.cores = made.kernel.cores;
  made.options.machine.profile = profile->machine;
  made.options.copies.granularity =
      seed % 4 == 1 ? CopyGranularity::whole : CopyGranularity::partial;
  made.options.copies.order = seed / 4 % 2 == 1 ? DmaOrder::fifo : DmaOrder::unordered;
  return made;
}

// Number `i` of a program's schedules; options that a proof for them says nothing of stay.
RunOptions schedule(const Case& of, int i) {
  const auto number = static_cast<std::int64_t>(of.seed) * 64 + i;
  RunOptions options = of.options;
  options.record.results = true;
  const char* const plain[] = {"eager", "lazy", "lifo"};
  switch (i % 5) {
    case 0:
      options.schedule = plain[i / 5 % 3];
      break;
    case 1:
    case 2:
      options.schedule = fmt::format("random:{}", number);
      break;
    case 3:
      options.schedule = fmt::format("pct:{}:{}", number, 2 + i % 3);
      break;
    default:
      options.schedule = fmt::format("steps:order:{}", number);
  }
  // What is right for partial copies is right for whole copies.
  if (i % 3 == 0) options.copies.granularity = CopyGranularity::whole;
  if (i % 7 == 3) options.machine.slow_device = i % of.kernel.devices;
  // What points have stored in scratch that is read afterwards is nowhere when each had its own.
  if (of.any_split && i % 4 >= 2) options.machine.loop_workers = 2 + i / 4 % 3;
  const std::int64_t granules[] = {1, 4, 12, 64};
  options.machine.profile.dma_granule = granules[i / 3 % 4];
  return options;
}

std::string text(const RunOptions& options) {
  return fmt::format(
      "--schedule '{}' --copy-granularity {} --dma-order {} --slow-device {} --loop-workers {} "
      "granule {}",
      options.schedule, options.copies.granularity == CopyGranularity::whole ? "whole" : "partial",
      options.copies.order == DmaOrder::fifo ? "fifo" : "unordered", options.machine.slow_device,
      options.machine.loop_workers, options.machine.profile.dma_granule);
}

struct Totals {
  std::int64_t drawn = 0, proved = 0, runs = 0, on_point_cores = 0, loops = 0, differences = 0,
               with_graph = 0, at_once = 0, asked_again = 0;
};

bool has_results(const Case& of, const Operands& a, const Operands& b) {
  for (std::size_t d = 0; d < a.tensors.size(); ++d)
    for (const Buffer& buffer : of.program.buffers) {
      if (buffer.role != Role::out) continue;
      const Tensor &x = a.tensors[d].find(buffer.name)->second,
                   &y = b.tensors[d].find(buffer.name)->second;
      if (!std::equal(x.data(), x.data() + x.bytes(), y.data())) return false;
    }
  return true;
}

// The same on threads, which refuse what is proved only for whole copies.
void try_threads(const Case& of, Totals& totals) {
  RunOptions options = of.options;
  options.copies.granularity = CopyGranularity::whole;
  const auto run = [&](const Device& device, Operands& operands) {
    std::vector<DeviceBinding> bindings(operands.bindings.begin(), operands.bindings.end());
    return device.run(of.program, bindings,
                      {.profile = options.machine.profile, .interpreter = &options});
  };
  Operands expected(of.program, of.kernel.devices);
  if (!run(interpreter_device(), expected)) return;
  for (std::uint64_t order = 0; order < 3; ++order) {
    shuffle_tasks(of.seed * 3 + order);
    Operands operands(of.program, of.kernel.devices);
    const Expected<DeviceReport> report = run(threads_device(), operands);
    shuffle_tasks({});
    const bool is_refused =
        !report && report.diags().front().message.find("no task graph") != std::string::npos;
    if (is_refused) return;
    totals.with_graph += order == 0 ? 1 : 0;
    if (report && report->findings.empty() && has_results(of, operands, expected)) continue;
    if (++totals.differences <= 10)
      fmt::print("seed {}, --devices {} --cores {} on threads: {}\n{}\n", of.seed,
                 of.kernel.devices, of.kernel.cores,
                 report ? "other results than the interpreter's" : render(report.diags()),
                 of.kernel.text);
    return;
  }
}

void try_schedules(const Case& of, int schedules, Totals& totals) {
  std::vector<ResultHash> expected;
  for (int i = 0; i < schedules; ++i) {
    const RunOptions options = schedule(of, i);
    const Expected<RunResult> run = simulate(of, options);
    ++totals.runs;
    totals.on_point_cores += options.machine.loop_workers > 0 ? 1 : 0;
    std::string what;
    if (!run)
      what = render(run.diags());
    else if (!run->findings.empty())
      what = fmt::format("{}: {}", name(run->findings.front().kind), run->findings.front().message);
    else if (!run->is_complete)
      what = "the run does not end";
    else if (i > 0 && run->results != expected)
      what = "other results than under the first schedule";
    if (i == 0 && run) expected = run->results;
    if (what.empty()) continue;
    if (++totals.differences <= 10)
      fmt::print("seed {}, --devices {} --cores {} {}: {}\n{}\n", of.seed, of.kernel.devices,
                 of.kernel.cores, text(options), what, of.kernel.text);
    return;
  }
}

// Whether the certificate says that all schedules end alike.
bool is_proved(Case& of) {
  const CertifyOptions options{.run = of.options, .granularity = of.options.copies.granularity};
  const Expected<Certificate> certificate =
      certify([&](const RunOptions& o) { return simulate(of, o); }, options);
  if (!certificate) {
    fmt::print(stderr, "seed {}\n{}{}", of.seed, of.kernel.text, render(certificate.diags()));
    std::exit(2);
  }
  of.any_split = !certificate->loops.empty() &&
                 std::all_of(certificate->loops.begin(), certificate->loops.end(),
                             [](const ParallelLoop& loop) { return loop.any_split; });
  return certificate->verdict == SchedulesVerdict::proved;
}

// What a run is that programs are planned by: proved of it is proved of the expanded program.
void try_at_once(const Case& of, bool is_proved, Totals& totals) {
  CertifyOptions options{.run = of.options, .granularity = of.options.copies.granularity};
  options.run.copies.granularity = CopyGranularity::whole;
  options.run.math = Math::none;
  options.run.rewrite = MoveAtOnce{};
  options.shown = 0;
  options.exhaust = 0;
  options.schedules = 1;
  const Expected<Certificate> certificate =
      certify([&](const RunOptions& o) { return simulate(of, o); }, options);
  const bool says_so = certificate && certificate->verdict == SchedulesVerdict::proved;
  totals.at_once += says_so ? 1 : 0;
  totals.asked_again += is_proved && !says_so ? 1 : 0;
  if (is_proved || !says_so) return;
  if (++totals.differences <= 10)
    fmt::print("seed {}, --devices {} --cores {}: proved where blocks move at once alone\n{}\n",
               of.seed, of.kernel.devices, of.kernel.cores, of.kernel.text);
}

}  // namespace
}  // namespace tessera::fuzz

int main(int argc, char** argv) {
  using namespace tessera::fuzz;
  std::int64_t seed = 1, count = 20, schedules = 20;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc || (option != "--seed" && option != "--count" && option != "--schedules")) {
      fmt::print(stderr, "fuzz_larger [--seed N] [--count M] [--schedules S]\n");
      return 2;
    }
    (option == "--seed"    ? seed
     : option == "--count" ? count
                           : schedules) = std::strtoll(argv[i + 1], nullptr, 10);
  }
  Totals totals;
  while (totals.proved < count) {
    Case made = make_case(static_cast<std::uint64_t>(seed + totals.drawn++));
    const bool proved = is_proved(made);
    try_at_once(made, proved, totals);
    if (!proved) continue;
    ++totals.proved;
    totals.loops += made.kernel.text.find(" parallel {") != std::string::npos ? 1 : 0;
    try_schedules(made, static_cast<int>(schedules), totals);
    try_threads(made, totals);
  }
  fmt::print(
      "{} programs proved of {} drawn, {} with parallel points; {} runs, {} of them on "
      "loop workers, {} programs on threads; {} proved at once, {} not; {} programs differ\n",
      totals.proved, totals.drawn, totals.loops, totals.runs, totals.on_point_cores,
      totals.with_graph, totals.at_once, totals.asked_again, totals.differences);
  return totals.differences == 0 ? 0 : 1;
}
