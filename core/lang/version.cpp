#include "core/lang/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace tessera {
namespace {

constexpr std::int64_t all[] = {1};  // from the oldest to the current one

}  // namespace

std::int64_t current_language_version() { return *std::rbegin(all); }

Expected<void> check_language_version(const std::shared_ptr<const Source>& source,
                                      const std::vector<Token>& tokens) {
  if (tokens.front().kind != TokenKind::name || tokens.front().text != "tessera") return {};
  const Token& number = tokens[1];
  const bool is_known = number.kind == TokenKind::integer &&
                        std::find(std::begin(all), std::end(all), number.integer) != std::end(all);
  if (is_known) return {};
  const std::string problem =
      number.kind == TokenKind::integer
          ? fmt::format("version {} of the language is not known", number.text)
          : "expected the version of the language behind `tessera`";
  return Diag{ErrorCode::invalid_value,
              {source, number.line, number.column, number.width},
              fmt::format("{}; known: {}", problem, fmt::join(all, ", ")),
              {}};
}

}  // namespace tessera
