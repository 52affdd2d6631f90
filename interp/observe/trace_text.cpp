#include "interp/observe/trace_text.h"

#include <fmt/format.h>

#include "interp/findings/describe.h"
#include "interp/machine/loop_indices.h"

namespace tessera {

void TextTrace::begin(const Program& program, const RunOptions& options) {
  program_ = &program;
  topology_ = {options.machine.devices, options.machine.cores, options.machine.loop_workers};
  line_.clear();
}

void TextTrace::on(const Event& event) {
  if (line_.empty() || event.step != step_ || event.agent != agent_ ||
      event.statement != statement_) {
    finish_line();
    agent_ = event.agent;
    step_ = event.step;
    statement_ = event.statement;
    loops_ = to_string(loop_indices(*program_, event));
    line_ = fmt::format("{}  {}  {}", to_string(agent_), step_, mnemonic(*program_, statement_));
  }
  line_ += "  " + event_text(event);
}

void TextTrace::end(RunResult& /*result*/) { finish_line(); }

void TextTrace::finish_line() {
  if (line_.empty()) return;
  sink_(fmt::format("{}  {}{}{}\n", line_, line_text(*program_, statement_),
                    loops_.empty() ? "" : "  ", loops_));
  line_.clear();
}

// An object that is not the agent's own is named with its owner.
std::string TextTrace::event_text(const Event& event) const {
  const std::string_view what = name(event.kind);
  const bool is_own = event.core == topology_.of(event.agent);
  if (event.object_kind == ObjectKind::buffer) {
    const Space space = program_->buffers[event.object.buffer()].space;
    const bool is_near =
        is_own || (space == Space::hbm && topology_.device(event.core) == event.agent.device);
    const std::string on = is_near ? "" : " on " + topology_.name(event.core, space);
    return fmt::format("{} {}{}", what, slice_text(*program_, event.object.buffer(), *event.box),
                       on);
  }
  const std::string on =
      is_own || event.object_kind == ObjectKind::none ? "" : " on " + topology_.name(event.core);
  switch (event.kind) {
    case EventKind::signal:
    case EventKind::wait:
    case EventKind::await:
    case EventKind::read_sem: {
      const std::string cell = cell_text(*program_, event.object.semaphore(), event.cell);
      const std::string_view sign = event.kind == EventKind::signal ? " += "
                                    : event.kind == EventKind::wait ? " -= "
                                                                    : " >= ";
      if (event.kind == EventKind::read_sem) return fmt::format("{} {}", what, cell);
      return fmt::format("{}{}{}{}", cell, sign, event.amount, on);
    }
    case EventKind::alloc:
    case EventKind::release:
      return fmt::format("{} {}", what, program_->semaphores[event.object.semaphore()].name);
    case EventKind::start:
      return fmt::format("dma#{} of {}", event.token, counted(event.amount, "byte"));
    case EventKind::point:
      return fmt::format("point {}", event.amount);
    case EventKind::choice:
      return "chooses from elements that are not all defined";
    default: {
      const auto* region = std::get_if<Trace>(&program_->body[event.statement].op);
      if (region == nullptr) return std::string(what);
      return fmt::format("{} {}", what, program_->texts[region->message]);
    }
  }
}

}  // namespace tessera
