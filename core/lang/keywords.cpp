#include "core/lang/keywords.h"

#include <algorithm>
#include <array>

namespace tessera {
namespace {

using enum KeywordKind;

constexpr auto all = std::to_array<Keyword>({
    {"const", statement, true},
    {"for", statement, true},
    {"while", statement, true},
    {"if", statement, true},
    {"elif", statement, true},
    {"else", statement},
    {"trace", statement, true},
    {"pipeline", statement, true},
    {"require", statement, true},
    {"assert", statement, true},
    {"print", statement, true},
    {"breakpoint", statement, true},
    {"grid", statement, true},
    {"window", statement, true},
    {"start", statement, true},
    {"copy", statement, true},
    {"wait", statement, true},
    {"await", statement, true},
    {"signal", statement, true},
    {"opaque", statement, true},
    {"return", statement, true},
    {"alloc", statement},
    {"free", statement},
    {"fresh", statement},
    {"once", statement},
    {"tessera", declaration},
    {"kernel", declaration},
    {"function", declaration},
    {"in", declaration},
    {"out", declaration},
    {"hbm", declaration},
    {"vmem", declaration},
    {"smem", declaration},
    {"tile", declaration},
    {"sem", declaration},
    {"scoped", declaration, true},
    {"mesh", declaration},
    {"fp8", attribute},
    {"bytes", attribute},
    {"count", attribute},
    {"barrier", attribute},
    {"monotone", attribute},
    {"may_be_unread", attribute},
    {"order", attribute},
    {"step", attribute},
    {"parallel", attribute},
    {"depth", attribute},
    {"pad", attribute},
    {"when", attribute},
    {"update", attribute},
    {"on", attribute},
    {"from", attribute},
    {"core", attribute},
    {"add", attribute},
    {"reshaped", attribute},
    {"as", attribute},
    {"and", operation},
    {"or", operation},
    {"not", operation},
    {"mod", operation},
    {"max", operation},
});

}  // namespace

std::span<const Keyword> keywords() { return all; }

bool begins_statement(std::string_view word) {
  return std::any_of(all.begin(), all.end(), [&](const Keyword& keyword) {
    return keyword.begins_statement && keyword.text == word;
  });
}

}  // namespace tessera
