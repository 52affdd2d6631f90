#include "analysis/timeline/timeline_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/report/source_words.h"

namespace tessera {
namespace {

using Flow = TraceFile::Flow;

constexpr std::size_t longest_name = 60;
constexpr int bandwidth_points = 500;  // per run

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

// A copy has three arrows: from its start to its transfer, and from its transfer to the waits for
// its arrival and for its sent count. A signal of a core has one arrow to a wait.
Flow start_of(std::int64_t cause) { return static_cast<Flow>(3 * cause + 1); }
Flow arrival_of(std::int64_t cause) { return static_cast<Flow>(3 * cause + 2); }
Flow sent_of(std::int64_t cause) { return static_cast<Flow>(3 * cause + 3); }

}  // namespace

void TimelineDrawing::begin(const TimingRecord& record) {
  record_ = &record;
  const Topology& topology = record.topology();
  cores_ = Table<CoreIndex, Core>(record.cores().size());
  moving_.resize(static_cast<std::size_t>(topology.devices));
  for (std::int32_t d = 0; d < topology.devices; ++d)
    devices_.push_back(trace_.group(fmt::format("device {}", d)));
  std::int64_t vmem = 0;
  for (const Buffer& buffer : record.program().buffers)
    if (buffer.space == Space::vmem && !buffer.scoped)
      vmem += elements(buffer.shape) * size_of(buffer.dtype);
  for (const CoreIndex core_index : topology.core_ids()) {
    cores_[core_index].vmem = vmem;
    trace_.count(core_track(core_index, Kind::vmem), 0, static_cast<double>(vmem));
  }
}

TimelineDrawing::Track TimelineDrawing::track(std::int32_t device, Kind kind,
                                              const std::string& name, int number,
                                              std::string_view unit) {
  const auto [found, is_new] = tracks_.try_emplace({device, kind, name}, 0);
  if (!is_new) return found->second;
  const Track group = devices_[static_cast<std::size_t>(device)];
  const int rank = 10000 * static_cast<int>(kind) + number;
  found->second =
      unit.empty() ? trace_.track(group, name, rank) : trace_.counter(group, name, rank, unit);
  return found->second;
}

std::string TimelineDrawing::core_name(CoreIndex core_index, std::string_view what) const {
  const Topology& topology = record_->topology();
  if (topology.cores == 1) return std::string(what);
  return fmt::format("core {}{}", topology.core(core_index),
                     what == "core" ? "" : fmt::format(", {}", what));
}

TimelineDrawing::Track TimelineDrawing::core_track(CoreIndex core_index, Kind kind) {
  constexpr std::array<std::string_view, 4> units = {"core", "matrix unit", "vector unit", ""};
  const std::string_view what = kind == Kind::vmem ? "vmem" : units[static_cast<std::size_t>(kind)];
  return track(record_->topology().device(core_index), kind, core_name(core_index, what),
               record_->topology().core(core_index), kind == Kind::vmem ? "bytes" : "");
}

const TimelineDrawing::Words& TimelineDrawing::words(StmtId statement) {
  const auto [found, is_new] = words_.try_emplace(statement);
  if (!is_new || !statement) return found->second;
  const Program& program = record_->program();
  const Stmt& stmt = program.body[statement];
  Words& words = found->second;
  words.loc = program.loc(stmt.place);
  words.name = source_words(words.loc, longest_name);
  if (words.name.empty()) words.name = info(stmt.op).mnemonic;
  return words;
}

TraceFile::Slice TimelineDrawing::slice(const Words& words, std::string_view name,
                                        TraceFile::Kind kind) const {
  return {.name = name, .kind = kind, .loc = words.loc};
}

std::string TimelineDrawing::copy_name(std::int32_t copy) const {
  const TimingRecord::Copy& told = record_->copies()[static_cast<std::size_t>(copy)];
  const auto buffer = [&](BufferId id) -> std::string {
    return id ? record_->program().buffers[id].name : "?";
  };
  std::string name = fmt::format("{} -> {}", buffer(told.source), buffer(told.target));
  const Topology& topology = record_->topology();
  if (topology.device(told.from) != topology.device(told.to))
    name += fmt::format(" of device {}", topology.device(told.to));
  return name;
}

const TimingRecord::Step& TimelineDrawing::step_of(CoreIndex core_index, std::size_t step) const {
  return record_->cores()[core_index].steps[step];
}

const TimingRecord::Origin& TimelineDrawing::origin_of(CoreIndex core_index,
                                                       std::size_t step) const {
  return record_->cores()[core_index].origins[step];
}

// Adds the arrows and findings of the marks to the slice.
void TimelineDrawing::draw(Track track, TraceFile::Slice slice, double begin, double end,
                           const Marks& marks) {
  std::vector<int> findings;
  std::vector<Flow> from(slice.from.begin(), slice.from.end());
  std::vector<Flow> to(slice.to.begin(), slice.to.end());
  for (const FindingMarks::Mark& mark : marks) {
    findings.push_back(mark.finding);
    from.insert(from.end(), mark.from.begin(), mark.from.end());
    to.insert(to.end(), mark.to.begin(), mark.to.end());
  }
  slice.findings = findings;
  slice.from = from;
  slice.to = to;
  trace_.begin(track, nanoseconds(begin), slice);
  trace_.end(track, nanoseconds(end));
}

// Draws events of findings that have no slice of their own.
void TimelineDrawing::draw_finding(CoreIndex core_index, const std::string& name, double begin,
                                   double end, const Marks& marks) {
  if (marks.empty()) return;
  const Words& told = words(marks.front().statement);
  draw(core_track(core_index, Kind::core), slice(told, name, TraceFile::Kind::finding), begin, end,
       marks);
}

void TimelineDrawing::finding(const Finding& finding) {
  trace_.finding(finding);
  marks_.add(finding, *record_);
  for (const CoreIndex core_index : cores_.ids())
    draw_finding(core_index, "enters the kernel", 0, 0, marks_.at_begin(core_index));
}

void TimelineDrawing::mark(CoreIndex core_index, const Piece& piece, double at) {
  if (piece.mark == EventKind::leave)
    return trace_.end(core_track(core_index, Kind::core), nanoseconds(at));
  const Program& program = record_->program();
  if (piece.mark == EventKind::enter) {
    const std::string name = record_->region_name(piece.origin.statement);
    return trace_.begin(core_track(core_index, Kind::core), nanoseconds(at),
                        slice(words(piece.origin.statement), name, TraceFile::Kind::region));
  }
  const Buffer& buffer = program.buffers[piece.buffer];
  const std::int64_t bytes = elements(buffer.shape) * size_of(buffer.dtype);
  std::int64_t& vmem = cores_[piece.core].vmem;
  vmem += piece.mark == EventKind::alloc ? bytes : -bytes;
  trace_.count(core_track(piece.core, Kind::vmem), nanoseconds(at), static_cast<double>(vmem));
}

void TimelineDrawing::work(CoreIndex core_index, std::size_t step, double at) {
  const std::vector<Piece>& pieces = record_->cores()[core_index].pieces;
  std::size_t& next = cores_[core_index].piece;
  const std::size_t last = next + static_cast<std::size_t>(step_of(core_index, step).amount);
  while (next < last) {
    if (pieces[next].unit == TimingRecord::Unit::mark)
      mark(core_index, pieces[next++], at);
    else
      draw_statement(core_index, next, last, at);
  }
  cores_[core_index].at = at;
}

// Draws one slice for the pieces of one step on the core's track, and one for each piece on the
// track of the unit that works.
void TimelineDrawing::draw_statement(CoreIndex core_index, std::size_t& next, std::size_t last,
                                     double& at) {
  const std::vector<Piece>& pieces = record_->cores()[core_index].pieces;
  const StmtId statement = pieces[next].origin.statement;
  const Words& told = words(statement);
  const TraceFile::Slice drawn = slice(told, told.name, TraceFile::Kind::work);
  const double begin = at;
  const std::int64_t number = pieces[next].origin.number;
  for (; next < last && pieces[next].unit != TimingRecord::Unit::mark &&
         pieces[next].origin.number == number;
       ++next) {
    const Piece& piece = pieces[next];
    if (piece.unit != TimingRecord::Unit::control) {
      const Kind unit = piece.unit == TimingRecord::Unit::matrix ? Kind::matrix : Kind::vector;
      draw(core_track(core_index, unit), drawn, at, at + piece.seconds);
    }
    at += piece.seconds;
  }
  draw(core_track(core_index, Kind::core), drawn, begin, at, marks_.up_to(core_index, number));
}

void TimelineDrawing::wait(CoreIndex core_index, std::size_t step, double begin, double end) {
  const TimingRecord::Step& self = step_of(core_index, step);
  std::vector<Flow> taken;
  std::deque<Arrival>& arrived = arrived_[self.object];
  for (std::int64_t left = self.amount; left > 0 && !arrived.empty();) {
    const std::int64_t part = std::min(left, arrived.front().amount);
    left -= part;
    arrived.front().amount -= part;
    if (arrived.front().amount > 0) break;
    const std::int64_t cause = arrived.front().cause;
    const auto copy = static_cast<std::size_t>(cause);
    const bool is_sent =
        copy < record_->copies().size() && record_->copies()[copy].sent == self.object;
    taken.push_back(is_sent ? sent_of(cause) : arrival_of(cause));
    arrived.pop_front();
  }
  const TimingRecord::Origin& origin = origin_of(core_index, step);
  const std::string name = fmt::format("wait {}", record_->cell_name(self.object));
  const std::array<TraceFile::Argument, 1> arguments = {
      {{record_->counts_bytes(self.object) ? "bytes" : "counts", self.amount}}};
  TraceFile::Slice drawn = slice(words(origin.statement), name, TraceFile::Kind::wait);
  drawn.arguments = arguments;
  drawn.to = taken;
  draw(core_track(core_index, Kind::core), drawn, begin, end,
       marks_.up_to(core_index, origin.number));
  cores_[core_index].at = end;
}

void TimelineDrawing::signal(CoreIndex core_index, std::size_t step, std::int64_t cause,
                             double at) {
  const std::string name =
      fmt::format("signal {}", record_->cell_name(step_of(core_index, step).object));
  const std::array<Flow, 1> from = {arrival_of(cause)};
  const TimingRecord::Origin& origin = origin_of(core_index, step);
  TraceFile::Slice drawn = slice(words(origin.statement), name, TraceFile::Kind::signal);
  drawn.from = from;
  draw(core_track(core_index, Kind::core), drawn, at, at, marks_.up_to(core_index, origin.number));
  cores_[core_index].at = at;
}

void TimelineDrawing::copy(CoreIndex core_index, std::size_t step, double begin, double end) {
  const std::int32_t copy = step_of(core_index, step).object;
  const TimingRecord::Copy& told = record_->copies()[static_cast<std::size_t>(copy)];
  const TimingRecord::Origin& origin = origin_of(core_index, step);
  const Words& source = words(origin.statement);
  const std::string name = copy_name(copy), start = fmt::format("start {}", name);
  const std::array<Flow, 1> from = {start_of(copy)};
  std::vector<Flow> on;
  if (told.sent >= 0) on.push_back(sent_of(copy));
  if (told.arrived >= 0) on.push_back(arrival_of(copy));
  TraceFile::Slice drawn = slice(source, start, TraceFile::Kind::copy);
  drawn.from = from;
  draw(core_track(core_index, Kind::core), drawn, begin, begin,
       marks_.up_to(core_index, origin.number));
  cores_[core_index].at = begin;

  std::vector<double>& lanes = cores_[core_index].free_at;
  const auto lane =
      std::find_if(lanes.begin(), lanes.end(), [&](double free_at) { return free_at <= begin; });
  const auto number = static_cast<int>(lane - lanes.begin());
  if (lane == lanes.end()) lanes.push_back(end);
  lanes[static_cast<std::size_t>(number)] = end;
  const Topology& topology = record_->topology();
  const Track flight = track(topology.device(core_index), Kind::copies,
                             core_name(core_index, fmt::format("copies in flight, {}", number + 1)),
                             100 * topology.core(core_index) + number);
  const AgentId agent{topology.device(core_index),
                      static_cast<std::int16_t>(topology.core(core_index)), -1, told.number};
  const std::array<TraceFile::Argument, 2> arguments = {
      {{"bytes moved in whole tiles", told.moved}, {"agent", to_string(agent)}}};
  TraceFile::Slice moved = slice(source, name, TraceFile::Kind::copy);
  moved.arguments = arguments;
  moved.to = from;
  moved.from = on;
  draw(flight, moved, begin, end, marks_.of_copy(copy));
}

TraceFile::Slice TimelineDrawing::slice_of_copy(const std::string& name, std::int32_t copy) {
  return slice(words(record_->copies()[static_cast<std::size_t>(copy)].statement), name,
               TraceFile::Kind::copy);
}

void TimelineDrawing::memory(std::int32_t device, std::int32_t copy, double begin, double end) {
  draw(track(device, Kind::memory, "hbm"), slice_of_copy(copy_name(copy), copy), begin, end);
  std::vector<Stretch>& moving = moving_[static_cast<std::size_t>(device)];
  if (!moving.empty() && moving.back().second == begin)
    moving.back().second = end;
  else
    moving.emplace_back(begin, end);
}

void TimelineDrawing::link(std::int32_t device, std::int32_t other, std::int32_t copy, double begin,
                           double end) {
  const std::string name = other < 0 ? "links" : fmt::format("link to device {}", other);
  draw(track(device, Kind::links, name, std::max(other, 0)), slice_of_copy(copy_name(copy), copy),
       begin, end);
}

void TimelineDrawing::count(std::int32_t cell, std::int64_t count, const Arrival& arrival,
                            double at) {
  if (arrival.cause >= 0) arrived_[cell].push_back(arrival);
  const std::int32_t of_core = record_->cells() / record_->topology().count();
  const CoreIndex core_index(cell / of_core);
  const Track counter = track(record_->topology().device(core_index), Kind::semaphores,
                              core_name(core_index, record_->cell_name(cell)), cell % of_core,
                              record_->counts_bytes(cell) ? "bytes" : "counts");
  trace_.count(counter, nanoseconds(at), static_cast<double>(count));
}

// Draws the mean bandwidth in each of many equal parts of the run.
void TimelineDrawing::draw_bandwidth(double seconds) {
  const double part = seconds / bandwidth_points, peak = record_->profile().hbm_bandwidth;
  for (std::int32_t d = 0; d < record_->topology().devices; ++d) {
    const std::vector<Stretch>& moving = moving_[static_cast<std::size_t>(d)];
    if (moving.empty()) continue;
    std::vector<double> busy(bandwidth_points + 1);
    for (const auto& [begin, end] : moving) {
      auto at = static_cast<std::size_t>(begin / part);
      for (double from = begin; from < end && at < busy.size(); ++at) {
        const double to = std::min(end, part * static_cast<double>(at + 1));
        busy[at] += std::max(0.0, to - from);
        from = std::max(from, to);
      }
    }
    const Track counter = track(d, Kind::bandwidth, "hbm bandwidth", 0, "GB/s");
    for (std::size_t at = 0; at < bandwidth_points; ++at)
      trace_.count(counter, nanoseconds(part * static_cast<double>(at)),
                   busy[at] / part * peak * 1e-9);
    trace_.count(counter, nanoseconds(seconds), 0);
  }
}

// Draws the end of the kernel on cores for which a finding has it, and the waits of blocked cores
// until some time after the end of the run.
void TimelineDrawing::draw_ends(double seconds) {
  const double after = std::max(seconds * 1.25, 1e-6);
  for (const CoreIndex core_index : cores_.ids()) {
    Core& core = cores_[core_index];
    draw_finding(core_index, "leaves the kernel", core.at, core.at, marks_.at_end(core_index));
    const std::optional<FindingMarks::Mark> mark = marks_.blocked(core_index);
    if (!mark) continue;
    draw_finding(core_index, "blocked: " + mark->what, core.at, after, {*mark});
  }
}

void TimelineDrawing::end(const Timing& timing) {
  draw_ends(timing.seconds);
  if (timing.seconds > 0) draw_bandwidth(timing.seconds);
  trace_.finish();
  is_drawn_ = true;
}

}  // namespace tessera
