#include "core/program/reshape.h"

namespace tessera {

Reshape reshape_of(const Op& op) {
  if (std::holds_alternative<Transpose>(op)) return Reshape::transposed;
  if (std::holds_alternative<RowSum>(op) || std::holds_alternative<RowMax>(op))
    return Reshape::column;
  if (std::holds_alternative<ColSum>(op) || std::holds_alternative<ColMax>(op)) return Reshape::row;
  return Reshape::none;
}

}  // namespace tessera
