#include "interp/trace_text.h"

#include <fmt/format.h>

#include "interp/describe.h"

namespace tessera {

void TextTrace::begin(const Program& program, const RunOptions& /*options*/) {
  program_ = &program;
  text_.clear();
  line_.clear();
}

void TextTrace::on(const Event& event) {
  if (line_.empty() || event.step != step_ || event.agent != agent_ ||
      event.statement != statement_) {
    finish_line();
    agent_ = event.agent;
    step_ = event.step;
    statement_ = event.statement;
    line_ = fmt::format("{}  {}  {}", to_string(agent_), step_, mnemonic(*program_, statement_));
  }
  line_ += "  " + event_text(event);
}

void TextTrace::end(RunResult& /*result*/) { finish_line(); }

void TextTrace::finish_line() {
  if (line_.empty()) return;
  text_ += fmt::format("{}  {}\n", line_, line_text(*program_, statement_));
  line_.clear();
}

// An object of another device is named with it.
std::string TextTrace::event_text(const Event& event) const {
  const std::string on =
      event.device == event.agent.device ? "" : fmt::format(" on dev{}", event.device);
  const std::string_view what = name(event.kind);
  if (event.object_kind == ObjectKind::buffer)
    return fmt::format("{} {}{}", what, slice_text(*program_, event.object, *event.box), on);
  switch (event.kind) {
    case EventKind::signal:
    case EventKind::wait:
    case EventKind::await:
    case EventKind::read_sem: {
      const std::string cell = cell_text(*program_, event.object, event.cell);
      const std::string_view sign = event.kind == EventKind::signal ? " += "
                                    : event.kind == EventKind::wait ? " -= "
                                                                    : " >= ";
      if (event.kind == EventKind::read_sem) return fmt::format("{} {}", what, cell);
      return fmt::format("{}{}{}{}", cell, sign, event.amount, on);
    }
    case EventKind::alloc:
    case EventKind::release:
      return fmt::format("{} {}", what,
                         program_->semaphores[static_cast<std::size_t>(event.object)].name);
    case EventKind::start:
      return fmt::format("dma#{} of {}", event.token, counted(event.amount, "byte"));
    case EventKind::point:
      return fmt::format("point {}", event.amount);
    default: {
      const auto* region =
          std::get_if<Trace>(&program_->body[static_cast<std::size_t>(event.statement)].op);
      if (region == nullptr) return std::string(what);
      return fmt::format("{} {}", what,
                         program_->texts[static_cast<std::size_t>(region->message.index)]);
    }
  }
}

}  // namespace tessera
