#include "analysis/timeline/cost.h"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

using Unit = TimingRecord::Unit;

}  // namespace

void CostListener::begin(const TimingRecord& record) {
  record_ = &record;
  const std::size_t cores = record.cores().size(), copies = record.copies().size();
  passes_.resize(cores);
  first_piece_.resize(cores);
  last_.resize(cores);
  starts_.resize(copies);
  slowest_.assign(copies, -1);
  for (const CoreIndex core_index : record.cores().ids()) {
    std::size_t piece = 0;
    for (const TimingRecord::Step& step : record.cores()[core_index].steps) {
      first_piece_[core_index].push_back(piece);
      if (step.act == TimingRecord::Act::work) piece += static_cast<std::size_t>(step.amount);
    }
  }
}

void CostListener::work(CoreIndex core_index, std::size_t step, double at) {
  last_[core_index] = {core_index, step, at + record_->cores()[core_index].steps[step].seconds};
}

void CostListener::wait(CoreIndex core_index, std::size_t step, double begin, double end) {
  last_[core_index] = {core_index, step, end};
  if (end <= begin) return;
  passes_[core_index][step] = {begin, end,
                               last_cause_[record_->cores()[core_index].steps[step].object]};
}

void CostListener::signal(CoreIndex core_index, std::size_t step, std::int64_t /*cause*/,
                          double at) {
  signals_.push_back(last_[core_index] = {core_index, step, at});
}

void CostListener::copy(CoreIndex core_index, std::size_t step, double begin, double /*end*/) {
  const auto copy = static_cast<std::size_t>(record_->cores()[core_index].steps[step].object);
  starts_[copy] = last_[core_index] = {core_index, step, begin};
}

void CostListener::turn(std::int32_t& last, const Turn& turn) {
  const auto number = static_cast<std::int32_t>(turns_.size());
  turns_.push_back(turn);
  if (last >= 0 && turns_[static_cast<std::size_t>(last)].end == turn.begin)
    turns_.back().before = last;
  last = number;
  std::int32_t& slowest = slowest_[static_cast<std::size_t>(turn.copy)];
  if (slowest < 0 || turns_[static_cast<std::size_t>(slowest)].end < turn.end) slowest = number;
}

void CostListener::memory(std::int32_t device, std::int32_t copy, double begin, double end) {
  turn(at_memory_.try_emplace(device, -1).first->second, {begin, end, copy, -1, false});
}

void CostListener::link(std::int32_t device, std::int32_t other, std::int32_t copy, double begin,
                        double end) {
  turn(at_link_.try_emplace({device, other}, -1).first->second, {begin, end, copy, -1, true});
}

void CostListener::count(std::int32_t cell, std::int64_t /*count*/, const Arrival& arrival,
                         double /*at*/) {
  if (arrival.cause >= 0) last_cause_[cell] = arrival.cause;
}

LineCost& CostListener::line_of(StmtId statement) {
  Loc loc;
  if (statement) loc = record_->program().loc(statement);
  const auto [known, is_new] = known_.try_emplace({loc.source.get(), loc.line}, cost_.lines.size());
  if (is_new) cost_.lines.push_back({loc});
  return cost_.lines[known->second];
}

// Adds the work and the waits of the core, by line and by region.
void CostListener::add_core(CoreIndex core_index) {
  const TimingRecord::Core& core = record_->cores()[core_index];
  std::vector<std::size_t> open;  // regions that the core is in
  const auto spend = [&](double seconds) {
    for (const std::size_t region : open) cost_.regions[region].seconds += seconds;
  };
  for (std::size_t s = 0; s < core.steps.size(); ++s) {
    const auto& waits = passes_[core_index];
    if (const auto pass = waits.find(s); pass != waits.end()) {
      line_of(core.origins[s].statement).waiting += pass->second.end - pass->second.begin;
      spend(pass->second.end - pass->second.begin);
    }
    if (core.steps[s].act != TimingRecord::Act::work) continue;
    const std::size_t first = first_piece_[core_index][s];
    for (std::size_t p = first; p < first + static_cast<std::size_t>(core.steps[s].amount); ++p) {
      const TimingRecord::Piece& piece = core.pieces[p];
      if (piece.unit != Unit::mark) {
        LineCost& line = line_of(piece.origin.statement);
        (piece.unit == Unit::matrix   ? line.matrix
         : piece.unit == Unit::vector ? line.vector
                                      : line.control) += piece.seconds;
        spend(piece.seconds);
      } else if (piece.mark == EventKind::leave) {
        open.pop_back();
      } else if (piece.mark == EventKind::enter) {
        const std::string name = record_->region_name(piece.origin.statement);
        const auto found =
            std::find_if(cost_.regions.begin(), cost_.regions.end(),
                         [&](const RegionCost& region) { return region.name == name; });
        open.push_back(static_cast<std::size_t>(found - cost_.regions.begin()));
        if (found == cost_.regions.end()) cost_.regions.push_back({name});
      }
    }
  }
}

// Adds the transfers that a copy's arrival depends on to the critical path, last one first. Returns
// the start of the first copy in this chain.
CostListener::Place CostListener::arrive_by_copy(std::int32_t copy, double at) {
  for (std::int32_t number = slowest_[static_cast<std::size_t>(copy)]; number >= 0;) {
    const Turn& turn = turns_[static_cast<std::size_t>(number)];
    const Place& start = starts_[static_cast<std::size_t>(turn.copy)];
    LineCost& line = line_of(record_->cores()[start.core].origins[start.step].statement);
    cost_.critical.latency += at - turn.end;
    (turn.is_link ? cost_.critical.links : cost_.critical.memory) += turn.end - turn.begin;
    line.critical += at - turn.begin;
    at = turn.begin;
    copy = turn.copy;
    number = turn.begin > start.at ? turn.before : -1;
  }
  const Place& start = starts_[static_cast<std::size_t>(copy)];
  cost_.critical.latency += at - start.at;  // not 0 for a copy that uses no memory and no link
  return start;
}

void CostListener::walk(Place from) {
  while (from.core) {
    const CoreIndex core_index = from.core;
    const TimingRecord::Core& core = record_->cores()[core_index];
    const TimingRecord::Step& step = core.steps[from.step];
    if (step.act == TimingRecord::Act::work) {
      const std::size_t first = first_piece_[core_index][from.step];
      for (std::size_t p = first; p < first + static_cast<std::size_t>(step.amount); ++p)
        if (core.pieces[p].unit != Unit::mark)
          line_of(core.pieces[p].origin.statement).critical += core.pieces[p].seconds;
      cost_.critical.work += step.seconds;
    } else if (const auto pass = passes_[core_index].find(from.step);
               pass != passes_[core_index].end()) {
      const auto copies = static_cast<std::int64_t>(starts_.size());
      const std::int64_t cause = pass->second.cause;
      if (cause < copies) {
        from = arrive_by_copy(static_cast<std::int32_t>(cause), pass->second.end);
      } else {
        from = signals_[static_cast<std::size_t>(cause - copies)];
        const double latency = pass->second.end - from.at;
        cost_.critical.latency += latency;
        line_of(record_->cores()[from.core].origins[from.step].statement).critical += latency;
      }
    }
    if (from.step == 0) return;
    --from.step;
  }
}

void CostListener::end(const Timing& timing) {
  const auto waits_least = std::min_element(
      timing.devices.begin(), timing.devices.end(),
      [](const DeviceTiming& a, const DeviceTiming& b) { return a.waiting < b.waiting; });
  add_core(CoreIndex(static_cast<std::size_t>(waits_least - timing.devices.begin())));
  const auto ends_last = std::max_element(
      last_.begin(), last_.end(), [](const Place& a, const Place& b) { return a.at < b.at; });
  if (ends_last != last_.end()) walk(*ends_last);
  std::stable_sort(cost_.lines.begin(), cost_.lines.end(),
                   [](const LineCost& a, const LineCost& b) { return a.on_core() > b.on_core(); });
}

}  // namespace tessera
