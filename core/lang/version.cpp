#include "core/lang/version.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace tessera {
namespace {

constexpr std::int64_t current = 1;

}  // namespace

Expected<void> check_language_version(const std::shared_ptr<const Source>& source,
                                      const std::vector<Token>& tokens) {
  if (tokens.front().kind != TokenKind::name || tokens.front().text != "tessera") return {};
  const Token& number = tokens[1];
  if (number.kind == TokenKind::integer && number.integer == current) return {};
  const std::string problem =
      number.kind == TokenKind::integer
          ? fmt::format("version {} of the language is not known", number.text)
          : "expected the version of the language after `tessera`";
  return Diag{ErrorCode::invalid_value,
              {source, number.line, number.column, number.width},
              fmt::format("{}; known: {}", problem, current),
              {}};
}

}  // namespace tessera
