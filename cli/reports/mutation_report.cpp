#include "cli/reports/mutation_report.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <vector>

#include "cli/reports/report.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

using fields::JudgedValueMutant;
using fields::ValueFate;
using fields::ValueTest;

// Counts of fates: one row per change, in the order of the enumerators, and a row for all changes.
template <typename Mutation, typename Fate, int fate_count>
class Table {
 public:
  void count(Mutation mutation, Fate fate) {
    ++rows_[mutation][static_cast<std::size_t>(fate)];
    ++all_[static_cast<std::size_t>(fate)];
  }
  std::string text(std::string_view head) const {
    std::string text = fmt::format("{:<20}{:>8}", head, "mutants");
    for (int f = 0; f < fate_count; ++f) text += fmt::format("  {}", name(static_cast<Fate>(f)));
    text += "\n";
    for (const auto& [mutation, counts] : rows_) text += row(name(mutation), counts);
    return text + row("all", all_);
  }

 private:
  using Counts = std::array<std::int64_t, fate_count>;

  static std::string row(std::string_view head, const Counts& counts) {
    std::int64_t all = 0;
    for (const std::int64_t count : counts) all += count;
    std::string text = fmt::format("{:<20}{:>8}", head, all);
    for (std::size_t f = 0; f < counts.size(); ++f)
      text += fmt::format("{:>{}}", counts[f], name(static_cast<Fate>(f)).size() + 2);
    return text + "\n";
  }

  std::map<Mutation, Counts> rows_;
  Counts all_{};
};

std::string what(const JudgedMutant& judged) {
  const Mutant& mutant = judged.mutant;
  return fmt::format("{}{}{}: {}", judged.mnemonic, mutant.field.empty() ? "" : ", ", mutant.field,
                     name(mutant.mutation));
}

std::string what(const JudgedValueMutant& judged) {
  return fmt::format("{}{}{}: {}", judged.mnemonic, judged.place.empty() ? "" : ", ", judged.place,
                     name(judged.mutant.mutation));
}

// Reason to list the mutant; empty if it is not listed.
std::string note(const JudgedMutant& judged) {
  if (judged.fate == Fate::equivalent) return "proved, same results";
  return judged.fate == Fate::race || judged.fate == Fate::undecided ? judged.why : "";
}

std::string note(const JudgedValueMutant& judged) {
  if (judged.fate == ValueFate::equal) return "the same functions";
  return judged.fate == ValueFate::undecided ? judged.why : "";
}

// One line per op and change, even if a line of a kernel occurs many times in the program.
template <typename Judged>
std::string survivors(const std::vector<Judged>& mutants) {
  std::map<std::string, std::int64_t> places;
  for (const Judged& judged : mutants) {
    const std::string why = note(judged);
    if (why.empty()) continue;
    ++places[render_place(judged.loc, std::string(name(judged.fate)),
                          fmt::format("{} ({})", what(judged), why))];
  }
  std::string text;
  for (const auto& [place, count] : places) text += place;
  return text;
}

template <typename Judged>
Json mutant_json(const Judged& judged, const std::string& field) {
  return {{"change", name(judged.mutant.mutation)},
          {"op", judged.mnemonic},
          {"field", field},
          {"file", judged.loc ? judged.loc.source->name : ""},
          {"line", judged.loc.line},
          {"fate", name(judged.fate)},
          {"why", judged.why}};
}

bool is_interrupted(const Mutations& mutations) {
  return mutations.synchronising.is_interrupted || mutations.values.is_interrupted;
}

double seconds(const Mutations& mutations) {
  return mutations.synchronising.seconds + mutations.values.seconds;
}

}  // namespace

std::string mutation_lines(const Prepared& prepared, const Mutations& mutations) {
  Table<Mutation, Fate, fates> synchronising;
  for (const JudgedMutant& judged : mutations.synchronising.mutants)
    synchronising.count(judged.mutant.mutation, judged.fate);
  Table<fields::ValueMutation, ValueFate, fields::value_fates> values;
  for (const JudgedValueMutant& judged : mutations.values.mutants)
    values.count(judged.mutant.mutation, judged.fate);
  std::string text = line("kernel", prepared.kernel);
  text += survivors(mutations.synchronising.mutants) + survivors(mutations.values.mutants);
  text += synchronising.text("change");
  if (mutations.values.refusal.empty())
    text += values.text("change of values");
  else
    text += line("values", fmt::format("not compared: {}", mutations.values.refusal));
  if (is_interrupted(mutations)) text += line("ended", "interrupted: there are more mutants");
  return text + line("time", human_seconds(seconds(mutations)));
}

Json mutation_json(const Prepared& prepared, const Mutations& mutations) {
  Json object = {{"status", name(is_interrupted(mutations) ? Status::interrupted : Status::ok)},
                 {"kernel", prepared.kernel},
                 {"mutants", Json::array()},
                 {"value_mutants", Json::array()}};
  for (const JudgedMutant& judged : mutations.synchronising.mutants)
    object["mutants"].push_back(mutant_json(judged, judged.mutant.field));
  for (const JudgedValueMutant& judged : mutations.values.mutants)
    object["value_mutants"].push_back(mutant_json(judged, judged.place));
  const std::string& refusal = mutations.values.refusal;
  object["values_not_compared"] = refusal.empty() ? Json() : Json(refusal);
  object["wall_seconds"] = seconds(mutations);
  return object;
}

}  // namespace tessera::cli
