#include "cli/reports/prints.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "interp/findings/describe.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

std::string place_text(const Loc& loc) {
  return loc ? fmt::format("{}:{}", loc.source->name, loc.line) : "the program";
}

}  // namespace

void Prints::attach(Console& console, std::function<void()> before) {
  console_ = &console;
  before_ = std::move(before);
}

bool Prints::accepts(const Program& program, StmtId statement) {
  const Loc loc = program.loc(statement);
  Count& count = of_[{loc ? loc.source->name : "", loc.line, loc.column}];
  count.loc = loc;
  count.is_breakpoint = std::holds_alternative<Breakpoint>(program.body[statement].op);
  if (count.is_breakpoint || count.told < limit_) return true;
  ++count.left_out;
  return false;
}

void Prints::receive(const Program& program, const DebugOutput& output) {
  const Loc& loc = output.loc;
  ++of_[{loc ? loc.source->name : "", loc.line, loc.column}].told;
  if (std::holds_alternative<Breakpoint>(program.body[output.statement].op)) return;
  if (console_ == nullptr) return;
  if (console_->json) return kept_.push_back(output);
  if (before_) before_();
  console_->out << to_string(output) << "\n" << std::flush;
}

std::string Prints::notes() const {
  std::string text;
  for (const auto& [place, count] : of_) {
    if (count.is_breakpoint && count.told > 0)
      text += fmt::format("note: {}: the breakpoint was passed {}; `gmm-run debug` stops there\n",
                          place_text(count.loc), counted(count.told, "time"));
    if (count.left_out > 0)
      text += fmt::format("note: {}: {} more of this print omitted; --prints {} shows all\n",
                          place_text(count.loc), counted(count.left_out, "line"),
                          count.told + count.left_out);
  }
  return text;
}

void Prints::add_to(Json& object) const {
  for (const DebugOutput& output : kept_) {
    Json one = place_json(output.loc, output.agent.device, to_string(output.agent));
    one["loops"] = Json::array();
    for (const LoopIndex& index : output.loops)
      one["loops"].push_back({{"name", index.name}, {"value", index.value}});
    one["text"] = output.text;
    object["prints"].push_back(std::move(one));
  }
  std::int64_t left_out = 0;
  for (const auto& [place, count] : of_) {
    left_out += count.left_out;
    if (!count.is_breakpoint || count.told == 0) continue;
    Json one = place_json(count.loc, -1, "");
    one["passed"] = count.told;
    object["breakpoints"].push_back(std::move(one));
  }
  if (left_out > 0) object["prints_left_out"] = left_out;
}

}  // namespace tessera::cli
