#include "interp/session/session.h"

#include <utility>

#include "core/report/try.h"
#include "interp/findings/exit_checks.h"
#include "interp/machine/control_flow.h"

namespace tessera {

Session::Session(KeptRun launch) : launch_(std::move(launch)) {
  bindings_ = moving_ = launch_.bindings();
  options_ = launch_.options;
  options_.observers = {this};
  const bool has_arithmetic = options_.math != Math::none;
  if (has_arithmetic && options_.uninitialised != Uninitialised::poison &&
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

Expected<std::unique_ptr<Session>> Session::open(KeptRun launch) {
  std::unique_ptr<Session> session(new Session(std::move(launch)));
  TRY(session->restart());
  return session;
}

Expected<void> Session::restart() {
  machine_.reset();  // its memory is the tensors', which the next one takes
  machine_ = TRY(launched(launch_.program, moving_, options_));
  machine_->begin();
  is_over_ = false;
  return advance(0, nullptr);
}

Expected<void> Session::advance(std::int64_t steps, Pausing* pausing) {
  if (is_over_) return {};
  is_over_ = machine_->advance(exit_findings, steps, pausing);
  if (!is_over_) return {};
  length_ = machine_->steps();
  if (const auto problem = machine_->problem()) return *problem;
  return {};
}

Expected<Machine*> Session::valued() {
  if (options_.math == launch_.options.math) return machine_.get();
  if (valued_ == nullptr || valued_->steps() > position()) {
    valued_.reset();
    valued_ = TRY(launched(launch_.program, bindings_, launch_.options));
    valued_->begin();
  }
  valued_->advance(exit_findings, is_over_ ? Turn::unlimited : position());
  if (const auto problem = valued_->problem()) return *problem;
  return valued_.get();
}

Moment Session::here() {
  Moment moment{*machine_, position()};
  if (is_over_) return moment;
  moment.mover = machine_->mover();
  moment.statement = machine_->mover_statement();
  return moment;
}

Expected<void> Session::go_to(std::int64_t position) {
  if (position < this->position()) TRY(restart());
  watch({}, false);
  return advance(position, nullptr);
}

void Session::watch(std::span<StopCondition* const> conditions, bool stops) {
  conditions_ = conditions;
  stops_ = stops;
  begin_ = position();
  hit_.reset();
  for (StopCondition* condition : conditions_) condition->begin(*machine_);
}

void Session::on(const Event& event) {
  for (StopCondition* condition : conditions_) condition->on(event);
}

// Every condition is asked, for each forgets what it saw; the first one's answer counts.
std::optional<Session::Hit> Session::look() {
  std::optional<Hit> hit;
  const Moment moment = here();
  for (std::size_t i = 0; i < conditions_.size(); ++i)
    if (const auto cause = conditions_[i]->holds(moment); cause && !hit)
      hit = Hit{moment.position, i, *cause};
  return hit;
}

bool Session::before_step() {
  const bool is_begin = stops_ && position() == begin_;
  if (const auto hit = look(); hit && !is_begin) hit_ = hit;
  return stops_ && hit_.has_value();
}

Expected<Arrival> Session::forward(std::span<StopCondition* const> conditions) {
  if (is_over_) return Arrival{};
  watch(conditions, true);
  TRY(advance(Turn::unlimited, conditions.empty() ? nullptr : this));
  if (is_over_) hit_ = look();
  const std::optional<Hit> hit = hit_;
  watch({}, false);
  if (!hit) return Arrival{};
  return Arrival{Arrival::Why::condition, hit->condition, hit->cause};
}

Expected<Arrival> Session::backward(std::span<StopCondition* const> conditions) {
  const std::int64_t end = position();
  TRY(restart());
  watch(conditions, false);
  TRY(advance(end, this));
  const std::optional<Hit> hit = hit_;
  TRY(go_to(hit ? hit->position : 0));
  if (!hit) return Arrival{Arrival::Why::beginning, 0, {}};
  return Arrival{Arrival::Why::condition, hit->condition, hit->cause};
}

}  // namespace tessera
