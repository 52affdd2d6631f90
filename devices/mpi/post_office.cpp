#include "devices/mpi/post_office.h"

#include <algorithm>
#include <utility>

namespace tessera::mpi {

PostOffice::PostOffice(World& world, graph::GraphMemory& memories, Tasks& tasks,
                       const Limits& limits)
    : world_(world),
      memories_(memories),
      tasks_(tasks),
      limits_(limits),
      sends_(tasks.sends.size()),
      receives_(tasks.receives.size()),
      parcels_(tasks.tasks.size()) {
  const std::int64_t tags = world.largest_tag() + 1;
  limits_.tags = limits.tags == 0 ? tags : std::min(limits.tags, tags);
  const auto prepare = [](std::vector<Counter>& counters, const std::vector<Lane>& lanes) {
    for (std::size_t peer = 0; peer < lanes.size(); ++peer) {
      counters[peer].posted.resize(lanes[peer].size());
      counters[peer].done.resize(lanes[peer].size());
    }
  };
  prepare(sends_, tasks.sends);
  prepare(receives_, tasks.receives);
}

PostOffice::Counter& PostOffice::counter(const Task& task) {
  return (task.kind == TaskKind::send ? sends_ : receives_)[static_cast<std::size_t>(task.peer)];
}

// Messages that a peer has not matched cost it memory and time. The first message that is not done
// is always posted, because all others may depend on it. Messages with the same tag are posted in
// the order of their numbers.
bool PostOffice::may_post(const Counter& counter, std::int64_t number) const {
  const std::int64_t same_tag = number - limits_.tags;
  if (same_tag >= 0 && !counter.posted[static_cast<std::size_t>(same_tag)]) return false;
  return counter.open < limits_.posted || number == counter.first;
}

void PostOffice::bring(TaskId task) {
  const Task& of = tasks_.tasks[task];
  counter(of).waiting.insert(of.number);
  post_waiting(of.kind == TaskKind::send, static_cast<std::size_t>(of.peer));
}

void PostOffice::post_waiting(bool sends, std::size_t peer) {
  Counter& counter = (sends ? sends_ : receives_)[peer];
  const Lane& lane = (sends ? tasks_.sends : tasks_.receives)[peer];
  for (auto next = counter.waiting.begin(); next != counter.waiting.end();) {
    if (!may_post(counter, *next)) {
      if (counter.open >= limits_.posted) return;
      ++next;
      continue;
    }
    const auto number = static_cast<std::size_t>(*next);
    next = counter.waiting.erase(next);
    counter.posted[number] = true;
    ++counter.open;
    post(lane[number]);
  }
}

bool PostOffice::adds(const Task& task) const {
  const graph::TaskGraph& graph = memories_.graph();
  const auto& copies = graph.nodes[task.node].actions;
  return std::any_of(copies.begin(), copies.end(),
                     [&](graph::ActionId copy) { return graph.actions[copy].adds; });
}

void PostOffice::post(TaskId id) {
  const Task& task = tasks_.tasks[id];
  Parcel& parcel = parcels_[id];
  const bool sends = task.kind == TaskKind::send;
  std::vector<Part> all;
  if (!sends && adds(task)) {
    parcel.bytes.resize(
        static_cast<std::size_t>(graph::message_bytes(memories_.graph(), task.node)));
    all = parts(parcel.bytes, memories_, task.node, limits_.message_bytes);
  } else {
    all = parts(memories_, task.node, sends ? graph::SideKind::read : graph::SideKind::write,
                limits_.message_bytes);
  }
  const auto tag = static_cast<int>(task.number % limits_.tags);
  const auto token = static_cast<std::uint64_t>(id.index);
  parcel.parts = static_cast<std::int64_t>(all.size());
  for (const Part& part : all) {
    if (sends)
      world_.send(part, task.peer, tag, token);
    else
      world_.receive(part, task.peer, tag, token);
  }
  if (sends) {
    ++sent_.messages;
    sent_.bytes += graph::message_bytes(memories_.graph(), task.node);
  }
  if (all.empty()) finish(id);
}

void PostOffice::finish(TaskId id) {
  const Task& task = tasks_.tasks[id];
  if (Parcel& parcel = parcels_[id]; !parcel.bytes.empty()) {
    memories_.write(task.node, parcel.bytes.data());
    parcel.bytes = {};
  }
  Counter& lane = counter(task);
  lane.done[static_cast<std::size_t>(task.number)] = true;
  --lane.open;
  while (lane.first < static_cast<std::int64_t>(lane.done.size()) &&
         lane.done[static_cast<std::size_t>(lane.first)])
    ++lane.first;
  done_.push_back(id);
}

std::vector<TaskId> PostOffice::collect() {
  for (const std::uint64_t token : world_.poll()) {
    const TaskId task(static_cast<std::int32_t>(token));
    if (--parcels_[task].parts == 0) finish(task);
  }
  for (std::size_t i = 0; i < done_.size(); ++i) {
    const Task& task = tasks_.tasks[done_[i]];
    post_waiting(task.kind == TaskKind::send, static_cast<std::size_t>(task.peer));
  }
  return std::exchange(done_, {});
}

}  // namespace tessera::mpi
