// The language for editors: a TextMate grammar, made of the tables that the parser and the checker
// read (https://macromates.com/manual/en/language_grammars).
#pragma once
#include "text/json.h"

namespace tessera::cli {

Json textmate_grammar();

}  // namespace tessera::cli
