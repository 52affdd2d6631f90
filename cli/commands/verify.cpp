// verify: proves properties of all schedules of a program or an operation from one run.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/certificate/promises.h"
#include "cli/args/source_file.h"
#include "cli/args/suggestion.h"
#include "cli/command.h"
#include "cli/reports/certificate_file.h"
#include "cli/reports/mutation_report.h"
#include "cli/reports/verify_replay.h"
#include "cli/reports/verify_report.h"
#include "cli/reports/verify_words.h"
#include "cli/reports/watch.h"
#include "cli/sizes/ring_length.h"
#include "cli/sizes/size_search.h"
#include "cli/sizes/verify_grow.h"
#include "cli/verify_cases.h"
#include "cli/verify_target.h"
#include "core/host/output_file.h"
#include "core/report/try.h"
#include "devices/devices.h"
#include "text/numbers.h"

namespace tessera::cli {

Command verify_command();

namespace {

int run_mutants(const VerifyTarget& target, Watch& watch, Console& console) {
  Expected<MutationTest> synchronising = mutation_test(target.prepared.simulate, target.how);
  if (!synchronising) return fail(console, synchronising.diags());
  Mutations mutations{*std::move(synchronising), {}};
  if (!mutations.synchronising.is_interrupted) {
    Expected<fields::ValueTest> values = fields::value_test(target.prepared.simulate, target.how);
    if (!values) return fail(console, values.diags());
    mutations.values = *std::move(values);
  }
  watch.hide();
  if (console.prints_json()) print(console, mutation_json(target.prepared, mutations));
  if (console.prints_text()) console.out << mutation_lines(target.prepared, mutations);
  const bool is_interrupted =
      mutations.synchronising.is_interrupted || mutations.values.is_interrupted;
  return exit_code(is_interrupted ? Status::interrupted : Status::ok);
}

// Rejects options about values, more than one of the options that select an analysis, and the
// saving of more than one verdict.
Expected<void> check_questions(const Arguments& arguments) {
  for (const char* option : {"expect", "rtol", "atol"})
    if (arguments.was_given(option))
      return error(
          fmt::format("--{} checks the values of one run, and verify analyses schedules: use "
                      "`gmm-run run`, which also reports the verdict on the schedules",
                      option));
  const char* asked = nullptr;
  for (const char* question : {"mutants", "necessity", "coverage", "cases"}) {
    if (!arguments.has(question)) continue;
    if (asked != nullptr)
      return error(
          fmt::format("--{} and --{} are different analyses: use one of them", asked, question));
    asked = question;
  }
  for (const char* question : {"mutants", "cases"})
    for (const char* option : {"save", "save-schedule"})
      if (arguments.has(question) && arguments.has(option))
        return error(fmt::format("--{} is for one verdict, and --{} has many", option, question));
  return {};
}

// Max time of the search for sizes by --coverage.
constexpr double size_search_seconds = 20;

Expected<void> write_all(OutputFile& file, const std::string& text) {
  TRY(file.append(text + "\n"));
  return file.commit();
}

int run(const Arguments& given, Console& console) {
  const auto begin = std::chrono::steady_clock::now();
  Expected<Arguments> arguments = verify_arguments(given.given(), given.files());
  if (!arguments) return fail(console, arguments.diags());
  arguments->read_along(given);
  if (const auto checked = check_questions(*arguments); !checked)
    return fail(console, checked.diags());
  if (const std::string_view cases = arguments->text("cases");
      !cases.empty() && cases != "grow" && !parse_integer(cases))
    return fail(
        console,
        {error(fmt::format("--cases: expected a number of cases or grow, found '{}'", cases))});
  if (arguments->has("cases"))
    return arguments->text("cases") == "grow" ? verify_grow(*arguments, console)
                                              : verify_cases(*arguments, console);
  Expected<VerifyTarget> target = verify_target(*arguments);
  if (!target) return fail(console, target.diags());
  const bool is_mutation = arguments->has("mutants");
  const bool asks_coverage = arguments->has("coverage");
  std::optional<OutputFile> file, schedule_file;
  for (const auto& [option, opened] :
       {std::pair("save", &file), {"save-schedule", &schedule_file}}) {
    if (!arguments->has(option)) continue;
    Expected<OutputFile> created =
        OutputFile::create(std::string(arguments->text(option)), given.files());
    if (!created) return fail(console, created.diags());
    opened->emplace(*std::move(created));
  }
  if (const Diags unread = arguments->unread(); !unread.empty()) return fail(console, unread);
  Watch watch(console);
  watch.attach(target->how.run);
  if (is_mutation) return run_mutants(*target, watch, console);
  Expected<Certificate> certificate = certify(target->prepared.simulate, target->how);
  if (!certificate) return fail(console, certificate.diags());
  const Expected<std::optional<Promises>> promises =
      stronger_promises(target->prepared.simulate, target->how, *certificate);
  if (!promises) return fail(console, promises.diags());
  certificate->promises = *promises;
  suggest_waits(target->prepared, target->how, certificate->statistics.events,
                certificate->findings);
  if (file) {
    const Expected<Json> kept =
        certificate_json(kept_words(given.given()), target->prepared, *certificate, target->how);
    if (!kept) return fail(console, kept.diags());
    if (const auto written = write_all(*file, kept->lines()); !written)
      return fail(console, written.diags());
  }
  if (schedule_file) {
    const Replay replay = replay_of(*certificate);
    if (const auto written = write_all(*schedule_file, replay.schedule); !written)
      return fail(console, written.diags());
  }
  SizeChanges changes;
  std::optional<RingLength> ring;
  if (asks_coverage) {
    Expected<SizeChanges> found =
        find_size_changes(*arguments, target->how.run.machine.devices,
                          certificate->coverage.missing, size_search_seconds);
    if (!found) return fail(console, found.diags());
    changes = *std::move(found);
    if (certificate->verdict == SchedulesVerdict::proved) {
      Expected<std::optional<RingLength>> length = ring_length(*target);
      if (!length) return fail(console, length.diags());
      ring = *std::move(length);
    }
  }
  watch.hide();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (console.prints_json()) {
    Json object = verify_json(*arguments, target->prepared, *certificate, changes, seconds);
    if (ring) object["ring"] = ring_length_json(*ring);
    print(console, std::move(object));
  }
  if (console.prints_text()) {
    console.out << verify_lines(*arguments, target->prepared, *certificate, changes, seconds);
    if (ring) console.out << ring_length_lines(*ring);
    if (file) console.out << fmt::format("{:<10}{}\n", "saved", arguments->text("save"));
  }
  return exit_code(status_of(*certificate));
}

Command resolved(const std::vector<std::string>& args) {
  Command command = verify_command();
  command.options = verify_options(args);
  return command;
}

}  // namespace

Command verify_command() {
  return {
      "verify",
      "FILE.tsr|KERNEL|COMMAND",
      "check whether some schedule of a program can race, deadlock or leave counts on semaphores",
      "  gmm-run verify my_kernel.tsr --devices 4\n"
      "  gmm-run verify gmm --group-sizes 100,150,50 --k 64 --n 32 --json\n"
      "  gmm-run verify my_kernel.tsr --devices 4 --save verdict.json\n"
      "  gmm-run verify my_kernel.tsr --cases 50 --seed 1\n",
      verify_options(),
      run,
      nullptr,
      resolved};
}

}  // namespace tessera::cli
