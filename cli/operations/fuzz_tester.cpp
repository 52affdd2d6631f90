#include "cli/operations/fuzz_tester.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/command.h"
#include "core/report/stop.h"
#include "text/json.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

using fuzz::Failure;

// The program of the case, for repeated runs; none if the case is not one simulated launch.
std::optional<Prepared> prepared(const Invocation& a_case) {
  const std::vector<Command> known = commands();
  const auto command = std::find_if(known.begin(), known.end(), [&](const Command& candidate) {
    return candidate.name == a_case.command && candidate.prepare != nullptr;
  });
  if (command == known.end()) return std::nullopt;
  const Expected<Arguments> arguments = parse_arguments(command->options, a_case.words());
  if (!arguments) return std::nullopt;
  Expected<Prepared> made = command->prepare(*arguments);
  if (!made || !made->request.is_simulated()) return std::nullopt;
  return *std::move(made);
}

std::optional<Failure> replayed(const Invocation& a_case) {
  const std::optional<Prepared> call = prepared(a_case);
  if (!call) return std::nullopt;
  RunOptions options = call->request.options;
  options.record.schedule = true;
  const Expected<RunResult> first = call->simulate(options);
  if (!first || is_stopped(current_stop())) return std::nullopt;
  options.schedule = first->schedule;
  const Expected<RunResult> again = call->simulate(options);
  if (is_stopped(current_stop())) return std::nullopt;
  if (!again)
    return Failure{"nondeterminism", "its replay fails: " + again.diags().front().message};
  if (!again->findings.empty())
    return Failure{"nondeterminism", "its replay fails: " + again->findings.front().message};
  if (again->trace_hash == first->trace_hash) return std::nullopt;
  return Failure{"nondeterminism", fmt::format("trace hash {:016x}, replayed {:016x}",
                                               first->trace_hash, again->trace_hash)};
}

// The first finding of a command's report, otherwise its whole output.
Failure failure_of(const std::string& out, const std::string& err) {
  const Json result = Json::parse(out);
  const Json* const findings = result.find("findings");
  if (findings == nullptr || !findings->is_array() || findings->elements().empty())
    return {"error", out + err};
  const auto said = [&](const char* field, const std::string& otherwise) {
    const Json* const found = findings->elements()[0].find(field);
    return found == nullptr ? otherwise : found->text();
  };
  return {said("kind", "error"), said("message", out)};
}

}  // namespace

std::optional<Failure> try_command(const Invocation& a_case) {
  std::ostringstream out, err;
  const int code = run(a_case.with("json").with("no-verify").words(), out, err);
  // A requested stop is not a failure of the case.
  if (is_stopped(current_stop())) return std::nullopt;
  if (code != 0) return failure_of(out.str(), err.str());
  const auto seed = parse_integer(a_case.value("seed").value_or("0"));
  return seed && *seed % 8 == 0 ? replayed(a_case) : std::nullopt;
}

}  // namespace tessera::cli
