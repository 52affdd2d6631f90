#include "interp/certificate/points/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/program/refs.h"
#include "interp/findings/describe.h"

namespace tessera {
namespace {

constexpr std::size_t most_races = 20;  // findings; the rest are counted

std::size_t at_index(std::int64_t i) { return static_cast<std::size_t>(i); }

bool is_parallel(const Stmt& s) {
  const auto* loop = std::get_if<For>(&s.op);
  return loop != nullptr && loop->parallel != 0;
}

// Into Program::buffers, or -1.
std::int32_t buffer_of(const Program& program, const Slice& slice) {
  if (slice.base == no_value) return -1;
  const Value& base = program.value(slice.base);
  return base.kind == ValueKind::ref ? base.index : -1;
}

// What the statement writes, itself or by its copy.
const Slice* destination(const Op& op) {
  if (const auto* remote = std::get_if<StartRemote>(&op)) return &remote->dst;
  if (const auto* back = std::get_if<WriteBack>(&op)) return &back->dst;
  if (const auto* start = std::get_if<Start>(&op)) return &start->dst;
  return written_slice(op);
}

}  // namespace

void PointsObserver::find_facts() {
  const Program& program = *program_;
  facts_.clear();
  sharing_.emplace(program);
  std::vector<LoopFacts*> open;
  std::vector<std::int32_t> ends;
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    const Stmt& s = program.body[i];
    while (!ends.empty() && ends.back() <= static_cast<std::int32_t>(i)) {
      ends.pop_back();
      open.pop_back();
    }
    const Slice* to = destination(s.op);
    for (LoopFacts* loop : open) {
      if (to != nullptr && buffer_of(program, *to) >= 0)
        loop->stores[at_index(buffer_of(program, *to))] = true;
      if (const auto* alloc = std::get_if<Alloc>(&s.op))
        if (const std::int32_t b = buffer_of(program, alloc->ref); b >= 0)
          loop->own[at_index(b)] = true;
    }
    if (!is_parallel(s)) continue;
    LoopFacts& loop = facts_[static_cast<std::int32_t>(i)];
    loop.stores.assign(program.buffers.size(), false);
    loop.own.assign(program.buffers.size(), false);
    // A loop of a function that is called twice is one line of the source.
    const Loc loc = program.loc(s.place);
    const std::string& name = program.value(s.result).name;
    const auto known =
        std::find_if(verdict_.loops.begin(), verdict_.loops.end(), [&](const ParallelLoop& other) {
          return loc && other.loc.source == loc.source && other.loc.line == loc.line &&
                 other.loc.column == loc.column && other.name == name;
        });
    loop.verdict = static_cast<std::size_t>(known - verdict_.loops.begin());
    if (known == verdict_.loops.end()) verdict_.loops.push_back({.loc = loc, .name = name});
    open.push_back(&loop);
    ends.push_back(s.partner);
  }
}

void PointsObserver::begin(const Program& program, const RunOptions& options) {
  program_ = &program;
  sites_ = {options.devices, options.cores};
  verdict_ = {};
  known_.clear();
  find_facts();
  std::int64_t cells = 0;
  cell_base_.clear();
  for (const Semaphore& semaphore : program.semaphores) {
    cell_base_.push_back(cells);
    cells += elements(semaphore.shape);
  }
  cores_.assign(at_index(sites_.count()), {});
  for (CoreState& core : cores_) {
    core.counts.assign(at_index(cells), 0);
    core.left.assign(program.buffers.size(), {});
  }
}

bool PointsObserver::is_shared(std::int32_t buffer) const {
  return sharing_->buffers[at_index(buffer)];
}

void PointsObserver::on(const Event& event) {
  const std::int32_t site = sites_.of(event.agent);
  CoreState& core = cores_[at_index(site)];
  if (event.kind == EventKind::point || event.kind == EventKind::points_end)
    return core.borders.push_back(event);
  const bool is_step = event.kind != EventKind::enter && event.kind != EventKind::leave;
  if (is_step && !event.agent.is_copy()) pass_borders(core, site);
  switch (event.kind) {
    case EventKind::read:
      return access(core, site, event, Access::read);
    case EventKind::write:
    case EventKind::fresh:
      return access(core, site, event, Access::store);
    case EventKind::update:
      access(core, site, event, Access::read);
      return access(core, site, event, Access::store);
    case EventKind::accumulate:
      return access(core, site, event, Access::add);
    case EventKind::signal:
      return count(core, site, event, event.amount);
    case EventKind::wait:
      return count(core, site, event, -event.amount);
    case EventKind::await:
    case EventKind::read_sem:
      return count(core, site, event, 0);
    case EventKind::alloc:
      if (event.object_kind == ObjectKind::buffer) core.left[at_index(event.object)].clear();
      return;
    default:
      return;
  }
}

void PointsObserver::pass_borders(CoreState& core, std::int32_t site) {
  for (const Event& event : core.borders) {
    if (event.kind == EventKind::point) {
      point(core, event);
    } else {
      end_point(core);
      end_loop(core, site);
    }
  }
  core.borders.clear();
}

void PointsObserver::point(CoreState& core, const Event& event) {
  if (core.open.empty() || core.open.back().statement != event.statement)
    core.open.push_back({.statement = event.statement});
  else
    end_point(core);
  core.open.back().points.push_back(event.amount);
}

void PointsObserver::end_point(CoreState& core) {
  OpenLoop& loop = core.open.back();
  for (auto& [key, log] : loop.logs) log.stored.clear();
  for (const std::int64_t cell : loop.touched)
    if (core.counts[at_index(cell)] != 0)
      verdict_.loops[facts(loop.statement).verdict].synchronises = true;
  loop.touched.clear();
}

void PointsObserver::end_loop(CoreState& core, std::int32_t site) {
  const OpenLoop loop = std::move(core.open.back());
  core.open.pop_back();
  verdict_.loops[facts(loop.statement).verdict].points +=
      static_cast<std::int64_t>(loop.points.size());
  for (const auto& [key, log] : loop.logs) {
    compare(core, loop, key.first, key.second, log, site);
    if (!is_shared(key.second)) leave_behind(core, loop, key.second, log);
  }
}

void PointsObserver::access(CoreState& core, std::int32_t site, const Event& event, Access access) {
  if (event.box->empty()) return;
  const std::int32_t home =
      sites_.home(event.site, program_->buffers[at_index(event.object)].space);
  if (home == site && !core.left[at_index(event.object)].empty())
    look_at_left(core, site, event, access);
  for (OpenLoop& loop : core.open) log(core, loop, home, event, access);
}

void PointsObserver::log(CoreState&, OpenLoop& loop, std::int32_t home, const Event& event,
                         Access access) {
  const LoopFacts& known = facts(loop.statement);
  if (!known.stores[at_index(event.object)] || known.own[at_index(event.object)]) return;
  Log& log = loop.logs[{home, event.object}];
  const auto number = static_cast<std::int32_t>(loop.points.size()) - 1;
  const auto note = [&](std::vector<Touch>& touches, const Box& box) {
    const std::size_t from = touches.size() > 8 ? touches.size() - 8 : 0;
    for (std::size_t i = from; i < touches.size(); ++i) {
      const Touch& t = touches[i];
      if (t.point == number && t.access == access && t.box == box) return;
    }
    touches.push_back({box, number, event.statement, access});
  };
  std::vector<Touch>& touches = access == Access::read ? log.reads : log.stores;
  if (is_shared(event.object)) return note(touches, *event.box);
  // Of a point's own copy counts what it reads of the time before the loop.
  for (const Box& box : log.stored.missing(*event.box)) {
    note(touches, box);
    if (access == Access::add) note(log.reads, box);
  }
  if (access != Access::read) log.stored.add(*event.box);
}

// Scratch that points of an earlier loop stored: whoever reads it needs to know which was the last.
void PointsObserver::look_at_left(CoreState& core, std::int32_t site, const Event& event,
                                  Access access) {
  std::vector<Left>& of_buffer = core.left[at_index(event.object)];
  if (access != Access::store) {
    for (const Left& left : of_buffer) {
      if (!intersects(left.box, *event.box)) continue;
      ParallelLoop& loop = verdict_.loops[facts(left.loop).verdict];
      if (left.second.empty()) {
        if (loop.any_split && loop.any_order)
          loop.why_whole = fmt::format("{}, which {} stores, is read after the loop",
                                       slice_text(*program_, event.object, left.box), left.first);
        loop.any_split = false;
        continue;
      }
      if (loop.any_order) {
        Finding finding{.kind = FindingKind::race};
        finding.message = fmt::format(
            "{} reads {} of {}, which points {} and {} of a parallel loop both stored: after it "
            "nobody knows whose values these are",
            to_string(event.agent.issuer()), slice_text(*program_, event.object, *event.box),
            sites_.name(site, program_->buffers[at_index(event.object)].space), left.first,
            left.second);
        finding.at = at(event.statement, site, "");
        finding.about = {.statement = event.statement,
                         .other = left.statement,
                         .buffer = event.object,
                         .points_of = left.loop};
        finding.devices = {finding.at.device};
        finding.notes.push_back(at(left.statement, site, "stored here"));
        finding.notes.push_back(at(left.loop, site, "points of this loop come in any order"));
        verdict_.findings.push_back(std::move(finding));
      }
      loop.any_order = loop.any_split = false;
    }
  }
  if (access == Access::read) return;
  std::vector<Left> rest;
  for (const Left& left : of_buffer) {
    for (const Box& box : without(left.box, *event.box)) {
      rest.push_back(left);
      rest.back().box = box;
    }
  }
  of_buffer = std::move(rest);
}

void PointsObserver::count(CoreState& core, std::int32_t site, const Event& event,
                           std::int64_t amount) {
  const std::int64_t cell = cell_base_[at_index(event.object)] + event.cell;
  if (event.site != site) cores_[at_index(event.site)].foreign.insert(cell);
  const bool is_own = event.site == site && !sharing_->semaphores[at_index(event.object)];
  if (!is_own) {
    for (const OpenLoop& loop : core.open)
      verdict_.loops[facts(loop.statement).verdict].synchronises = true;
    return;
  }
  for (OpenLoop& loop : core.open) {
    core.loops[cell].insert(facts(loop.statement).verdict);
    if (std::find(loop.touched.begin(), loop.touched.end(), cell) != loop.touched.end()) continue;
    if (core.counts[at_index(cell)] != 0)
      verdict_.loops[facts(loop.statement).verdict].synchronises = true;
    loop.touched.push_back(cell);
  }
  core.counts[at_index(cell)] += amount;
}

void PointsObserver::compare(CoreState& core, const OpenLoop& loop, std::int32_t home,
                             std::int32_t buffer, const Log& log, std::int32_t site) {
  if (loop.points.size() < 2) return;
  const auto boxes = [](const std::vector<Touch>& touches) {
    std::vector<const Box*> result;
    for (const Touch& t : touches) result.push_back(&t.box);
    return result;
  };
  constexpr std::int64_t enough = 100'000;  // pairs of one buffer that are looked at
  std::int64_t pairs = 0;
  // Of each pair of statements the first points stand for all.
  // What two of them store comes before what one of them reads.
  std::map<std::tuple<bool, std::int32_t, std::int32_t>, std::pair<Touch, Touch>> races;
  const auto note = [&](const Touch& here, const Touch& there) {
    const auto [known, is_new] = races.try_emplace(
        {here.access == Access::read, here.statement, there.statement}, here, there);
    if (is_new) return;
    auto& [x, y] = known->second;
    if (std::pair(here.point, there.point) < std::pair(x.point, y.point))
      known->second = {here, there};
  };
  const std::vector<const Box*> reads = boxes(log.reads), stores = boxes(log.stores);
  for_each_meeting(reads, stores, [&](std::size_t i, std::size_t j) {
    if (log.reads[i].point == log.stores[j].point) return true;
    note(log.reads[i], log.stores[j]);
    return ++pairs < enough;
  });
  pairs = 0;
  if (is_shared(buffer))
    for_each_meeting(stores, stores, [&](std::size_t i, std::size_t j) {
      const Touch &x = log.stores[i], &y = log.stores[j];
      if (x.point >= y.point || (x.access == Access::add && y.access == Access::add)) return true;
      note(x, y);
      return ++pairs < enough;
    });
  for (const auto& [statements, pair] : races)
    race(core, loop, home, buffer, site, pair.first, pair.second);
}

// What the points stored of their own copies of scratch, and of that what two of them did.
void PointsObserver::leave_behind(CoreState& core, const OpenLoop& loop, std::int32_t buffer,
                                  const Log& log) {
  struct Stored {
    std::int32_t first, second, statement;  // points; -1: no second one
  };
  const auto order = [](const Box& a, const Box& b) {
    return std::tie(a.start, a.size) < std::tie(b.start, b.size);
  };
  std::map<Box, Stored, decltype(order)> stored(order);
  const auto note = [&](const Box& box, const Stored& by) {
    const auto [known, is_new] = stored.try_emplace(box, by);
    if (is_new || known->second.second >= 0) return;
    if (by.second >= 0)
      known->second = by;
    else if (by.first != known->second.first)
      known->second.second = by.first;
  };
  for (const Touch& t : log.stores) note(t.box, {t.point, -1, t.statement});
  std::vector<std::pair<Box, Stored>> single;
  for (const auto& [box, by] : stored)
    if (by.second < 0) single.emplace_back(box, by);
  std::vector<const Box*> boxes;
  for (const auto& [box, by] : single) boxes.push_back(&box);
  for_each_meeting(boxes, boxes, [&](std::size_t i, std::size_t j) {
    const Stored &a = single[i].second, &b = single[j].second;
    if (a.first < b.first)
      note(intersection(single[i].first, single[j].first), {a.first, b.first, a.statement});
    return true;
  });
  std::vector<Left>& left = core.left[at_index(buffer)];
  for (const auto& [box, by] : stored)
    left.push_back({box, loop.statement, by.statement, place(core, loop, by.first),
                    by.second < 0 ? std::string() : place(core, loop, by.second)});
}

// "i=0 j=1": the parallel loops around, and this one's point.
std::string PointsObserver::place(const CoreState& core, const OpenLoop& loop,
                                  std::int32_t point) const {
  std::string text;
  const auto add = [&](const OpenLoop& of, std::int64_t value) {
    const Stmt& s = program_->body[at_index(of.statement)];
    const std::string& name = program_->value(s.result).name;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name.empty() ? "loop" : name, value);
  };
  for (const OpenLoop& outer : core.open) add(outer, outer.points.back());
  add(loop, loop.points[at_index(point)]);
  return text;
}

FindingPlace PointsObserver::at(std::int32_t statement, std::int32_t site,
                                std::string message) const {
  const AgentId agent = sites_.agent(site);
  return {.loc = program_->loc(program_->body[at_index(statement)].place),
          .message = std::move(message),
          .device = agent.device,
          .agent = to_string(agent)};
}

void PointsObserver::race(const CoreState& core, const OpenLoop& loop, std::int32_t home,
                          std::int32_t buffer, std::int32_t site, const Touch& here,
                          const Touch& there) {
  ParallelLoop& judged = verdict_.loops[facts(loop.statement).verdict];
  judged.any_order = judged.any_split = false;
  judged.why_whole.clear();
  // One of all devices and runs of the loop, and of what one line both reads and stores.
  const std::int32_t x = program_->body[at_index(here.statement)].place,
                     y = program_->body[at_index(there.statement)].place;
  if (!known_.insert({std::min(x, y), std::max(x, y), buffer}).second) return;
  if (verdict_.findings.size() >= most_races) {
    ++verdict_.more_races;
    return;
  }
  const auto verb = [](Access access) {
    return access == Access::read ? "reads" : access == Access::add ? "adds to" : "stores";
  };
  const auto range = [&](const Touch& touch) {
    return fmt::format("{} of {}", slice_text(*program_, buffer, touch.box),
                       sites_.name(home, program_->buffers[at_index(buffer)].space));
  };
  const bool is_same = here.box == there.box;
  Finding finding{.kind = FindingKind::race};
  finding.message = fmt::format(
      "point {} of {} {} {}{}, and point {} {} {}", place(core, loop, here.point),
      to_string(sites_.agent(site)), verb(here.access), range(here),
      here.access != Access::store && !is_shared(buffer) ? " as it was before the loop" : "",
      place(core, loop, there.point), verb(there.access), is_same ? "it" : range(there));
  finding.at = at(here.statement, site, "");
  finding.about = {.statement = here.statement,
                   .other = there.statement,
                   .buffer = buffer,
                   .points_of = loop.statement};
  finding.devices = {finding.at.device};
  if (here.statement != there.statement)
    finding.notes.push_back(
        at(there.statement, site,
           fmt::format("point {} {} it here", place(core, loop, there.point), verb(there.access))));
  finding.notes.push_back(
      at(loop.statement, site, "why: points of this loop come in any order, also side by side"));
  add_call_chain(*program_, program_->body[at_index(here.statement)].place, finding.notes);
  verdict_.findings.push_back(std::move(finding));
}

void PointsObserver::end(RunResult&) {
  for (std::size_t site = 0; site < cores_.size(); ++site)
    pass_borders(cores_[site], static_cast<std::int32_t>(site));
  for (const CoreState& core : cores_)
    for (const auto& [cell, loops] : core.loops)
      for (const std::size_t loop : loops)
        verdict_.loops[loop].synchronises |= core.foreign.contains(cell);
  program_ = nullptr;
}

}  // namespace tessera
