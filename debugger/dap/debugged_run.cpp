#include "debugger/dap/debugged_run.h"

#include <utility>

#include "core/report/printable.h"

namespace tessera::debugger {
namespace {

// Interval of checks for client requests during a movement.
constexpr std::chrono::milliseconds between_looks(20);

}  // namespace

void PauseAsked::arm() {
  is_asked_ = false;
  next_ = std::chrono::steady_clock::now() + between_looks;
}

std::optional<Cause> PauseAsked::holds(const Moment& /*moment*/) {
  const auto now = std::chrono::steady_clock::now();
  if (!is_asked_ && now >= next_) {
    next_ = now + between_looks;
    in_.look();
    is_asked_ =
        in_.has("pause") || in_.has("disconnect") || in_.has("terminate") || in_.has_ended();
  }
  return is_asked_ ? std::optional<Cause>(Cause{}) : std::nullopt;
}

DebuggedRun::DebuggedRun(std::unique_ptr<Session> opened, Invocation invocation,
                         Debugger::Compare compare, const ReadFiles* read, MessageReader& in)
    : session(std::move(opened)),
      pause(in),
      debugger(*session, said, std::move(invocation), std::move(compare), read),
      threads(*session),
      sources(session->program()),
      variables(*session) {
  debugger.pause_at(&pause);
}

void DebuggedRun::forget_numbers() {
  variables.forget();
  first_frame_ += static_cast<std::int64_t>(frames_.size());
  frames_.clear();
}

std::int64_t DebuggedRun::number_frame(const AgentId& agent) {
  frames_.push_back(agent);
  return first_frame_ + static_cast<std::int64_t>(frames_.size()) - 1;
}

std::optional<AgentId> DebuggedRun::agent_of_frame(std::int64_t frame) const {
  const std::int64_t at = frame - first_frame_;
  if (at < 0 || at >= static_cast<std::int64_t>(frames_.size())) return {};
  return frames_[static_cast<std::size_t>(at)];
}

std::string DebuggedRun::take_said() {
  std::string text = printable(said.str());
  said.str({});
  return text;
}

}  // namespace tessera::debugger
