// The versions of the language: what stands behind `tessera` at the beginning of a text.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/lang/lexer.h"
#include "core/report/expected.h"

namespace tessera {

// That of a text that names none.
std::int64_t current_language_version();
// Fails with the versions that are known when the text, whose tokens these are, names another.
Expected<void> check_language_version(const std::shared_ptr<const Source>& source,
                                      const std::vector<Token>& tokens);

}  // namespace tessera
