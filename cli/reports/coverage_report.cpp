#include "cli/reports/coverage_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/report.h"

namespace tessera::cli {
namespace {

constexpr std::size_t shown = 3;

std::string change_text(const CoverageNote& note, const SizeChange* change, bool is_searched) {
  if (change != nullptr && change->finding.empty()) return fmt::format("; try {}", change->words);
  if (change != nullptr)
    return fmt::format("; no size that was tried exercises it, but {} ends with {}", change->words,
                       change->finding);
  if (is_searched) return "; no size that was tried exercises it";
  return note.devices > 0 ? fmt::format("; from {} devices on they differ", note.devices) : "";
}

}  // namespace

std::string coverage_text(const CoverageNote& note) {
  const std::string place =
      note.loc ? fmt::format("{}:{}: ", note.loc.source->name, note.loc.line) : "";
  return place + note.message;
}

std::string coverage_of_run_lines(const Certificate& certificate, const std::string& command) {
  const std::vector<CoverageNote>& notes = certificate.coverage.missing;
  if (notes.empty()) return {};
  std::string text = line("uncovered", coverage_text(notes.front()));
  if (notes.size() > 1)
    text += line("", fmt::format("{} more: {} --coverage", notes.size() - 1, command));
  return text;
}

std::string coverage_lines(const Certificate& certificate, const SizeChanges& changes) {
  const std::vector<CoverageNote>& notes = certificate.coverage.missing;
  const bool is_searched = !changes.empty();
  const std::size_t listed = is_searched ? notes.size() : std::min(notes.size(), shown);
  std::string text;
  for (std::size_t i = 0; i < listed; ++i) {
    const CoverageNote& note = notes[i];
    const SizeChange* const change = is_searched && changes[i] ? &*changes[i] : nullptr;
    text += line("uncovered", coverage_text(note) + change_text(note, change, is_searched));
  }
  if (listed < notes.size())
    text += line("", fmt::format("{} more: --coverage lists all and searches for larger sizes",
                                 notes.size() - listed));
  else if (!notes.empty() && !is_searched)
    text += line("", "--coverage searches for sizes that exercise this");
  return text;
}

Json coverage_json(const std::vector<CoverageNote>& notes, const SizeChanges& changes) {
  Json array = Json::array();
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const CoverageNote& note = notes[i];
    Json change;
    if (i < changes.size() && changes[i])
      change = {{"words", changes[i]->words},
                {"finding", changes[i]->finding.empty() ? Json() : Json(changes[i]->finding)}};
    array.push_back({{"kind", name(note.kind)},
                     {"file", note.loc ? Json(note.loc.source->name) : Json()},
                     {"line", note.loc.line},
                     {"message", note.message},
                     {"change", std::move(change)}});
  }
  return array;
}

}  // namespace tessera::cli
