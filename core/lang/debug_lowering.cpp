#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/lang/expression_lowering.h"
#include "core/lang/place_lowering.h"
#include "core/lang/statement_lowering.h"
#include "core/program/refs.h"
#include "core/report/source_words.h"

namespace tessera {
namespace {

constexpr std::size_t longest_words = 60;  // in characters; longer expressions are shortened

// Returns the source text. Names are handled separately: for a name of one letter, source_words
// would return the whole line.
std::string words_of(const ast::Expression& expression) {
  if (const auto* name = expression.as<ast::Name>()) return name->name;
  return expression.loc().width > 1 ? source_words(expression.loc(), longest_words) : "";
}

// Memory is printed unchanged; an expression that requires tile ops is an error.
std::optional<Op> part(Elaboration& e, const ast::Expression& item) {
  const std::size_t buffers = e.program().buffers.size();
  const Entity entity = place(e, item);
  const TextId words = e.builder.text(words_of(item));
  switch (entity.kind) {
    case Entity::Kind::nothing:
      return std::nullopt;
    case Entity::Kind::text:
      return PrintText{e.builder.text(entity.text)};
    case Entity::Kind::scalar:
    case Entity::Kind::real:
      return Print{Builder::number(entity.value), words};
    case Entity::Kind::sem:
      return Print{entity.slice, words};
    case Entity::Kind::view:
      if (e.program().buffers.size() == buffers) return Print{entity.slice, words};
      e.fail(item.loc(), fmt::format("`print` shows memory directly; expected `{}` stored to "
                                     "memory first, as in `t = ...`",
                                     words_of(item)));
      return std::nullopt;
    default:
      e.fail(item.loc(),
             fmt::format("expected a text, a number, memory or a semaphore, found {}",
                         e.describe(entity)),
             ErrorCode::invalid_type);
      return std::nullopt;
  }
}

}  // namespace

void lower(Elaboration& e, const ast::Print& node) {
  std::vector<Op> parts;
  bool is_sound = true;
  for (const ast::Expression& item : node.items) {
    std::optional<Op> one = part(e, item);
    is_sound = is_sound && one;
    if (one) parts.push_back(*std::move(one));
  }
  if (!is_sound) return;
  e.at(node.loc);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t goes_on = i + 1 < parts.size() ? 1 : 0;
    if (auto* shown = std::get_if<Print>(&parts[i])) shown->goes_on = goes_on;
    if (auto* text = std::get_if<PrintText>(&parts[i])) text->goes_on = goes_on;
    e.builder.emit(std::move(parts[i]));
  }
}

// A condition that is known to be true needs no op. One that is known to be false is a finding when
// the run reaches it, like other assertions.
void lower(Elaboration& e, const ast::Assert& node) {
  const ValueId condition = scalar(e, node.condition);
  if (condition == no_value) return;
  const auto known = e.program().constant(condition);
  if (known && *known != 0) return;
  e.at(node.loc);
  e.builder.emit(
      Assert{condition, e.builder.text(node.message), e.builder.text(words_of(node.condition))});
}

void lower(Elaboration& e, const ast::Breakpoint& node) {
  const ValueId condition = node.condition ? scalar(e, *node.condition) : e.builder.integer(1);
  if (condition == no_value) return;
  e.at(node.loc);
  e.builder.emit(Breakpoint{condition});
}

}  // namespace tessera
