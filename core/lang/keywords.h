// The words that the grammar of docs/language.md quotes, by what an editor shows them as.
#pragma once
#include <span>
#include <string_view>

namespace tessera {

enum class KeywordKind {
  statement,    // begins a statement or a part of one: for, else, start
  declaration,  // of kernels, functions, memory and semaphores
  attribute,    // behind a statement or a declaration: depth, parallel, order
  operation     // between operands: and, mod
};

struct Keyword {
  std::string_view text;
  KeywordKind kind;
  bool begins_statement = false;  // so that no name may be assigned to that is called so
};

std::span<const Keyword> keywords();
bool begins_statement(std::string_view word);

}  // namespace tessera
