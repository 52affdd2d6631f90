#include "interp/certificate/show.h"

#include <fmt/format.h>

namespace tessera {
namespace {

// Of two runs of a witness: what is different in the end.
std::string difference(const RunResult& a, const RunResult& b, bool has_values) {
  const auto kinds = [](const RunResult& run) {
    std::string text;
    for (const Finding& f : run.findings)
      if (f.kind != FindingKind::race)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", name(f.kind));
    return text.empty() ? std::string("nothing") : text;
  };
  if (kinds(a) != kinds(b))
    return fmt::format("one order ends with {}, the other with {}", kinds(a), kinds(b));
  if (kinds(a) != "nothing") return fmt::format("both orders end with {}", kinds(a));
  if (!has_values) return "values not compared: no tile arithmetic";
  for (std::size_t i = 0; i < a.results.size() && i < b.results.size(); ++i)
    if (!(a.results[i] == b.results[i]))
      return fmt::format("{} of dev{} is different in the two orders", a.results[i].buffer,
                         a.results[i].device);
  return "same values in both orders";
}

}  // namespace

Diags show(const Simulate& simulate, RunOptions options, RaceWitness& race) {
  const Witness& witness = *race.schedules;
  if (witness.is_partial) options.landing = Landing::partial;
  options.hash_results = true;
  options.observers.clear();
  options.slow_device = -1;
  RunResult results[2];
  bool seen[2] = {};
  const bool is_one = witness.x_first == witness.y_first;
  for (int i = 0; i < 2; ++i) {
    WhichFirst first(witness);
    RunOptions one = options;
    one.schedule = i == 0 ? witness.x_first : witness.y_first;
    one.observers.push_back(&first);
    Expected<RunResult> result = simulate(one);
    if (!result) return result.diags();
    results[i] = *std::move(result);
    seen[i] = i == 0 ? first.saw_x_first() : first.saw_y_first();
  }
  race.is_run = true;
  race.is_shown = is_one ? seen[0] || seen[1] : seen[0] && seen[1];
  race.outcome = is_one ? "" : difference(results[0], results[1], options.math != Math::none);
  return {};
}

void show_races(const Simulate& simulate, const CertifyOptions& options, Certificate& certificate) {
  for (std::size_t i = 0; i < certificate.races.size() && i < options.shown; ++i) {
    if (!certificate.races[i].schedules) continue;
    const Diags problems = show(simulate, options.run, certificate.races[i]);
    // A schedule that does not fit means that control went another way than in the recorded run.
    if (!problems.empty()) certificate.races[i].outcome = problems.front().message;
  }
}

}  // namespace tessera
