#include "interp/findings/surplus.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "interp/findings/blocked.h"
#include "interp/findings/describe.h"
#include "interp/findings/leftover.h"

namespace tessera {
namespace {

constexpr std::size_t max_surpluses = 8;

class Surpluses {
 public:
  Surpluses(Machine& machine, const Signallers& signallers, const std::vector<CoreIndex>& blocked,
            std::vector<FindingPlace>& notes)
      : machine_(machine),
        program_(machine.program()),
        signallers_(signallers),
        blocked_(blocked),
        notes_(notes) {}

  void describe() {
    for (const SemId& extra : surpluses()) {
      Odd odd = odd_one(extra);
      const bool is_open = signallers_.may_take(extra);
      if (!odd.is_alone && all_wait_alike() && is_in_other_cell(extra)) continue;
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
        say({}, {}, fmt::format("{} has {} that no wait takes", text(extra), amount));
        continue;
      }
      const SemId& lacking = best->need().sem;
      odd = odd_one(extra, machine_.topology().core(lacking.core));
      const bool is_elsewhere = extra.semaphore == lacking.semaphore && extra.core != lacking.core;
      const bool is_same_device =
          machine_.topology().device(extra.core) == machine_.topology().device(lacking.core);
      const auto wrong_name = [&](const SemId& sem) {
        return is_elsewhere ? machine_.topology().name(sem.core)
                            : cell_text(program_, sem.semaphore, sem.cell);
      };
      const AgentId signaller = agent(odd.tally->core);
      const PlaceId place = program_.place_of(odd.tally->statement),
                    own = own_place(program_, place);
      if (own != place) {  // names in a library function are not the author's, and are right
        say({}, {},
            fmt::format("{} has {} that no wait has taken, signalled in this call", text(extra),
                        amount));
        notes_.back().loc = program_.loc(own);
        continue;
      }
      say(odd.tally->statement, signaller,
          fmt::format("{} lacks {}, {} has {} too many: does {} name the wrong {} here, {} instead "
                      "of {}?",
                      text(lacking), unit_text(program_, lacking, missing(*best)), text(extra),
                      amount, to_string(signaller),
                      !is_elsewhere    ? "semaphore"
                      : is_same_device ? "core"
                                       : "device",
                      wrong_name(extra), wrong_name(lacking)));
    }
  }

 private:
  std::string text(const SemId& sem) const { return sem_text(program_, machine_.topology(), sem); }
  const Core& core(CoreIndex core_index) { return machine_.core_state(core_index).core; }
  AgentId agent(CoreIndex core_index) const { return machine_.topology().agent(core_index); }
  std::int64_t missing(const Core& core) { return missing_count(machine_, core); }
  void say(StmtId statement, const AgentId& agent, std::string message) {
    notes_.push_back(place_in_run(machine_, statement, agent, std::move(message)));
  }

  // True if every core waits at the same statement. Then no core is an exception, and the statement
  // is wrong.
  bool all_wait_alike() {
    const auto is_there = [&](CoreIndex core_index) {
      return core(core_index).statement() == core(blocked_.front()).statement();
    };
    return blocked_.size() > 1 && blocked_.size() == machine_.at_work().size() &&
           std::all_of(blocked_.begin(), blocked_.end(), is_there);
  }

  // Reports that another cell of the array has exactly the count for which the cell's owner waits.
  // This is only stated as a fact, because either the wait or the signal may be wrong. Reports only
  // the first of equal cores.
  bool is_in_other_cell(const SemId& extra) {
    for (const CoreIndex core_index : blocked_) {
      const Core& waiting = core(core_index);
      const SemId& need = waiting.need().sem;
      if (core_index != extra.core || need.semaphore != extra.semaphore ||
          need.core != extra.core || machine_.cell(extra).count != missing(waiting))
        continue;
      if (std::find(told_.begin(), told_.end(), waiting.statement()) != told_.end()) return true;
      told_.push_back(waiting.statement());
      say(waiting.statement(), waiting.id(),
          fmt::format("{} lacks {}, and {} has as much", text(need),
                      unit_text(program_, need, missing(waiting)), text(extra)));
      return true;
    }
    return false;
  }

  // The signaller of a cell whose direction is the least common, by its distance around the ring.
  // is_alone: no other core signals in this direction, and others signal in another direction.
  struct Odd {
    const Tally* tally = nullptr;
    bool is_alone = false;
  };
  // Prefers, among equally common signallers, one on the core that lacks the count: programs do the
  // same on every device.
  Odd odd_one(const SemId& extra, std::int32_t lacking_core = -1) {
    Odd odd;
    const auto is_likely = [&](const Tally& tally) {
      return machine_.topology().core(tally.core) == lacking_core;
    };
    std::int64_t fewest = 0;
    for (const Tally& tally : machine_.cell(extra).tallies) {
      if (tally.is_wait) continue;
      std::int64_t same = 0, others = 0;
      for (const CoreIndex s : machine_.topology().core_ids())
        for (const Tally& other : machine_.cell({s, extra.semaphore, extra.cell}).tallies) {
          if (other.statement != tally.statement || other.is_wait) continue;
          const bool is_same = distance(other.core, s) == distance(tally.core, extra.core);
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
  // Distances around the ring of devices and around the cores of one device.
  std::pair<int, int> distance(CoreIndex from, CoreIndex to) const {
    const Topology& topology = machine_.topology();
    return {(topology.device(to) - topology.device(from) + topology.devices) % topology.devices,
            (topology.core(to) - topology.core(from) + topology.cores) % topology.cores};
  }

  std::vector<SemId> surpluses() {
    std::vector<SemId> found;
    for (const CoreIndex s : machine_.topology().core_ids()) {
      const Semaphores& owner = machine_.core_state(s).semaphores;
      for (const SemaphoreId id : program_.semaphores.ids()) {
        const Semaphore& declared = program_.semaphores[id];
        if (declared.monotone || !owner.is_live(id) || !owner.is_first(id)) continue;
        for (std::int64_t c = owner.used(id, 0); c >= 0; c = owner.used(id, c + 1)) {
          const SemCell& cell = machine_.cell({s, id, c});
          if (cell.count != 0 && !cell.waiter && found.size() < max_surpluses)
            found.push_back({s, id, c});
        }
      }
    }
    return found;
  }

  // Returns a score for how well a surplus explains the count that a core lacks; 0: not at all.
  int score(const SemId& extra, const Core& core) {
    const SemId& need = core.need().sem;
    const bool same_declaration = extra.semaphore == need.semaphore;
    const bool equal = machine_.cell(extra).count == missing(core);
    if (!same_declaration && !(equal && extra.core == need.core)) return 0;
    const Topology& topology = machine_.topology();
    const bool is_sibling =
        extra.core != need.core && topology.device(extra.core) == topology.device(need.core);
    return (is_sibling ? 1 : 0) + (equal ? 8 : 0) +
           (same_declaration && extra.cell == need.cell ? 4 : 0) +
           (same_declaration && extra.core == need.core ? 2 : 0) + (same_declaration ? 1 : 0);
  }

  Machine& machine_;
  const Program& program_;
  const Signallers& signallers_;
  const std::vector<CoreIndex>& blocked_;
  std::vector<FindingPlace>& notes_;
  std::vector<StmtId> told_;  // waits that another cell would satisfy
};

}  // namespace

void add_surpluses(Machine& machine, const Signallers& signallers,
                   const std::vector<CoreIndex>& blocked, std::vector<FindingPlace>& notes) {
  Surpluses(machine, signallers, blocked, notes).describe();
}

}  // namespace tessera
