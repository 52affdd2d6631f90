// TextMate grammar of the language, for editors. Generated from the tables of the parser and the
// checker (https://macromates.com/manual/en/language_grammars).
#pragma once
#include "text/json.h"

namespace tessera::cli {

Json textmate_grammar();

}  // namespace tessera::cli
