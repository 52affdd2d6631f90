#include "cli/reports/mutation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "cli/reports/report.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

using Counts = std::array<std::int64_t, fates>;

std::string row(std::string_view head, const Counts& counts) {
  std::string text = fmt::format("{:<20}", head);
  std::int64_t all = 0;
  for (const std::int64_t count : counts) all += count;
  text += fmt::format("{:>8}", all);
  for (std::size_t f = 0; f < counts.size(); ++f)
    text += fmt::format("{:>{}}", counts[f], name(static_cast<Fate>(f)).size() + 2);
  return text + "\n";
}

bool survives(const JudgedMutant& judged) {
  return judged.fate == Fate::equivalent || judged.fate == Fate::race ||
         judged.fate == Fate::undecided;
}

std::string what(const JudgedMutant& judged) {
  const Mutant& mutant = judged.mutant;
  return fmt::format("{}{}{}: {}", judged.mnemonic, mutant.field.empty() ? "" : ", ", mutant.field,
                     name(mutant.mutation));
}

}  // namespace

std::string mutation_lines(const Prepared& prepared, const MutationTest& test) {
  std::map<Mutation, Counts> rows;
  Counts all{};
  for (const JudgedMutant& judged : test.mutants) {
    ++rows[judged.mutant.mutation][static_cast<std::size_t>(judged.fate)];
    ++all[static_cast<std::size_t>(judged.fate)];
  }
  std::string text = line("kernel", prepared.kernel);
  // One line for each op and change; the same line of a kernel can stand in a program many times.
  std::map<std::string, std::int64_t> survivors;
  for (const JudgedMutant& judged : test.mutants) {
    if (!survives(judged)) continue;
    const std::string note = judged.fate == Fate::equivalent ? "proved, same results" : judged.why;
    ++survivors[render_place(judged.loc, std::string(name(judged.fate)),
                             fmt::format("{} ({})", what(judged), note))];
  }
  for (const auto& [place, count] : survivors) text += place;
  text += fmt::format("{:<20}{:>8}", "change", "mutants");
  for (std::size_t f = 0; f < all.size(); ++f)
    text += fmt::format("  {}", name(static_cast<Fate>(f)));
  text += "\n";
  for (const auto& [mutation, counts] : rows) text += row(name(mutation), counts);
  text += row("all", all);
  if (test.is_interrupted) text += line("ended", "interrupted: there are more mutants");
  text += line("time", human_seconds(test.seconds));
  return text;
}

Json mutation_json(const Prepared& prepared, const MutationTest& test) {
  Json object = {{"status", name(test.is_interrupted ? Status::interrupted : Status::ok)},
                 {"kernel", prepared.kernel},
                 {"mutants", Json::array()}};
  for (const JudgedMutant& judged : test.mutants) {
    object["mutants"].push_back({{"change", name(judged.mutant.mutation)},
                                 {"op", judged.mnemonic},
                                 {"field", judged.mutant.field},
                                 {"file", judged.loc ? judged.loc.source->name : ""},
                                 {"line", judged.loc.line},
                                 {"fate", name(judged.fate)},
                                 {"why", judged.why}});
  }
  object["wall_seconds"] = test.seconds;
  return object;
}

}  // namespace tessera::cli
