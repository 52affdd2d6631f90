// Memoised pipelines: records the actions of the first pipeline, and the memory of the others.
#include <algorithm>

#include "analysis/task_graph/recorder.h"
#include "core/report/check.h"

namespace tessera::graph {

void Recorder::begin_pattern(const Event& event) {
  seen_ = log_.instances.patterns.add({.first = log_.actions.next(), .commit = event.step});
  patterns_[event.token] = seen_;
}

void Recorder::end_pattern(CoreIndex core) {
  Pattern& pattern = log_.instances.patterns[seen_];
  pattern.last = log_.actions.next();
  for (ActionId a = pattern.first; a < pattern.last; ++a)
    for (const auto& [value, number] : log_.actions[a].loaded_scalars) {
      reach(pattern, core, number);
      pattern.reached.back().number = value;
    }
  for (ActionId a = pattern.first; a < pattern.last; ++a) {
    const Action& action = log_.actions[a];
    CHECK(!action.loads && action.core == core);
    for (const MemoryId m : action.memories) reach(pattern, core, m);
    if (action.is_copy) {
      // In the order in which on_start() and begin_move() number them.
      reach(pattern, core, action.to().memory);
      reach(pattern, core, action.from().memory);
    }
    for (const MemoryAccess& access : log_.accesses[a]) reach(pattern, core, access.memory);
  }
  // The first action item after `enter` is the first action of the pipeline.
  std::int64_t first_step = pattern.commit;
  const GrownArray<Item>& items = log_.items[core];
  for (const Item* item = items.end() - 1; item->kind != ItemKind::enter; --item)
    if (item->kind == ItemKind::action) first_step = item->step;
  pattern.commit = first_step - pattern.commit;
  seen_ = {};
}

void Recorder::reach(Pattern& pattern, CoreIndex core, MemoryId memory) {
  const auto is_it = [&](const Pattern::Reached& known) { return known.memory == memory; };
  if (std::any_of(pattern.reached.begin(), pattern.reached.end(), is_it)) return;
  Pattern::Reached& added = pattern.reached.emplace_back(Pattern::Reached{memory, no_value, 0});
  const Memory& reached = log_.memories[memory];
  if (!reached.is_inner) return;
  const auto begun = std::count(pattern.begun.begin(), pattern.begun.end(), reached.buffer);
  added.generation = reached.generation - (lifetime(core, reached.buffer).number - begun);
}

InstanceId Recorder::add_instance(const Event& event) {
  const CoreIndex here = core_index(event);
  const PatternId id = patterns_.at(event.token);
  const Pattern& pattern = log_.instances.patterns[id];
  GrownArray<Instances::Own>& memories = log_.instances.memories;
  log_.reported.add({});
  const InstanceId added = log_.instances.all.add(
      {id, here, log_.actions.next(), log_.memories.next(), memories.size()});
  for (const Pattern::Reached& reached : pattern.reached) {
    const Memory like = log_.memories[reached.memory];
    if (reached.number != no_value)
      memories.push_back({loaded(here, reached.number)});
    else if (like.is_inner)
      memories.push_back({MemoryId(), lifetime(here, like.buffer).number + reached.generation});
    else
      memories.push_back({memory(here, like.buffer)});
  }
  for (const BufferId b : pattern.begun) {
    Lifetime& now = lifetime(here, b);
    now = {now.number + 1, true, MemoryId()};
  }
  return added;
}

}  // namespace tessera::graph
