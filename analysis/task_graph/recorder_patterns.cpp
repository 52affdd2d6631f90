// Pipelines of one pattern: the first one is recorded, and of the others where they are.
#include <algorithm>

#include "analysis/task_graph/recorder.h"
#include "core/report/check.h"

namespace tessera::graph {

void Recorder::begin_pattern(const Event& event) {
  seen_ = log_.instances.patterns.add({.first = log_.actions.next(), .commit = event.step});
  patterns_[event.token] = seen_;
}

void Recorder::end_pattern(SiteId site) {
  Pattern& pattern = log_.instances.patterns[seen_];
  pattern.last = log_.actions.next();
  for (ActionId a = pattern.first; a < pattern.last; ++a)
    for (const auto& [value, number] : log_.actions[a].numbers) {
      reach(pattern, site, number);
      pattern.reached.back().number = value;
    }
  for (ActionId a = pattern.first; a < pattern.last; ++a) {
    const Action& action = log_.actions[a];
    CHECK(!action.loads && action.site == site);
    for (const MemoryId m : action.memories) reach(pattern, site, m);
    if (action.is_copy) {
      // In the order in which on_start() and begin_move() number them.
      reach(pattern, site, action.to().memory);
      reach(pattern, site, action.from().memory);
    }
    for (const Touch& touch : log_.touches[a]) reach(pattern, site, touch.memory);
  }
  // The pipeline's last item of that kind is its last action's.
  std::int64_t first_step = pattern.commit;
  const GrownArray<Item>& items = log_.items[site];
  for (const Item* item = items.end() - 1; item->kind != ItemKind::enter; --item)
    if (item->kind == ItemKind::action) first_step = item->step;
  pattern.commit = first_step - pattern.commit;
  seen_ = {};
}

void Recorder::reach(Pattern& pattern, SiteId site, MemoryId memory) {
  const auto is_it = [&](const Pattern::Reached& known) { return known.memory == memory; };
  if (std::any_of(pattern.reached.begin(), pattern.reached.end(), is_it)) return;
  Pattern::Reached& added = pattern.reached.emplace_back(Pattern::Reached{memory, no_value, 0});
  const Memory& reached = log_.memories[memory];
  if (!reached.is_inner) return;
  const auto begun = std::count(pattern.begun.begin(), pattern.begun.end(), reached.buffer);
  added.life = reached.life - (life(site, reached.buffer).number - begun);
}

InstanceId Recorder::add_instance(const Event& event) {
  const SiteId here = site(event);
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
      memories.push_back({MemoryId(), life(here, like.buffer).number + reached.life});
    else
      memories.push_back({memory(here, like.buffer)});
  }
  for (const BufferId b : pattern.begun) {
    Life& now = life(here, b);
    now = {now.number + 1, true, MemoryId()};
  }
  return added;
}

}  // namespace tessera::graph
