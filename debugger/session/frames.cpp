#include "debugger/session/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/report/lines.h"

namespace tessera {
namespace {

PlaceId caller_of(const Program& program, PlaceId place) {
  return place ? program.places[place].caller : PlaceId();
}

// Place of the loop in the source.
PlaceId place_of(const Program& program, LoopId loop) {
  const ValueId index = program.loops[loop].index;
  return index == no_value ? PlaceId() : program.place_of(program.values[index].statement);
}

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns the name before the first parenthesis at or after a call's place. A place without a
// column is searched only within its line.
std::string called_name(const Loc& call) {
  if (!call) return {};
  const bool is_whole_line = call.column == 0;
  const std::string_view line = Lines(call.source->text)[call.line];
  const auto begin = static_cast<std::size_t>(line.data() - call.source->text.data());
  const std::string text =
      call.source->text.substr(0, is_whole_line ? begin + line.size() : std::string::npos);
  const std::size_t from = begin + static_cast<std::size_t>(std::max(call.column, 1)) - 1;
  if (line.empty() || from >= text.size()) return {};
  const std::size_t open = text.find('(', from);
  if (open == std::string::npos) return {};
  std::size_t first = open;
  while (first > from && is_of_name(text[first - 1])) --first;
  return text.substr(first, open - first);
}

std::vector<LoopId> loops_around(const Program& program, StmtId statement) {
  std::vector<LoopId> loops;
  for (LoopId at = statement ? program.body[statement].loop : LoopId(); at;
       at = program.loops[at].outer)
    loops.push_back(at);
  return loops;
}

}  // namespace

std::string to_string(const Frame& frame) {
  if (!frame.loop) return frame.name;
  const std::string loop = frame.name.empty() ? "for" : "for " + frame.name;
  return frame.index ? fmt::format("{} = {}", loop, *frame.index) : loop;
}

std::vector<Frame> frames_of(const Program& program, StmtId statement, const LoopIndices& indices) {
  std::vector<Frame> frames;
  if (!statement) return frames;
  auto index = indices.rbegin();
  const std::vector<LoopId> loops = loops_around(program, statement);
  auto next = loops.begin();
  PlaceId place = program.place_of(statement);
  for (bool is_kernel = false; !is_kernel;) {
    const PlaceId call = caller_of(program, place);
    is_kernel = !call;
    const Loc loc = program.loc(place);
    const std::string name = is_kernel ? program.name : called_name(program.loc(call));
    frames.push_back({name, loc, {}, call, {}});
    // The kernel gets all loops that belong to no function, including loops without a known place.
    for (; next != loops.end(); ++next) {
      const PlaceId at = place_of(program, *next);
      if (!is_kernel && caller_of(program, at) != call) break;
      const Loop& loop = program.loops[*next];
      const Loc of_loop = program.loc(at);
      frames.push_back({loop.name, of_loop ? of_loop : loc, *next, {}, {}});
      if (loop.index != no_value && index != indices.rend()) frames.back().index = (index++)->value;
    }
    place = call;
  }
  return frames;
}

void FrameLeft::begin(Machine& machine) {
  const Program& program = machine.program();
  const Core& core = machine.core_state(machine.topology().of(core_)).core;
  steps_ = core.steps();
  loop_ = {};
  call_ = {};
  around_.clear();
  if (core.is_finished() || core.is_free()) return;
  const std::vector<Frame> frames = frames_of(program, core.statement());
  around_ = machine.loops_of(core_, core.statement());
  if (frames.size() > 1 && frames[1].loop) {
    loop_ = frames[1].loop;
    if (program.loops[loop_].index != no_value) around_.pop_back();
  } else if (!frames.empty()) {
    call_ = frames.front().call;
  }
}

bool FrameLeft::is_inside(Machine& machine, StmtId statement) const {
  const Program& program = machine.program();
  bool is_there = !loop_ && !call_;
  if (loop_)
    for (const LoopId loop : loops_around(program, statement)) is_there = is_there || loop == loop_;
  if (call_)
    for (PlaceId at = caller_of(program, program.place_of(statement)); at;
         at = caller_of(program, at))
      is_there = is_there || at == call_;
  if (!is_there || around_.empty()) return is_there;
  const LoopIndices here = machine.loops_of(core_, statement);
  if (here.size() < around_.size()) return false;
  for (std::size_t i = 0; i < around_.size(); ++i)
    if (!(here[i] == around_[i])) return !loop_ && !call_;
  return true;
}

std::optional<Cause> FrameLeft::holds(const Moment& moment) {
  const Core& core = moment.machine.core_state(moment.machine.topology().of(core_)).core;
  const bool is_over = core.is_finished() || core.is_free();
  if (!is_over) {
    if (core.steps() == steps_) return {};
    steps_ = core.steps();
    if (is_inside(moment.machine, core.statement())) return {};
  }
  return Cause{EventKind::leave, core_, StmtId()};
}

}  // namespace tessera
