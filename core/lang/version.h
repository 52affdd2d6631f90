// The version of the language that a text names on its first line: `tessera 1`.
#pragma once
#include <memory>
#include <vector>

#include "core/lang/lexer.h"
#include "core/report/expected.h"

namespace tessera {

// Fails if the first of these tokens is `tessera` and the second is not the current version.
Expected<void> check_language_version(const std::shared_ptr<const Source>& source,
                                      const std::vector<Token>& tokens);

}  // namespace tessera
