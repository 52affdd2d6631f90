#include "cli/reports/finding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

#include "cli/reports/console.h"
#include "interp/findings/cause.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// Limits without --all, to keep reports on large programs readable.
constexpr std::size_t max_causes = 100, max_notes = 20;

std::string omitted_text(std::size_t count, std::string_view one, std::string_view many) {
  if (count == 0) return "";
  return fmt::format("note: {} not shown; --all shows {}\n",
                     counted(static_cast<std::int64_t>(count), fmt::format("more {} is", one),
                             fmt::format("more {} are", many)),
                     count == 1 ? "it" : "them");
}

class Text {
 public:
  Text(const std::vector<Finding>& findings, bool all,
       const std::function<std::string(std::size_t)>& behind)
      : findings_(findings), links_(causes(findings)), all_(all), behind_(behind) {}

  std::string write() {
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (links_[i].is_cause()) roots.push_back(i);
      if (links_[i].folded_into) rest_[*links_[i].folded_into].push_back(i);
      if (links_[i].follows_from && links_[i].follows_from != links_[i].folded_into)
        rest_[*links_[i].follows_from].push_back(i);
    }
    const std::size_t shown = all_ ? roots.size() : std::min(roots.size(), max_causes);
    for (std::size_t n = 0; n < shown; ++n) {
      const std::size_t cause = roots[n];
      add(cause, roots.size() > 1 || all_ ? fmt::format("{}. ", n + 1) : "");
      all_ ? add_rest(cause, n + 1) : count_rest(cause);
    }
    text_ += omitted_text(roots.size() - shown, "finding", "findings");
    const auto is_race = [&](std::size_t i) { return findings_[i].kind == FindingKind::race; };
    if (std::any_of(roots.begin(), roots.end(), is_race))
      text_ += "note: `gmm-run explain race` shows the usual causes and their repairs\n";
    return std::move(text_);
  }

 private:
  void add(std::size_t i, const std::string& number) {
    text_ += number + render(findings_[i], folded_message(findings_, links_, i), all_);
    if (!text_.ends_with('\n')) text_ += '\n';
    if (behind_) text_ += behind_(i);
  }

  void add_rest(std::size_t cause, std::size_t number) {
    std::size_t n = 0;
    for (const std::size_t i : rest_[cause]) add(i, fmt::format("{}.{}. ", number, ++n));
  }

  void count_rest(std::size_t cause) {
    std::map<FindingKind, std::int64_t> kinds;
    std::int64_t rest = 0;
    for (const std::size_t i : rest_[cause]) {
      if (links_[i].follows_from != cause) continue;
      ++kinds[findings_[i].kind];
      ++rest;
    }
    if (rest == 0) return;
    std::string which;
    for (const auto& [kind, n] : kinds)
      which += fmt::format("{}{} {}", which.empty() ? "" : ", ", n, tessera::name(kind));
    text_ +=
        fmt::format("note: {} a consequence of this one, and {} not shown: {}; --all shows {}\n",
                    rest == 1 ? "1 more finding is" : fmt::format("{} more findings are", rest),
                    rest == 1 ? "is" : "are", which, rest == 1 ? "it" : "them");
  }

  const std::vector<Finding>& findings_;
  const std::vector<CauseLink> links_;
  // By cause: findings like it and findings that follow from it, ascending.
  std::map<std::size_t, std::vector<std::size_t>> rest_;
  const bool all_;
  const std::function<std::string(std::size_t)>& behind_;
  std::string text_;
};

Json index_json(const std::optional<std::size_t>& index) { return index ? Json(*index) : Json(); }

}  // namespace

std::string findings_text(const std::vector<Finding>& findings, bool all,
                          const std::function<std::string(std::size_t)>& behind) {
  return Text(findings, all, behind).write();
}

std::string notes_text(const std::vector<Finding>& notes, bool all) {
  const std::size_t shown = all ? notes.size() : std::min(notes.size(), max_notes);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += render(Remark{notes[i].at, notes[i].notes},
                   fmt::format("{}: {}", tessera::name(notes[i].kind), notes[i].message));
  return text + omitted_text(notes.size() - shown, "note", "notes");
}

Json findings_json(const std::vector<Finding>& findings) {
  const std::vector<CauseLink> links = causes(findings);
  Json list = Json::array();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    Json object = to_json(findings[i]);
    object["folded_into"] = index_json(links[i].folded_into);
    object["follows_from"] = index_json(links[i].follows_from);
    object["count"] = links[i].count;
    object["devices"] = Json::array();
    for (const std::int32_t device : links[i].devices) object["devices"].push_back(device);
    list.push_back(std::move(object));
  }
  return list;
}

std::string findings_count(const std::vector<Finding>& findings) {
  std::int64_t shown = 0, rest = 0;
  for (const CauseLink& link : causes(findings)) ++(link.is_cause() ? shown : rest);
  std::int64_t alike = 0;
  for (const CauseLink& link : causes(findings))
    if (link.folded_into && !link.follows_from) ++alike;
  rest -= alike;
  std::string text = counted(shown, "finding", "findings");
  if (rest > 0)
    text += fmt::format(", and {} of {}", counted(rest, "consequence", "consequences"),
                        shown == 1 ? "it" : "them");
  return text;
}

}  // namespace tessera::cli
