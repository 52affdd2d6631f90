#include "analysis/certificate/races/missing_wait.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "core/program/wait_candidates.h"
#include "interp/findings/cause.h"

namespace tessera {
namespace {

// Max analyses per cause, and max causes with a search for waits.
constexpr std::size_t max_attempts = 16, max_causes = 4;

// Identity of a finding, independent of a line that was inserted before it.
using Name = std::pair<FindingKind, int>;
Name name_of(const Finding& finding, int inserted_at) {
  const int line = finding.at.loc.line;
  return {finding.kind, inserted_at > 0 && line > inserted_at ? line - 1 : line};
}
std::set<Name> names(const std::vector<Finding>& findings, int inserted_at) {
  std::set<Name> result;
  for (const Finding& f : findings) result.insert(name_of(f, inserted_at));
  return result;
}

}  // namespace

void suggest_waits(const Module& module, std::vector<Finding>& findings,
                   const CertifyText& certify_text) {
  const std::vector<CauseLink> links = causes(findings);
  const std::set<Name> before = names(findings, 0);
  std::size_t tried = 0;
  for (std::size_t cause = 0; cause < findings.size(); ++cause) {
    Finding& finding = findings[cause];
    if (!links[cause].is_cause() || !finding.about.copy || !finding.start ||
        finding.mended_with >= 0)
      continue;
    if (++tried > max_causes) return;
    // rest: findings that do not follow from this one. early: accesses of this finding and its
    // consequences that come too early, in this source and before the end of the program.
    std::vector<Finding> rest;
    std::vector<std::tuple<bool, bool, StmtId, int>> early;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const bool goes =
          i == cause || links[i].folded_into == cause || links[i].follows_from == cause;
      if (!goes) {
        rest.push_back(findings[i]);
        continue;
      }
      const FindingPlace& at = findings[i].at;
      const bool is_here = findings[i].kind == FindingKind::race && at.loc &&
                           at.loc.source->name == module.source->name &&
                           findings[i].about.statement != finding.about.copy;
      const StmtId statement = findings[i].about.statement;
      if (is_here)
        early.emplace_back(i != cause, statement < finding.about.copy, statement, at.loc.line);
    }
    std::sort(early.begin(), early.end());
    std::vector<int> lines;
    for (const auto& access : early) lines.push_back(std::get<3>(access));
    const std::set<Name> allowed = names(rest, 0);
    std::vector<WaitCandidate> candidates =
        wait_candidates(module, finding.start, finding.about.of_source, lines);
    if (candidates.size() > max_attempts) candidates.resize(max_attempts);
    for (const WaitCandidate& wait : candidates) {
      const Expected<Certificate> with = certify_text(with_wait(module, wait));
      if (!with) continue;
      const std::set<Name> after = names(with->findings, wait.before_line);
      if (!std::includes(allowed.begin(), allowed.end(), after.begin(), after.end())) continue;
      if (after.size() == before.size()) continue;
      finding.missing_wait = {wait.before_line, wait.text};
      for (std::size_t i = 0; i < findings.size(); ++i)
        if (i != cause && links[i].is_cause() && !findings[i].missing_wait.before_line &&
            !after.contains(name_of(findings[i], 0)))
          findings[i].mended_with = static_cast<int>(cause);
      break;
    }
  }
}

}  // namespace tessera
