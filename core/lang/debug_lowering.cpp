#include "core/lang/debug_lowering.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/lang/expressions.h"
#include "core/lang/place_lowering.h"
#include "core/program/refs.h"
#include "core/report/source_words.h"

namespace tessera {
namespace {

constexpr std::size_t longest_words = 60;  // of an expression, before what it is

// As it is written; a name of one letter too, for which source_words takes the whole line.
std::string words_of(const ast::Expression& expression) {
  if (const auto* name = expression.as<ast::Name>()) return name->name;
  return expression.loc().width > 1 ? source_words(expression.loc(), longest_words) : "";
}

}  // namespace

// Memory is shown as it lies: what would have to be computed into tiles first is refused.
std::optional<Op> DebugLowering::part(const ast::Expression& item) {
  const std::size_t buffers = builder_.program().buffers.size();
  const Entity entity = places_.place(item);
  const TextId words = builder_.text(words_of(item));
  switch (entity.kind) {
    case Entity::Kind::nothing:
      return std::nullopt;
    case Entity::Kind::text:
      return PrintText{builder_.text(entity.text)};
    case Entity::Kind::scalar:
    case Entity::Kind::real:
      return Print{Builder::number(entity.value), words};
    case Entity::Kind::sem:
      return Print{entity.slice, words};
    case Entity::Kind::view:
      if (builder_.program().buffers.size() == buffers) return Print{entity.slice, words};
      draft_.fail(item.loc(),
                  fmt::format("`print` shows memory as it is; expected `{}` in memory of its own, "
                              "as in `t = ...`",
                              words_of(item)));
      return std::nullopt;
    default:
      draft_.fail(item.loc(),
                  fmt::format("expected a text, a number, memory or a semaphore, found {}",
                              draft_.describe(entity)),
                  ErrorCode::invalid_type);
      return std::nullopt;
  }
}

void DebugLowering::lower(const ast::Print& node) {
  std::vector<Op> parts;
  bool is_sound = true;
  for (const ast::Expression& item : node.items) {
    std::optional<Op> one = part(item);
    is_sound = is_sound && one;
    if (one) parts.push_back(*std::move(one));
  }
  if (!is_sound) return;
  draft_.at(node.loc);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t goes_on = i + 1 < parts.size() ? 1 : 0;
    if (auto* shown = std::get_if<Print>(&parts[i])) shown->goes_on = goes_on;
    if (auto* text = std::get_if<PrintText>(&parts[i])) text->goes_on = goes_on;
    builder_.emit(std::move(parts[i]));
  }
}

// One that is known to hold needs no look; one that is known not to is a finding where the run
// comes to it, as others are.
void DebugLowering::lower(const ast::Assert& node) {
  const ValueId condition = expressions_.scalar(node.condition);
  if (condition == no_value) return;
  const auto known = builder_.program().constant(condition);
  if (known && *known != 0) return;
  draft_.at(node.loc);
  builder_.emit(
      Assert{condition, builder_.text(node.message), builder_.text(words_of(node.condition))});
}

void DebugLowering::lower(const ast::Breakpoint& node) {
  const ValueId condition =
      node.condition ? expressions_.scalar(*node.condition) : builder_.integer(1);
  if (condition == no_value) return;
  draft_.at(node.loc);
  builder_.emit(Breakpoint{condition});
}

}  // namespace tessera
