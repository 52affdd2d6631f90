// Names and texts of findings.
#include "core/report/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tessera {

std::span<const FindingKind> finding_kinds() {
  static constexpr FindingKind kinds[] = {
#define KIND(name, traits) FindingKind::name,
      TESSERA_FINDING_KINDS(KIND)
#undef KIND
  };
  return kinds;
}

std::string_view name(FindingKind kind) {
  static constexpr std::string_view names[] = {
#define KIND(name, traits) #name,
      TESSERA_FINDING_KINDS(KIND)
#undef KIND
  };
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name(NoteRole role) {
  static constexpr std::string_view names[] = {"other", "undefined_since", "moved_by"};
  return names[static_cast<std::size_t>(role)];
}

bool has(FindingKind kind, FindingTrait trait) {
  using enum FindingTrait;
  static constexpr FindingTrait of_kind[] = {
#define KIND(name, traits) traits,
      TESSERA_FINDING_KINDS(KIND)
#undef KIND
  };
  return (static_cast<unsigned>(of_kind[static_cast<std::size_t>(kind)]) &
          static_cast<unsigned>(trait)) != 0;
}

bool any_has(const std::vector<Finding>& findings, FindingTrait trait) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& f) { return has(f.kind, trait); });
}

bool all_have(const std::vector<Finding>& findings, FindingTrait trait) {
  return std::all_of(findings.begin(), findings.end(),
                     [&](const Finding& f) { return has(f.kind, trait); });
}

std::string to_string(const LoopIndices& indices) {
  std::string text;
  for (const LoopIndex& index : indices)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ",
                        index.name.empty() ? "loop" : index.name, index.value);
  return text;
}

namespace {

// True if the text contains the name of the device or agent as a whole.
bool names(std::string_view text, std::string_view agent) {
  for (std::size_t at = text.find(agent); at != std::string_view::npos;
       at = text.find(agent, at + 1)) {
    const std::size_t end = at + agent.size();
    const auto is_part_of_name = [&](std::size_t i) {
      return i < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
    };
    if ((at == 0 || !is_part_of_name(at - 1)) && !is_part_of_name(end)) return true;
  }
  return false;
}

// Returns "dev1.core0", or "dev1" if there is no particular agent; empty if the message already
// names it.
std::string agent_of(const FindingPlace& place, std::string_view message) {
  std::string agent = place.agent;
  if (agent.empty() && place.device >= 0) agent = fmt::format("dev{}", place.device);
  return names(message, agent) ? std::string{} : agent;
}

std::string with_place(const FindingPlace& place, std::string_view message,
                       const std::string& agent) {
  const std::string loops = to_string(place.loops);
  if (agent.empty() && loops.empty()) return std::string(message);
  return fmt::format("{}, {}{}{}{}{}{}", message, place.is_last ? "the last " : "",
                     agent.empty() ? "" : "on ", agent, agent.empty() || loops.empty() ? "" : " ",
                     loops.empty() ? "" : "at ", loops);
}

// Returns the text of a note. It names its agent only if the finding is on another core.
std::string note_text(const FindingPlace& note, const FindingPlace& finding) {
  const auto core = [](const std::string& agent) { return agent.substr(0, agent.find('/')); };
  const bool is_other = !note.agent.empty() && core(note.agent) != core(finding.agent);
  return with_place(note, note.message, is_other ? agent_of(note, note.message) : "");
}

}  // namespace

std::string message_text(const FindingPlace& place, std::string_view message) {
  return with_place(place, message, agent_of(place, message));
}

std::string message_text(const Finding& finding, std::string_view message) {
  if (finding.kind == FindingKind::deadlock) return with_place(finding.at, message, "");
  return message_text(finding.at, message);
}

Diag as_error(const Finding& finding) {
  const ErrorCode code =
      has(finding.kind, FindingTrait::unsupported) ? ErrorCode::unsupported : ErrorCode::runtime;
  Diag diag{code,
            finding.at.loc,
            fmt::format("{}: {}", name(finding.kind), message_text(finding, finding.message)),
            {}};
  for (const FindingPlace& note : finding.notes)
    diag.notes.push_back({note.loc, note_text(note, finding.at)});
  return diag;
}

std::string render(const Finding& finding) { return render(finding, finding.message, true); }

std::string render(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += render(finding);
  return text;
}

std::string render(const Finding& finding, std::string_view message, bool with_details) {
  std::string text =
      render_place(finding.at.loc, name(finding.kind), message_text(finding, message));
  for (const FindingPlace& note : finding.notes)
    if (with_details || !note.is_detail)
      text += render_place(note.loc, "note", note_text(note, finding.at));
  if (finding.missing_wait.before_line > 0)
    text += render_place({}, "note",
                         fmt::format("insert \"{}\" before line {}", finding.missing_wait.text,
                                     finding.missing_wait.before_line));
  return text;
}

std::string render(const Remark& remark, std::string_view words) {
  const std::string message = fmt::format("{}{}", words, remark.at.message);
  std::string text = render_place(remark.at.loc, "note", message_text(remark.at, message));
  for (const FindingPlace& note : remark.notes)
    text += render_place(note.loc, "note", note_text(note, remark.at));
  return text;
}

}  // namespace tessera
