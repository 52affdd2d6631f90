// Version of the language in the first line of a text: `tessera 1`.
#pragma once
#include <memory>
#include <vector>

#include "core/lang/lexer.h"
#include "core/report/expected.h"

namespace tessera {

// Fails if the first token is `tessera` and the second is not the current version. A text without
// version is accepted. tokens: the result of lex().
Expected<void> check_language_version(const std::shared_ptr<const Source>& source,
                                      const std::vector<Token>& tokens);

}  // namespace tessera
