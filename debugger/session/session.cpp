#include "debugger/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/report/try.h"
#include "interp/cut_off.h"
#include "interp/findings/exit_checks.h"
#include "interp/machine/control_flow.h"
#include "interp/schedule/strategies.h"

namespace tessera {

Session::Session(KeptRun launch, const Recording& recording)
    : launch_(std::move(launch)), recording_(recording) {
  launch_.options.debug_sink = this;
  launch_.options.record.schedule = false;  // it would grow with the run, and is not used
  bindings_ = moving_ = launch_.bindings();
  options_ = launch_.options;
  options_.observers = {this};
  const bool has_arithmetic = options_.math != Math::none;
  if (has_arithmetic && options_.checks.uninitialised != Uninitialised::poison &&
      !control_needs_arithmetic(launch_.program))
    leave_out_arithmetic();
}

void Session::leave_out_arithmetic() {
  options_.math = Math::none;
  for (Binding& binding : moving_)
    for (const Buffer& buffer : launch_.program.buffers) {
      if (buffer.role != Role::out) continue;
      Tensor*& tensor = binding.find(buffer.name)->second;
      no_results_.push_back(std::make_unique<Tensor>(tensor->dtype(), tensor->shape()));
      tensor = no_results_.back().get();
    }
}

Session::~Session() = default;

Expected<std::unique_ptr<Session>> Session::open(KeptRun launch, const Recording& recording) {
  std::unique_ptr<Session> session(new Session(std::move(launch), recording));
  session->printed_from_ = -1;
  session->run_ = TRY(session->launch(session->moving_, session->options_, recording));
  return session;
}

Expected<std::unique_ptr<RecordedRun>> Session::launch(const std::vector<Binding>& bindings,
                                                       const RunOptions& options,
                                                       const Recording& recording) {
  auto machine = TRY(launched(launch_.program, bindings, options));
  machine->begin();
  auto run = std::make_unique<RecordedRun>(std::move(machine), recording);
  if (const auto problem = run->machine().problem()) return *problem;
  return run;
}

// Launches the machine again if no image can be restored.
Expected<void> Session::approach(std::int64_t position) {
  if (run_->approach(position)) return {};
  run_ = TRY(launch(moving_, options_, recording_));
  return {};
}

Expected<void> Session::advance(std::int64_t steps, Pausing* pausing) {
  if (is_over()) return {};
  run_->advance(steps, pausing);
  if (!is_over()) return {};
  length_ = position();
  if (const auto problem = machine().problem()) return *problem;
  return {};
}

Expected<Machine*> Session::valued() {
  if (options_.math == launch_.options.math) return &machine();
  if (valued_ == nullptr || !valued_->approach(position())) {
    valued_.reset();
    Recording half = recording_;  // it moves less often
    half.bytes /= 2;
    valued_ = TRY(launch(bindings_, launch_.options, half));
  }
  valued_->advance(is_over() ? Turn::unlimited : position());
  if (const auto problem = valued_->machine().problem()) return *problem;
  if (valued_->position() != position() && valued_->machine().ended_by() == RunEnd::stop)
    return cut_off(RunEnd::stop, "the run that computes the values");
  return &valued_->machine();
}

RunEnd Session::ended_by() const {
  return is_over() ? run_->machine().ended_by() : RunEnd::program;
}

Moment Session::here() {
  Moment moment{machine(), position()};
  if (is_over()) return moment;
  moment.mover = machine().mover();
  moment.statement = machine().mover_statement();
  return moment;
}

Expected<void> Session::go_to(std::int64_t position) {
  watch({}, false);
  printed_from_ = this->position();
  has_printed_ = false;
  TRY(approach(position));
  return advance(position, nullptr);
}

void Session::watch(std::span<StopCondition* const> conditions, bool stops) {
  conditions_ = conditions;
  stops_ = stops;
  begin_ = position();
  hit_.reset();
  for (StopCondition* condition : conditions_) condition->begin(machine());
}

void Session::on(const Event& event) {
  for (StopCondition* condition : conditions_) condition->on(event);
}

// Checks all conditions, because each check resets the condition. The first one that holds counts.
std::optional<Session::Hit> Session::look() {
  std::optional<Hit> hit;
  const Moment moment = here();
  for (std::size_t i = 0; i < conditions_.size(); ++i)
    if (const auto cause = conditions_[i]->holds(moment); cause && !hit)
      hit = Hit{moment.position, i, *cause};
  return hit;
}

// Accepts breakpoints for the conditions. For prints, only records that there are some: only the
// other machine may have their values, and it is run on demand by printed().
bool Session::accepts(const Program& program, StmtId statement) {
  if (std::holds_alternative<Breakpoint>(program.body[statement].op)) return true;
  if (prints_ != nullptr) return true;
  if ((run_ == nullptr ? 0 : position()) > printed_from_) has_printed_ = true;
  return false;
}

void Session::receive(const Program& program, const DebugOutput& output) {
  if (!std::holds_alternative<Breakpoint>(program.body[output.statement].op))
    return prints_->push_back(output);
  for (StopCondition* condition : conditions_) condition->receive(output);
}

// Repeats the movement.
Expected<std::vector<DebugOutput>> Session::printed() {
  std::vector<DebugOutput> all;
  if (!std::exchange(has_printed_, false)) return all;
  const std::int64_t here = position();
  const bool is_over = this->is_over(), is_same = options_.math == launch_.options.math;
  std::unique_ptr<RecordedRun>& run = is_same ? run_ : valued_;
  if (printed_from_ < 0 || run == nullptr || !run->approach(printed_from_)) {
    if (printed_from_ < 0) prints_ = &all;
    auto again =
        launch(is_same ? moving_ : bindings_, is_same ? options_ : launch_.options, recording_);
    if (!again) prints_ = nullptr;
    run = TRY(std::move(again));
  }
  watch({}, false);
  run->advance(std::max<std::int64_t>(printed_from_, 0));
  prints_ = &all;
  run->advance(is_over ? Turn::unlimited : here);
  prints_ = nullptr;
  has_printed_ = false;
  return all;
}

bool Session::before_step() {
  const bool is_begin = stops_ && position() == begin_;
  if (const auto hit = look(); hit && !is_begin) hit_ = hit;
  return stops_ && hit_.has_value();
}

Expected<Arrival> Session::forward(std::span<StopCondition* const> conditions) {
  if (is_over()) return Arrival{};
  printed_from_ = position();
  has_printed_ = false;
  watch(conditions, true);
  TRY(advance(Turn::unlimited, conditions.empty() ? nullptr : this));
  if (is_over()) hit_ = look();
  const std::optional<Hit> hit = hit_;
  watch({}, false);
  if (!hit) return Arrival{};
  return Arrival{Arrival::Why::condition, hit->condition, hit->cause};
}

Expected<std::int64_t> Session::walk_to(std::int64_t end, StopCondition& output) {
  const MachineImage* const from = run_->image_before(end);
  const std::int64_t begin = from == nullptr ? 0 : from->numbers.step;
  TRY(approach(begin));
  StopCondition* const one = &output;
  watch({&one, 1}, false);
  TRY(advance(end, nullptr));
  watch({}, false);
  return begin;
}

// The machines share the tensors, so run_ is released meanwhile.
Expected<Schedule> Session::schedule_to_here() {
  if (!machine().can_be_saved())
    return error(ErrorCode::unsupported,
                 "a schedule cannot be made by hand if points of parallel loops run concurrently");
  const std::int64_t here = position();
  Schedule made = replay_of_items(TRY(parse_schedule(options_.schedule)).order);
  RunOptions recorded = options_;
  recorded.record.schedule = true;
  recorded.observers.clear();
  run_.reset();
  {
    const auto machine = TRY(launched(launch_.program, moving_, recorded));
    machine->begin();
    machine->advance(exit_findings, here);
    const auto image = machine->save(HeldBytes());
    made.items = image->recorded;
    if (image->turn && image->numbers.turn_steps > 0)
      made.items.push_back({machine->mover(), image->numbers.turn_steps, image->turn->part});
  }
  TRY(follow(options_.schedule, here));
  return made;
}

// Replaces the run by one with another schedule, at the position.
Expected<void> Session::follow(const std::string& schedule, std::int64_t position) {
  run_.reset();
  valued_.reset();
  length_.reset();
  options_.schedule = launch_.options.schedule = schedule;
  run_ = TRY(launch(moving_, options_, recording_));
  return go_to(position);
}

Expected<void> Session::choose(const AgentId& agent) {
  if (is_over()) return error("the run is over: no agent can move");
  const std::int64_t here = position();
  const std::string before = options_.schedule;
  Schedule made = TRY(schedule_to_here());
  made.items.push_back({agent, 1, {}});
  if (const auto moved = follow(to_string(made), here + 1); !moved) {
    TRY(follow(before, here));
    return error(fmt::format("{} cannot move here: it is blocked, has ended or was not started",
                             to_string(agent)));
  }
  return {};
}

bool Session::may_hold(std::span<StopCondition* const> conditions, const MachineImage& to) const {
  const MachineImage* const from = run_->image_before(to.numbers.step);
  return from == nullptr || std::any_of(conditions.begin(), conditions.end(),
                                        [&](const auto* one) { return one->may_hold(*from, to); });
}

// Searches the segments between two images, the last one first, each up to the last position at
// which a condition holds. The end of a segment is the start of the next one, which does not detect
// conditions that hold because of the step before.
Expected<Arrival> Session::backward(std::span<StopCondition* const> conditions) {
  const std::int64_t here = position();
  const MachineImage* to = nullptr;  // image at the end of the segment; null: unknown
  for (std::int64_t end = here; end > 0;) {
    const MachineImage* const from = run_->image_before(end);
    const std::int64_t begin = from == nullptr ? 0 : from->numbers.step;
    if (to == nullptr || may_hold(conditions, *to)) {
      TRY(approach(begin));
      watch(conditions, false);
      TRY(advance(end, this));
      if (end < here)
        if (const auto hit = look()) hit_ = hit;
      const std::optional<Hit> hit = hit_;
      if (hit) {
        TRY(go_to(hit->position));
        return Arrival{Arrival::Why::condition, hit->condition, hit->cause};
      }
    }
    end = begin;
    to = run_->image_before(end + 1);
    if (to != nullptr && to->numbers.step != end) to = nullptr;  // it was dropped
  }
  TRY(go_to(0));
  return Arrival{Arrival::Why::beginning, 0, {}};
}

}  // namespace tessera
