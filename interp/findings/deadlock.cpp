// Description of a deadlock: each blocked core, the cores that could still signal it, one cycle,
// and the surplus counts.
#include "interp/findings/deadlock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "interp/findings/blocked.h"
#include "interp/findings/cause.h"
#include "interp/findings/describe.h"
#include "interp/findings/leftover.h"
#include "interp/findings/signallers.h"
#include "interp/findings/surplus.h"

namespace tessera {
namespace {

// Maximum number of cores that a report describes.
constexpr std::size_t max_cores = 8;
// Maximum number of blocked cores for which the signallers of every core are computed.
constexpr std::size_t max_roots = 128;

class Report {
 public:
  explicit Report(Machine& machine)
      : machine_(machine), program_(machine.program()), signallers_(machine) {
    for (const CoreIndex core : machine.blocked()) blocked_.push_back(core);
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
    for (const CoreIndex blocked : blocked_) {
      const int device = core(blocked).id().device;
      if (finding.devices.empty() || finding.devices.back() != device)
        finding.devices.push_back(device);
    }
    describe_all(roots_, false);
    std::vector<CoreIndex> rest;
    for (const CoreIndex blocked : blocked_)
      if (std::find(roots_.begin(), roots_.end(), blocked) == roots_.end()) rest.push_back(blocked);
    if (!rest.empty())
      say({}, {},
          fmt::format("{} {} blocked by {}", names(rest), rest.size() == 1 ? "is" : "are",
                      roots_.size() == 1 ? "it" : "them"));
    describe_all(rest, true);
    describe_cycle();
    add_surpluses(machine_, signallers_, blocked_, notes_);
    finding.events = waits();
    // The first note has the place within the library function.
    const PlaceId own = own_place(program_, first.stmt().place);
    finding.at.loc = program_.loc(own);
    add_call_chain(program_, own, notes_);
    finding.notes = std::move(notes_);
    return finding;
  }

 private:
  const Core& core(CoreIndex core_index) { return machine_.core_state(core_index).core; }
  AgentId agent(CoreIndex core_index) const { return machine_.topology().agent(core_index); }
  std::int64_t missing(const Core& core) { return missing_count(machine_, core); }

  FindingPlace place(StmtId statement, const AgentId& agent, std::string message) {
    return place_in_run(machine_, statement, agent, std::move(message));
  }
  void say(StmtId statement, const AgentId& agent, std::string message) {
    notes_.push_back(place(statement, agent, std::move(message)));
  }

  // Finds the ends of the chains of waiting cores: cores that no core can signal any more, or else
  // the cores of a cycle. All other cores are blocked because these are.
  void find_roots() {
    std::vector<CoreIndex> path;
    for (CoreIndex at = blocked_.front();;) {
      const auto seen = std::find(path.begin(), path.end(), at);
      if (!at) roots_ = {path.back()};
      if (seen != path.end()) roots_.assign(seen, path.end());
      if (!roots_.empty()) break;
      path.push_back(at);
      at = helper(core(at));
    }
    // Computes a helper for each core.
    for (std::size_t i = 0; i < blocked_.size() && blocked_.size() <= max_roots; ++i) {
      if (helper(core(blocked_[i]))) continue;
      if (std::find(roots_.begin(), roots_.end(), blocked_[i]) == roots_.end())
        roots_.push_back(blocked_[i]);
    }
    std::sort(roots_.begin(), roots_.end());
  }

  // Describes cores that lack the same count at the same place once, even if they wait on different
  // cells of an array. The others are details.
  using Lack = std::tuple<StmtId, SemaphoreId, std::int64_t, std::int64_t, std::string>;
  Lack lack(const Core& core) {
    return {core.statement(), core.need().sem.semaphore, core.need().count, missing(core),
            to_string(machine_.loops_of(core.id(), core.statement()))};
  }
  void describe_all(const std::vector<CoreIndex>& cores, bool are_details) {
    std::map<Lack, std::vector<CoreIndex>> groups;
    for (const CoreIndex one : cores) groups[lack(core(one))].push_back(one);
    std::size_t described = 0;
    for (const CoreIndex one : cores) {
      const std::vector<CoreIndex>& alike = groups.at(lack(core(one)));
      const bool is_first = alike.front() == one;
      if (++described > max_cores) {
        say({}, {}, fmt::format("{} more cores are blocked", cores.size() - max_cores));
        notes_.back().is_detail = true;
        return;
      }
      const std::size_t from = notes_.size();
      describe(one, is_first ? alike : std::vector<CoreIndex>{one});
      for (std::size_t i = from; i < notes_.size(); ++i)
        notes_[i].is_detail = are_details || !is_first;
    }
  }
  // The cells that the cores wait on, without repetitions.
  std::string cells(const std::vector<CoreIndex>& cores) {
    std::vector<std::string> texts;
    for (const CoreIndex one : cores) {
      const SemId& sem = core(one).need().sem;
      std::string text = cell_text(program_, sem.semaphore, sem.cell);
      if (std::find(texts.begin(), texts.end(), text) == texts.end())
        texts.push_back(std::move(text));
    }
    std::string list = fmt::to_string(fmt::join(
        texts.begin(),
        texts.begin() + static_cast<std::ptrdiff_t>(std::min(texts.size(), max_cores)), ", "));
    if (texts.size() > max_cores) list += fmt::format(" and {} more", texts.size() - max_cores);
    return list;
  }
  std::string names(const std::vector<CoreIndex>& cores) const {
    const Topology& topology = machine_.topology();
    if (topology.cores == 1 && topology.loop_workers == 0) {
      std::vector<int> devices;
      for (const CoreIndex core : cores) devices.push_back(topology.device(core));
      return devices_text(devices);
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(cores.size(), max_cores); ++i)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(agent(cores[i])));
    if (cores.size() > max_cores) text += fmt::format(" and {} more", cores.size() - max_cores);
    return text;
  }

  // Describes the first of the equal cores, in words for all of them.
  void describe(CoreIndex one, const std::vector<CoreIndex>& alike) {
    const Core& core = this->core(one);
    const SemId& sem = core.need().sem;
    const SemCell& cell = machine_.cell(sem);
    const std::string region = region_text(program_, core.statement());
    say(core.statement(), core.id(),
        fmt::format("{} blocked{}: {} {} >= {}, has {}, missing {}",
                    alike.size() == 1 ? to_string(core.id()) + " is" : names(alike) + " are",
                    region.empty() ? "" : " in " + region, mnemonic(program_, core.statement()),
                    cells(alike), core.need().count, cell.count,
                    unit_text(program_, sem, missing(core))));
    add_tallies(machine_.program(), machine_.topology(), machine_.cell(sem), notes_);
    const std::vector<Signaller> all = signallers_.of(sem);
    bool is_hopeless = true, has_finished = false;
    std::vector<CoreIndex> helpers;
    for (const Signaller& s : all) {
      const bool finished = machine_.core_state(s.core).core.is_finished();
      if (finished) has_finished = true;
      if (!s.is_ahead) continue;
      is_hopeless = false;
      if (std::find(helpers.begin(), helpers.end(), s.core) != helpers.end()) continue;
      helpers.push_back(s.core);
      if (helpers.size() > max_cores) continue;
      const std::string who = to_string(agent(s.core));
      say(s.statement, agent(s.core),
          !s.is_known
              ? fmt::format("{} may execute this, {}; the target of its signal comes from memory",
                            who, done(s))
          : this->core(s.core).is_blocked()
              ? fmt::format("{} can signal it here, {}, but is blocked before that", who, done(s))
              : fmt::format(
                    "the points that no loop worker of {} has started can signal it here, {}", who,
                    done(s)));
    }
    if (!is_hopeless) return;
    if (!has_finished)
      return say(core.statement(), core.id(), "no remaining operation can signal it");
    for (const Signaller& s : all) {
      if (!machine_.core_state(s.core).core.is_finished()) continue;
      say(s.statement, agent(s.core),
          fmt::format("its signaller {} has finished: {}", to_string(agent(s.core)), done(s)));
    }
  }

  static std::string done(const Signaller& s) {
    if (s.expected) return fmt::format("done {} of {} times", s.executed, *s.expected);
    return fmt::format("done {}", counted(s.executed, "time"));
  }

  // Returns the first core that can still signal the semaphore on which `core` waits; `core` itself
  // only if there is no other; or none. knows: skip cores that may signal another semaphore.
  CoreIndex helper(const Core& core, bool knows = false) {
    CoreIndex found;
    for (const Signaller& s : signallers_.of(core.need().sem)) {
      if (!s.is_ahead || (knows && !s.is_known)) continue;
      if (s.core != core.index()) return stopped_by(s.core);
      found = s.core;
    }
    return found;
  }

  // Returns the blocked core that stops `core_index`. A core that distributes iterations is not
  // blocked itself, but its loop workers are.
  CoreIndex stopped_by(CoreIndex core_index) {
    const Topology& topology = machine_.topology();
    if (core(core_index).is_blocked()) return core_index;
    for (const CoreIndex blocked : blocked_)
      if (topology.base(blocked) == topology.base(core_index)) return blocked;
    return core_index;
  }

  // The waits of the blocked cores, each with the waits that its signallers must pass.
  std::vector<FindingEvent> waits() {
    std::vector<FindingEvent> events;
    for (const CoreIndex one : blocked_) {
      const Core& core = this->core(one);
      const SemId& sem = core.need().sem;
      FindingEvent& event = events.emplace_back();
      event.agent = to_string(core.id());
      event.statement = core.statement();
      event.what = fmt::format("{} {} >= {}, has {}", mnemonic(program_, core.statement()),
                               cell_text(program_, sem.semaphore, sem.cell), core.need().count,
                               machine_.cell(sem).count);
      if (events.size() > max_roots) continue;
      for (const Signaller& s : signallers_.of(sem))
        if (s.is_ahead) add_wait(event, stopped_by(s.core));
    }
    return events;
  }

  void add_wait(FindingEvent& event, CoreIndex other) const {
    const auto found = std::lower_bound(blocked_.begin(), blocked_.end(), other);
    if (found == blocked_.end() || *found != other) return;
    const auto at = static_cast<int>(found - blocked_.begin());
    if (std::find(event.waits_for.begin(), event.waits_for.end(), at) == event.waits_for.end())
      event.waits_for.push_back(at);
  }

  // Follows the first helper of each core until a core repeats.
  void describe_cycle() {
    std::vector<CoreIndex> path;
    for (CoreIndex at = blocked_.front(); at; at = helper(core(at), true)) {
      const auto seen = std::find(path.begin(), path.end(), at);
      if (seen == path.end()) {
        path.push_back(at);
        continue;
      }
      const auto length = static_cast<std::size_t>(path.end() - seen);
      std::string text;
      for (std::size_t i = 0; i < std::min(length, max_cores); ++i)
        text += to_string(core(seen[static_cast<std::ptrdiff_t>(i)]).id()) + " -> ";
      if (length > max_cores) text += fmt::format("{} more -> ", length - max_cores);
      return say({}, {}, fmt::format("cycle: {}{}", text, to_string(core(at).id())));
    }
  }

  Machine& machine_;
  const Program& program_;
  Signallers signallers_;
  std::vector<CoreIndex> blocked_, roots_;
  std::vector<FindingPlace> notes_;
};

}  // namespace

Finding deadlock_finding(Machine& machine) { return Report(machine).write(); }

}  // namespace tessera
