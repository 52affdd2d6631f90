// bench: measures a suite and shows each row next to its peers.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "bench/report.h"
#include "cli/args/limits.h"
#include "cli/args/run_options.h"
#include "cli/command.h"
#include "cli/reports/progress.h"
#include "core/host/file.h"
#include "core/host/output_file.h"
#include "core/report/near.h"
#include "core/report/try.h"
#include "devices/devices.h"
#include "devices/thread_count.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

using bench::BenchEntry;
using bench::BenchReport;
using bench::BenchRow;

struct Suite {
  std::string_view name;
  const Device& (*device)();
  std::vector<BenchEntry> (*entries)();
};

constexpr std::array<Suite, 4> suites = {
    {{"interp", simulated_device, bench::interp_suite},
     {"certificate", simulated_device, bench::certificate_suite},
     {"threads", threading_device, bench::threads_suite},
     {"moe", launching_device, bench::moe_entries}}};

// Name of the processor or GPU; times have no meaning without it.
std::string machine(const Suite& suite) {
  if (std::string hardware = suite.device().accelerator(); !hardware.empty()) return hardware;
  const std::string threads =
      suite.device().is_simulated() ? "one thread" : fmt::format("{} threads", thread_count());
  const Expected<std::string> facts = read_whole("/proc/cpuinfo", file_kinds::system);
  for (const std::string& text : split(facts ? *facts : "", '\n')) {
    const std::size_t colon = text.find(": ");
    if (text.starts_with("model name") && colon != std::string::npos) {
      return fmt::format("{}, {}", text.substr(colon + 2), threads);
    }
  }
  return "unknown, " + threads;
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;  // Linux counts in KiB
}

std::string text_of(const BenchRow& row) {
  std::string text =
      fmt::format("{:28}{:>10} ({} to {})", row.name, human_seconds(row.times.median),
                  human_seconds(row.times.min), human_seconds(row.times.max));
  if (row.rate > 0) text += fmt::format(", {:.3g} {}", row.rate, row.unit);
  for (const auto& [peer, times] : row.peers) {
    text += fmt::format("; {} {}, ratio {:.3f}", peer, human_seconds(times.median),
                        row.times.median / times.median);
  }
  if (row.check != "ok") text += "\n  " + row.check;
  return text + "\n";
}

Expected<const Suite*> choose_suite(const Arguments& arguments) {
  std::vector<std::string_view> names;
  for (const Suite& suite : suites) names.push_back(suite.name);
  const std::string_view wanted = arguments.text("suite", names.front());
  for (const Suite& suite : suites) {
    if (suite.name != wanted) continue;
    const std::string_view own = suite.device().name(), device = arguments.text("device", own);
    if (device == own) return &suite;
    return error(ErrorCode::unsupported,
                 fmt::format("the suite {} measures the {}, not {}", wanted, own, device));
  }
  return error(fmt::format("there is no suite '{}'{}; the suites are {}", wanted,
                           did_you_mean(wanted, names), fmt::join(names, ", ")));
}

Expected<std::vector<BenchEntry>> choose_entries(const Suite& suite, const Arguments& arguments) {
  std::vector<BenchEntry> entries = suite.entries();
  const std::string filter(arguments.text("filter"));
  // std::regex compiles patterns recursively: a long pattern would overflow the stack.
  constexpr std::size_t longest_filter = 1000;
  if (filter.size() > longest_filter)
    return error(
        fmt::format("--filter has at most {} characters, got {}", longest_filter, filter.size()));
  try {
    const std::regex pattern(filter);
    std::erase_if(entries,
                  [&](const BenchEntry& entry) { return !std::regex_search(entry.name, pattern); });
  } catch (const std::regex_error& problem) {
    return error(fmt::format("--filter '{}': {}", filter, problem.what()));
  }
  if (entries.empty()) return error(fmt::format("no row of {} matches '{}'", suite.name, filter));
  return entries;
}

// The file of --plot, opened before any measurement.
using Plot = std::optional<OutputFile>;

Expected<Plot> open_plot(const Arguments& arguments) {
  if (!arguments.has("plot")) return Plot();
  Expected<OutputFile> file =
      OutputFile::create(std::string(arguments.text("plot")), arguments.files());
  if (!file) return file.diags();
  return Plot(*std::move(file));
}

Expected<void> save_plot(Plot& plot, const BenchReport& report) {
  if (!plot) return {};
  TRY(plot->append(plot_of(report)));
  return plot->commit();
}

// Shows the report of an earlier run, without measuring.
int show(const Arguments& arguments, Console& console) {
  const std::string place(arguments.text("from"));
  for (const char* other : {"suite", "device", "filter", "seconds"}) {
    if (arguments.has(other)) {
      return fail(console,
                  error(fmt::format("--from shows an earlier measurement: omit --{}", other)));
    }
  }
  const Expected<std::string> text = read_whole(place, file_kinds::report, arguments.files());
  if (!text) return fail(console, text.diags());
  const Expected<BenchReport> report = bench::read_report(*text);
  if (!report) return fail(console, report.diags());
  Expected<Plot> plot = open_plot(arguments);
  if (!plot) return fail(console, plot.diags());
  Diags unwritten;
  collect(unwritten, save_plot(*plot, *report));
  return cli::report(
      console, Status::ok, unwritten,
      [&] {
        Json object = to_json(*report);
        object["status"] = name(Status::ok);
        return object;
      },
      [&] { console.out << report->machine << '\n'
                        << table_of(*report); });
}

int run(const Arguments& arguments, Console& console) {
  if (arguments.has("from")) return show(arguments, console);
  const Expected<const Suite*> suite = choose_suite(arguments);
  if (!suite) return fail(console, suite.diags());
  const Expected<std::vector<BenchEntry>> entries = choose_entries(**suite, arguments);
  if (!entries) return fail(console, entries.diags());
  const Device& device = (*suite)->device();
  if (const Support here = device.available(); !here.ok) {
    return fail(console, error(ErrorCode::environment,
                               fmt::format("device {}: {}", device.name(), here.reason)));
  }
  Diags diags;
  const auto seconds =
      static_cast<double>(arguments.integer("seconds", diags, 0, 3600).value_or(2));
  if (!diags.empty()) return fail(console, diags);
  Expected<Plot> plot = open_plot(arguments);
  if (!plot) return fail(console, plot.diags());

  BenchReport report{std::string((*suite)->name), std::string(device.name()), machine(**suite), {}};
  if (!console.json) console.out << machine(**suite) << '\n';
  Progress progress(console);
  bool all_right = true;
  for (const BenchEntry& entry : *entries) {
    progress.show(fmt::format("bench: {}", entry.name));
    const Expected<bench::BenchCase> made = entry.make();
    if (!made) return fail(console, made.diags());
    const BenchRow row = bench::measure(*made, seconds);
    progress.hide();
    if (is_stopped(current_stop())) break;
    all_right = all_right && row.check == "ok";
    report.rows.push_back(row);
    if (!console.json) console.out << text_of(row) << std::flush;
  }
  const Status status = is_stopped(current_stop()) ? Status::interrupted
                        : all_right                ? Status::ok
                                                   : Status::mismatch;
  Diags unwritten;
  collect(unwritten, save_plot(*plot, report));
  return cli::report(
      console, status, unwritten,
      [&] {
        Json object = to_json(report);
        object["status"] = name(status);
        object["peak_resident_bytes"] = peak_resident_bytes();
        return object;
      },
      [&] {
        if (device.supports_launch()) console.out << '\n' << table_of(report);
        console.out << "peak memory " << human_bytes(peak_resident_bytes()) << '\n';
      });
}

}  // namespace

Command bench_command() {
  return {
      "bench",
      "",
      "measure a suite and, in alternation, the peers that it is compared with",
      "  gmm-run bench\n"
      "  gmm-run bench --suite interp --filter 'gmm_bf16' --json\n"
      "  gmm-run bench --suite certificate --filter 'rows|ring_8'\n"
      "  gmm-run bench --suite moe --device cuda --filter 'S(4|8)_'\n"
      "  gmm-run bench --from moe.json --plot moe.svg\n",
      {{"suite", "interp|certificate|moe", "which suite; default interp"},
       {"device", device_values(), "the device of the suite; each suite has one"},
       {"filter", "REGEX", "only the rows whose name matches"},
       {"seconds", "N",
        "seconds for which each row is measured; each is measured at least three times; default 2"},
       {"plot", "FILE.svg", "write a plot of the peers' times divided by ours", false,
        FileUse::writes},
       {"from", "FILE.json",
        "measure nothing: read the report that --json printed in an earlier run", false,
        FileUse::reads}},
      run};
}

}  // namespace tessera::cli
