#include "debugger/commands/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/report/try.h"
#include "interp/memory/elements.h"
#include "text/numbers.h"

namespace tessera::debugger {
namespace {

// Longer ones first.
constexpr std::array<std::string_view, 6> signs = {"==", "!=", "<=", ">=", "<", ">"};

struct Sign {
  std::size_t at = std::string_view::npos;
  std::string_view text;
};

Sign find_sign(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const std::string_view sign : signs)
      if (text.substr(at).starts_with(sign)) return {at, sign};
  return {};
}

bool compare(std::string_view sign, std::int64_t a, std::int64_t b) {
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<=") return a <= b;
  if (sign == ">=") return a >= b;
  return sign == "<" ? a < b : a > b;
}

class Guarded final : public StopCondition {
 public:
  Guarded(std::unique_ptr<StopCondition> condition, Comparison comparison)
      : condition_(std::move(condition)), comparison_(std::move(comparison)) {}
  void begin(Machine& machine) override { condition_->begin(machine); }
  void on(const Event& event) override { condition_->on(event); }
  std::optional<Cause> holds(const Moment& moment) override {
    std::optional<Cause> cause = condition_->holds(moment);
    if (cause && !comparison_.holds(moment.machine, cause->agent.issuer())) cause.reset();
    return cause;
  }
  bool may_hold(const MachineImage& from, const MachineImage& to) const override {
    return condition_->may_hold(from, to);
  }

 private:
  std::unique_ptr<StopCondition> condition_;
  Comparison comparison_;
};

class Becoming final : public StopCondition {
 public:
  explicit Becoming(Comparison comparison) : comparison_(std::move(comparison)) {}
  void begin(Machine& machine) override { held_ = comparison_.holds(machine); }
  void on(const Event& event) override { cause_ = {event.kind, event.agent, event.statement}; }
  std::optional<Cause> holds(const Moment& moment) override {
    const bool held = std::exchange(held_, comparison_.holds(moment.machine));
    if (held || !held_) return {};
    return cause_;
  }

 private:
  Comparison comparison_;
  bool held_ = false;
  Cause cause_;  // last event
};

}  // namespace

bool Comparison::is_in(std::string_view text) { return !find_sign(text).text.empty(); }

Expected<Comparison> Comparison::parse(Session& session, const AgentId& focus,
                                       std::string_view text) {
  constexpr std::string_view conjunction = " and ";
  Comparison comparison;
  comparison.focus_ = focus;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(conjunction, begin);
    comparison.parts_.push_back(TRY(parse_part(session, focus, text.substr(begin, end - begin))));
    if (end == std::string_view::npos) return comparison;
    begin = end + conjunction.size();
  }
}

Expected<Comparison::Part> Comparison::parse_part(Session& session, const AgentId& focus,
                                                  std::string_view text) {
  const Sign sign = find_sign(text);
  if (sign.text.empty())
    return error(fmt::format(
        "`{}` is not a comparison; expected a comparison, as in `now == 1` or `arrived >= 2`",
        trimmed(text)));
  return Part{TRY(parse_side(session, focus, text.substr(0, sign.at))),
              TRY(parse_side(session, focus, text.substr(sign.at + sign.text.size()))), sign.text};
}

Expected<Comparison::Side> Comparison::parse_side(Session& session, const AgentId& focus,
                                                  std::string_view text) {
  text = trimmed(text);
  if (const auto number = parse_integer(text)) return Side{*number, true};
  const Expected<Reference> found = parse_reference(session, focus, text, Numbers::named);
  if (!found) {  // names in the body hide parameters
    for (const Setting& setting : session.program().settings)
      if (const auto number = parse_integer(setting.value); number && setting.name == text)
        return Side{*number, true};
    return found.diags();
  }
  const Reference& what = *found;
  const bool is_fixed = names_core(text);
  if (const auto* sem = std::get_if<SemId>(&what)) return Side{*sem, is_fixed};
  if (const auto* scalar = std::get_if<ScalarReference>(&what)) {
    const auto value = find_scalar(session.machine(), scalar->core, scalar->name);
    if (value && value->is_real)
      return error(
          fmt::format("`{}` is a float, and floats are not computed during the search; expected an "
                      "integer, a semaphore or an integer element in smem",
                      text));
    return Side{*scalar, is_fixed};
  }
  if (const auto* memory = std::get_if<BufferReference>(&what)) {
    const Buffer& buffer = session.program().buffers[memory->buffer];
    if (!is_integer(buffer.dtype) || buffer.space != Space::smem)
      return error(fmt::format(
          "{} is {} in {}, and tile values are not computed during the search; expected an integer "
          "element in smem, or `watch {}`, which stops after each write to it",
          buffer.name, name(buffer.dtype), name(buffer.space), text));
    if (memory->box.elements() != 1)
      return error(fmt::format("`{}` has {} elements, expected one", text, memory->box.elements()));
    return Side{*memory, is_fixed};
  }
  return error(fmt::format("`{}` is a copy, expected a number", text));
}

std::optional<std::int64_t> Comparison::number(Machine& machine, const Side& side, CoreIndex core) {
  if (const auto* integer = std::get_if<std::int64_t>(&side.what)) return *integer;
  if (const auto* scalar = std::get_if<ScalarReference>(&side.what)) {
    const auto value = find_scalar(machine, side.is_fixed ? scalar->core : core, scalar->name);
    if (!value || value->is_real) return std::nullopt;
    return value->integer;
  }
  if (const auto* given = std::get_if<SemId>(&side.what)) {
    SemId sem = *given;
    if (!side.is_fixed) sem = machine.counted({core, sem.semaphore, sem.cell});
    return machine.cell(sem).count;
  }
  const auto& memory = std::get<BufferReference>(side.what);
  const CoreIndex owner = side.is_fixed ? memory.owner : owner_of(machine, core, memory.buffer);
  const auto& storage = machine.core_state(owner).storages[memory.buffer];
  if (!storage) return std::nullopt;
  const Element element = elements_of(*storage, memory.box).front();
  if (!element.is_defined) return std::nullopt;
  return element.integer;
}

bool Comparison::holds(Machine& machine, const AgentId& core) const {
  const CoreIndex core_index = machine.topology().of(core);
  return std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    const auto left = number(machine, part.left, core_index),
               right = number(machine, part.right, core_index);
    return left && right && compare(part.sign, *left, *right);
  });
}

std::string Comparison::full_text(Session& session) const {
  const auto text = [&](const Side& side) -> std::string {
    if (const auto* integer = std::get_if<std::int64_t>(&side.what))
      return std::to_string(*integer);
    if (const auto* scalar = std::get_if<ScalarReference>(&side.what))
      return debugger::full_text(session, *scalar);
    if (const auto* sem = std::get_if<SemId>(&side.what)) return debugger::full_text(session, *sem);
    return debugger::full_text(session, std::get<BufferReference>(side.what));
  };
  std::string all;
  for (const Part& part : parts_)
    all += fmt::format("{}{} {} {}", all.empty() ? "" : " and ", text(part.left), part.sign,
                       text(part.right));
  return all;
}

std::unique_ptr<StopCondition> guarded(std::unique_ptr<StopCondition> condition,
                                       Comparison comparison) {
  return std::make_unique<Guarded>(std::move(condition), std::move(comparison));
}

std::unique_ptr<StopCondition> becoming(Comparison comparison) {
  return std::make_unique<Becoming>(std::move(comparison));
}

}  // namespace tessera::debugger
