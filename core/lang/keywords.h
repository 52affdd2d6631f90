// Words of the grammar in docs/reference/language.md, in classes for highlighting by editors.
#pragma once
#include <span>
#include <string_view>

namespace tessera {

enum class KeywordKind {
  statement,    // begins a statement or a part of it: for, else, start
  declaration,  // kernels, functions, memory and semaphores
  attribute,    // after a statement or a declaration: depth, parallel, order
  operation     // between operands: and, mod
};

struct Keyword {
  std::string_view text;
  KeywordKind kind;
  bool begins_statement = false;  // a name with this spelling cannot be assigned to
};

// Returns all keywords.
std::span<const Keyword> keywords();
// True if the word is a keyword with begins_statement.
bool begins_statement(std::string_view word);

}  // namespace tessera
