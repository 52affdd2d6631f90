#include "interp/findings/cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace tessera {
namespace {

class Links {
 public:
  explicit Links(const std::vector<Finding>& findings)
      : findings_(findings), links_(findings.size()) {}

  std::vector<CauseLink> write() {
    fold_alike();
    races_of_copies_left();
    races_of_one_cause();
    races_of_one_order();
    undefined_data();
    mended_together();
    behind_decisions();
    for (CauseLink& link : links_)
      if (link.folded_into) link.follows_from = links_[*link.folded_into].follows_from;
    return std::move(links_);
  }

 private:
  void fold_alike() {
    using Key = std::tuple<FindingKind, StmtId, StmtId, StmtId, SemaphoreId, StmtId, BufferId,
                           StmtId, KernelEnd, std::string, int, int>;
    std::map<Key, std::size_t> first;
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      const Finding& f = findings_[i];
      const FindingSubject& about = f.about;
      const Loc& loc = f.at.loc;
      const Key key{
          f.kind,     about.statement, about.other,     about.copy, about.semaphore,
          about.wait, about.buffer,    about.points_of, about.end,  loc ? loc.source->name : "",
          loc.line,   loc.column};
      links_[i].devices = f.devices;
      // A finding without subject and location is no repetition.
      if (about == FindingSubject{} && !loc) continue;
      const auto [it, is_first] = first.try_emplace(key, i);
      if (is_first) continue;
      CauseLink& stands = links_[it->second];
      links_[i].folded_into = it->second;
      ++stands.count;
      stands.devices.insert(stands.devices.end(), f.devices.begin(), f.devices.end());
    }
    for (CauseLink& link : links_) {
      std::sort(link.devices.begin(), link.devices.end());
      link.devices.erase(std::unique(link.devices.begin(), link.devices.end()), link.devices.end());
    }
  }

  bool is_open(std::size_t i) const { return links_[i].is_cause(); }
  const FindingSubject& about(std::size_t i) const { return findings_[i].about; }
  bool is_race(std::size_t i) const { return findings_[i].kind == FindingKind::race; }
  std::size_t cause_of(std::size_t i) const {
    if (links_[i].folded_into) i = *links_[i].folded_into;
    return links_[i].follows_from.value_or(i);
  }
  // Findings that followed from `i` then follow from the cause of `cause`.
  void follow(std::size_t i, std::size_t cause) {
    cause = cause_of(cause);
    if (!is_open(i) || cause == i) return;
    links_[i].follows_from = cause;
    for (CauseLink& link : links_)
      if (link.follows_from == i) link.follows_from = cause;
  }

  void races_of_copies_left() {
    std::map<std::pair<StmtId, SemaphoreId>, std::size_t> left;
    for (std::size_t i = 0; i < findings_.size(); ++i)
      if (findings_[i].kind == FindingKind::unwaited_dma)
        left.try_emplace({about(i).copy, about(i).semaphore}, i);
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (!is_race(i) || !about(i).copy) continue;
      if (const auto it = left.find({about(i).copy, about(i).semaphore}); it != left.end())
        follow(i, it->second);
    }
  }

  void races_of_one_cause() {
    using Key = std::tuple<KernelEnd, StmtId, SemaphoreId, StmtId, BufferId, StmtId>;
    std::map<Key, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (!is_race(i) || !is_open(i) || about(i) == FindingSubject{}) continue;
      const FindingSubject& a = about(i);
      if (a.end != KernelEnd::none)
        groups[{a.end, {}, {}, {}, {}, {}}].push_back(i);
      else if (a.copy)
        groups[{a.end, a.copy, a.semaphore, {}, a.semaphore ? BufferId() : a.buffer, {}}].push_back(
            i);
      else if (!a.points_of || a.buffer)
        groups[{a.end, {}, {}, a.wait, a.buffer, a.points_of}].push_back(i);
    }
    for (const auto& [key, group] : groups) {
      const auto order = [&](std::size_t i) {
        const FindingSubject& a = about(i);
        const StmtId access = a.statement == a.copy ? a.other : a.statement;
        return std::tuple(access < a.copy, access, i);
      };
      const std::size_t first =
          *std::min_element(group.begin(), group.end(),
                            [&](std::size_t a, std::size_t b) { return order(a) < order(b); });
      for (const std::size_t i : group) follow(i, first);
    }
  }

  void races_of_one_order() {
    std::map<std::tuple<StmtId, BufferId, StmtId>, std::size_t> first;
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      const FindingSubject& a = about(i);
      if (!is_race(i) || !is_open(i) || !a.wait || !a.buffer || a.end != KernelEnd::none) continue;
      for (const StmtId common : {a.statement, a.other}) {
        if (!common) continue;
        const auto [it, is_first] = first.try_emplace({a.wait, a.buffer, common}, i);
        if (!is_first) follow(i, it->second);
      }
    }
  }

  void undefined_data() {
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (findings_[i].kind != FindingKind::uninitialised_read) continue;
      for (std::size_t j = 0; j < findings_.size(); ++j) {
        const bool is_raced_for =
            is_race(j) && about(i).buffer && about(j).buffer == about(i).buffer;
        const bool is_outside = findings_[j].kind == FindingKind::out_of_bounds && about(i).other &&
                                about(j).statement == about(i).other;
        if (!is_raced_for && !is_outside) continue;
        follow(i, j);
        break;
      }
    }
  }

  void mended_together() {
    for (std::size_t i = 0; i < findings_.size(); ++i)
      if (findings_[i].mended_with >= 0)
        follow(i, static_cast<std::size_t>(findings_[i].mended_with));
  }

  void behind_decisions() {
    for (std::size_t cause = 0; cause < findings_.size(); ++cause) {
      if (!is_race(cause) || !about(cause).decides || !is_open(cause)) continue;
      for (std::size_t i = 0; i < findings_.size(); ++i) {
        const Finding& f = findings_[i];
        const bool is_end = has(f.kind, FindingTrait::at_end);
        const bool is_same =
            f.kind == FindingKind::race && f.about.buffer && f.about.buffer == about(cause).buffer;
        if (is_end || is_same) follow(i, cause);
      }
    }
  }

  const std::vector<Finding>& findings_;
  std::vector<CauseLink> links_;
};

// Returns the message with every "devN" of this device replaced, except as part of a longer name;
// nullopt if the message names the device in another way.
std::optional<std::string> with_device(const std::string& message, std::int32_t device,
                                       const std::string& by) {
  const std::string name = fmt::format("dev{}", device);
  std::string text;
  bool is_named = false;
  for (std::size_t from = 0;;) {
    const std::size_t found = message.find(name, from);
    text += message.substr(from, found - from);
    if (found == std::string::npos) break;
    const std::size_t end = found + name.size();
    const char next = end < message.size() ? message[end] : ' ';
    if (next == '.') return std::nullopt;
    const bool is_longer = next >= '0' && next <= '9';
    text += is_longer ? name : by;
    is_named = is_named || !is_longer;
    from = end;
  }
  return is_named ? std::optional(text) : std::nullopt;
}

}  // namespace

std::vector<CauseLink> causes(const std::vector<Finding>& findings) {
  return Links(findings).write();
}

std::string devices_text(const std::vector<std::int32_t>& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size();) {
    std::size_t end = i + 1;
    while (end < devices.size() && devices[end] == devices[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    text += fmt::format("dev{}", devices[i]);
    if (end - i > 1) text += fmt::format("{}dev{}", end - i > 2 ? ".." : ", ", devices[end - 1]);
    i = end;
  }
  return text;
}

std::string folded_message(const std::vector<Finding>& findings,
                           const std::vector<CauseLink>& links, std::size_t finding) {
  const Finding& first = findings[finding];
  const CauseLink& link = links[finding];
  if (link.count == 1) return first.message;
  const std::string set = devices_text(link.devices);
  const auto own = [](const Finding& f, const std::string& by) {
    return f.devices.size() == 1 ? with_device(f.message, f.devices.front(), by) : std::nullopt;
  };
  const std::optional<std::string> text = own(first, set);
  bool is_same = text.has_value();
  for (std::size_t i = finding + 1; i < findings.size() && is_same; ++i)
    if (links[i].folded_into == finding) is_same = own(findings[i], set) == text;
  if (is_same) return *text;
  return fmt::format("{} (one of {} alike, on {})", first.message, link.count, set);
}

}  // namespace tessera
