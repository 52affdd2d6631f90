// Why nobody can move: each blocked core, who could still help it, one cycle, and the counts that
// ended elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "interp/findings/cause.h"
#include "interp/findings/describe.h"
#include "interp/findings/leftover.h"
#include "interp/findings/signallers.h"

namespace tessera {
namespace {

// In a report on hundreds of devices the first ones tell the story.
constexpr std::size_t most_cores = 8;
// And of so many each is asked who can help it.
constexpr std::size_t most_roots = 128;

class Report {
 public:
  explicit Report(Machine& machine)
      : machine_(machine), program_(machine.program()), signallers_(machine) {
    for (const Handle core : machine.blocked()) blocked_.push_back(core);
    std::sort(blocked_.begin(), blocked_.end());
  }

  Finding write() {
    find_roots();
    const Core& first = core(roots_.front());
    Finding finding{.kind = FindingKind::deadlock};
    finding.message =
        fmt::format("{} of {} cores {} blocked, and nothing else can move", blocked_.size(),
                    machine_.at_work().size(), blocked_.size() == 1 ? "is" : "are");
    finding.at = place(first.statement(), first.id(), "");
    finding.about = {.statement = first.statement(), .semaphore = first.need().sem.semaphore};
    for (const Handle blocked : blocked_) {
      const int device = core(blocked).id().device;
      if (finding.devices.empty() || finding.devices.back() != device)
        finding.devices.push_back(device);
    }
    describe_all(roots_, false);
    std::vector<Handle> rest;
    for (const Handle blocked : blocked_)
      if (std::find(roots_.begin(), roots_.end(), blocked) == roots_.end()) rest.push_back(blocked);
    if (!rest.empty())
      say(-1, {},
          fmt::format("{} {} blocked behind {}", names(rest), rest.size() == 1 ? "is" : "are",
                      roots_.size() == 1 ? "it" : "them"));
    describe_all(rest, true);
    describe_cycle();
    describe_pairs();
    add_call_chain(program_, first.stmt().place, notes_);
    finding.notes = std::move(notes_);
    return finding;
  }

 private:
  const Core& core(Handle site) { return machine_.site(site).core; }
  AgentId agent(std::int32_t site) const { return machine_.sites().agent(site); }
  std::int64_t missing(const Core& core) {
    return core.need().count - machine_.cell(core.need().sem).count;
  }

  FindingPlace place(std::int32_t statement, const AgentId& agent, std::string message) {
    const Loc loc = statement < 0
                        ? Loc{}
                        : program_.loc(program_.body[static_cast<std::size_t>(statement)].place);
    if (statement < 0) return {.message = std::move(message)};
    return {
        .loc = loc,
        .message = std::move(message),
        .device = agent.device,
        .agent = to_string(agent),
        .loops = stands_at(agent, statement) ? machine_.loops_of(agent, statement) : LoopIndices{}};
  }
  bool stands_at(const AgentId& agent, std::int32_t statement) {
    const Core& self = core(machine_.sites().of(agent));
    return self.is_blocked() && self.statement() == statement;
  }
  void say(std::int32_t statement, const AgentId& agent, std::string message) {
    notes_.push_back(place(statement, agent, std::move(message)));
  }

  // Where the chains of who waits for whom end: cores that nobody can help any more, or else those
  // of a cycle. What is behind them is blocked because they are.
  void find_roots() {
    std::vector<Handle> path;
    for (Handle at = blocked_.front();;) {
      const auto seen = std::find(path.begin(), path.end(), at);
      if (at == nobody) roots_ = {path.back()};
      if (seen != path.end()) roots_.assign(seen, path.end());
      if (!roots_.empty()) break;
      path.push_back(at);
      at = helper(core(at));
    }
    // Who can help is asked of every core.
    for (std::size_t i = 0; i < blocked_.size() && blocked_.size() <= most_roots; ++i) {
      if (helper(core(blocked_[i])) != nobody) continue;
      if (std::find(roots_.begin(), roots_.end(), blocked_[i]) == roots_.end())
        roots_.push_back(blocked_[i]);
    }
    std::sort(roots_.begin(), roots_.end());
  }

  // Cores that lack the same in the same place are told of once; the others are details.
  using Lack =
      std::tuple<std::int32_t, std::int32_t, std::int64_t, std::int64_t, std::int64_t, std::string>;
  Lack lack(const Core& core) {
    const SemId& sem = core.need().sem;
    return {core.statement(), sem.semaphore,
            sem.cell,         core.need().count,
            missing(core),    to_string(machine_.loops_of(core.id(), core.statement()))};
  }
  void describe_all(const std::vector<Handle>& cores, bool are_details) {
    std::map<Lack, std::vector<Handle>> groups;
    for (const Handle one : cores) groups[lack(core(one))].push_back(one);
    std::size_t described = 0;
    for (const Handle one : cores) {
      const std::vector<Handle>& alike = groups.at(lack(core(one)));
      const bool is_first = alike.front() == one;
      if (++described > most_cores) {
        say(-1, {}, fmt::format("{} more cores are blocked", cores.size() - most_cores));
        notes_.back().is_detail = true;
        return;
      }
      const std::size_t from = notes_.size();
      describe(core(one));
      for (std::size_t i = from; i < notes_.size(); ++i)
        notes_[i].is_detail = are_details || !is_first;
      if (!is_first || alike.size() == 1) continue;
      const std::string own = to_string(core(one).id()) + " is blocked";
      std::string& message = notes_[from].message;
      message = fmt::format("{} are blocked{}", names(alike), message.substr(own.size()));
    }
  }
  std::string names(const std::vector<Handle>& cores) const {
    const Sites& sites = machine_.sites();
    if (sites.cores == 1 && sites.point_cores == 0)
      return devices_text({cores.begin(), cores.end()});
    std::string text;
    for (std::size_t i = 0; i < std::min(cores.size(), most_cores); ++i)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(agent(cores[i])));
    if (cores.size() > most_cores) text += fmt::format(" and {} more", cores.size() - most_cores);
    return text;
  }

  void describe(const Core& core) {
    const SemId& sem = core.need().sem;
    const SemCell& cell = machine_.cell(sem);
    const std::string region = region_text(program_, core.statement());
    say(core.statement(), core.id(),
        fmt::format("{} is blocked{}: {} {} >= {}, has {}, missing {}", to_string(core.id()),
                    region.empty() ? "" : " in " + region, mnemonic(program_, core.statement()),
                    cell_text(program_, sem.semaphore, sem.cell), core.need().count, cell.count,
                    unit_text(program_, sem, missing(core))));
    add_tallies(machine_, sem, notes_);
    const std::vector<Signaller> all = signallers_.of(sem);
    bool is_hopeless = true, has_finished = false;
    std::vector<Handle> helpers;
    for (const Signaller& s : all) {
      const bool finished = machine_.site(s.site).core.is_finished();
      if (finished) has_finished = true;
      if (!s.is_ahead) continue;
      is_hopeless = false;
      if (std::find(helpers.begin(), helpers.end(), s.site) != helpers.end()) continue;
      helpers.push_back(s.site);
      if (helpers.size() > most_cores) continue;
      const std::string who = to_string(agent(s.site));
      say(s.statement, agent(s.site),
          this->core(s.site).is_blocked()
              ? fmt::format("{} can signal it here, {}, but is blocked before that", who, done(s))
              : fmt::format("what no point-core of {} has come to can signal it here, {}", who,
                            done(s)));
    }
    if (!is_hopeless) return;
    if (!has_finished)
      return say(core.statement(), core.id(), "no remaining operation can signal it");
    for (const Signaller& s : all) {
      if (!machine_.site(s.site).core.is_finished()) continue;
      say(s.statement, agent(s.site),
          fmt::format("its signaller {} has finished: {}", to_string(agent(s.site)), done(s)));
    }
  }

  static std::string done(const Signaller& s) {
    if (s.expected) return fmt::format("done {} of {} times", s.executed, *s.expected);
    return fmt::format("done {}", counted(s.executed, "time"));
  }

  // The first core that can still signal what a core waits for, itself only when it is alone; or
  // nobody.
  Handle helper(const Core& core) {
    Handle found = nobody;
    for (const Signaller& s : signallers_.of(core.need().sem)) {
      if (!s.is_ahead) continue;
      if (s.site != core.site()) return stopped_by(s.site);
      found = s.site;
    }
    return found;
  }

  // A core that deals points is not blocked itself, but its point-cores are.
  Handle stopped_by(Handle site) {
    const Sites& sites = machine_.sites();
    if (core(site).is_blocked()) return site;
    for (const Handle blocked : blocked_)
      if (sites.base(blocked) == sites.base(site)) return blocked;
    return site;
  }

  // Follows the first helper of each core until one comes again.
  void describe_cycle() {
    std::vector<Handle> path;
    for (Handle at = blocked_.front(); at != nobody; at = helper(core(at))) {
      const auto seen = std::find(path.begin(), path.end(), at);
      if (seen == path.end()) {
        path.push_back(at);
        continue;
      }
      const auto length = static_cast<std::size_t>(path.end() - seen);
      std::string text;
      for (std::size_t i = 0; i < std::min(length, most_cores); ++i)
        text += to_string(core(seen[static_cast<std::ptrdiff_t>(i)]).id()) + " -> ";
      if (length > most_cores) text += fmt::format("{} more -> ", length - most_cores);
      return say(-1, {}, fmt::format("cycle: {}{}", text, to_string(core(at).id())));
    }
  }

  // Counts that nobody takes, matched with blocked waits: final counts do not depend on the
  // schedule. What its owner would take later is a surplus only when it came on a way of its own.
  void describe_pairs() {
    for (const SemId& extra : surpluses()) {
      Odd odd = odd_one(extra);
      const bool is_open = signallers_.may_take(extra);
      if (is_open && !odd.is_alone) continue;
      const Core* best = nullptr;
      int best_score = 0;
      for (std::size_t i = 0; i < blocked_.size(); ++i) {
        const Core& candidate = core(blocked_[i]);
        if (const int s = score(extra, candidate); s > best_score) {
          best_score = s;
          best = &candidate;
        }
      }
      const std::string amount = unit_text(program_, extra, machine_.cell(extra).count);
      if (best == nullptr) {
        if (is_open) continue;
        say(-1, {}, fmt::format("{} has {} that nobody takes", sem_text(machine_, extra), amount));
        continue;
      }
      const SemId& lacking = best->need().sem;
      odd = odd_one(extra, machine_.sites().core(lacking.site));
      const bool is_elsewhere = extra.semaphore == lacking.semaphore && extra.site != lacking.site;
      const bool is_same_device =
          machine_.sites().device(extra.site) == machine_.sites().device(lacking.site);
      const auto wrong_name = [&](const SemId& sem) {
        return is_elsewhere ? machine_.sites().name(sem.site)
                            : cell_text(program_, sem.semaphore, sem.cell);
      };
      const AgentId signaller = agent(odd.tally->site);
      say(odd.tally->statement, signaller,
          fmt::format("{} lacks {}, {} has {} too many: does {} name the wrong {} here, {} instead "
                      "of {}?",
                      sem_text(machine_, lacking), unit_text(program_, lacking, missing(*best)),
                      sem_text(machine_, extra), amount, to_string(signaller),
                      !is_elsewhere    ? "semaphore"
                      : is_same_device ? "core"
                                       : "device",
                      wrong_name(extra), wrong_name(lacking)));
    }
  }

  // Of those who signalled the cell, the one that goes where fewest other cores go, by distance
  // around the ring; alone: no other core goes that way, and others do go another.
  struct Odd {
    const Tally* tally = nullptr;
    bool is_alone = false;
  };
  // Among equals the one on the core that lacks it: programs do the same on every device.
  Odd odd_one(const SemId& extra, std::int32_t lacking_core = -1) {
    Odd odd;
    const auto is_likely = [&](const Tally& tally) {
      return machine_.sites().core(tally.site) == lacking_core;
    };
    std::int64_t fewest = 0;
    for (const Tally& tally : machine_.cell(extra).tallies) {
      if (tally.is_wait) continue;
      std::int64_t same = 0, others = 0;
      for (std::int32_t s = 0; s < machine_.cores(); ++s)
        for (const Tally& other : machine_.cell({s, extra.semaphore, extra.cell}).tallies) {
          if (other.statement != tally.statement || other.is_wait) continue;
          const bool is_same = distance(other.site, s) == distance(tally.site, extra.site);
          ++(is_same ? same : others);
        }
      if (odd.tally != nullptr &&
          (same > fewest || (same == fewest && (is_likely(*odd.tally) || !is_likely(tally)))))
        continue;
      odd = {&tally, same == 1 && others > 1};
      fewest = same;
    }
    return odd;
  }
  // Around the ring of devices, and around the cores of one.
  std::pair<int, int> distance(std::int32_t from, std::int32_t to) const {
    const Sites& sites = machine_.sites();
    return {(sites.device(to) - sites.device(from) + sites.devices) % sites.devices,
            (sites.core(to) - sites.core(from) + sites.cores) % sites.cores};
  }

  std::vector<SemId> surpluses() {
    std::vector<SemId> found;
    for (std::int32_t s = 0; s < machine_.cores(); ++s) {
      const Semaphores& owner = machine_.site(s).semaphores;
      for (std::size_t i = 0; i < program_.semaphores.size(); ++i) {
        const Semaphore& declared = program_.semaphores[i];
        const auto id = static_cast<std::int32_t>(i);
        if (declared.monotone || !owner.is_live(id) || !owner.is_first(id)) continue;
        for (std::int64_t c = owner.used(id, 0); c >= 0; c = owner.used(id, c + 1)) {
          const SemCell& cell = machine_.cell({s, id, c});
          if (cell.count != 0 && cell.waiter == nobody && found.size() < most_cores)
            found.push_back({s, id, c});
        }
      }
    }
    return found;
  }

  // How well a surplus explains what a core lacks; 0: not at all.
  int score(const SemId& extra, const Core& core) {
    const SemId& need = core.need().sem;
    const bool same_declaration = extra.semaphore == need.semaphore;
    const bool equal = machine_.cell(extra).count == missing(core);
    if (!same_declaration && !(equal && extra.site == need.site)) return 0;
    const Sites& sites = machine_.sites();
    const bool is_sibling =
        extra.site != need.site && sites.device(extra.site) == sites.device(need.site);
    return (is_sibling ? 1 : 0) + (equal ? 8 : 0) +
           (same_declaration && extra.cell == need.cell ? 4 : 0) +
           (same_declaration && extra.site == need.site ? 2 : 0) + (same_declaration ? 1 : 0);
  }

  Machine& machine_;
  const Program& program_;
  Signallers signallers_;
  std::vector<Handle> blocked_, roots_;
  std::vector<FindingPlace> notes_;
};

}  // namespace

Finding deadlock_finding(Machine& machine) { return Report(machine).write(); }

}  // namespace tessera
