// The mesh of devices that a kernel declares: where this device stands in it, and which device
// stands where.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/lang/draft.h"

namespace tessera {

class Expressions;
class Names;

class MeshLowering {
 public:
  MeshLowering(Draft& draft, Names& names, Expressions& expressions);

  // Each axis is a name for this device's coordinate from here on. A run on another number of
  // devices is bad input.
  void declare(const ast::MeshDeclaration& node);
  // neighbour(x, by): the device that is so far along the axis, which is a ring.
  Entity neighbour(const ast::Call& node);
  // device_at(x = 1, y = 0): the device there; of an axis that is left out, where this one is.
  Entity device_at(const ast::Call& node);

 private:
  struct Axis {
    std::string name;
    ValueId size, stride, here;
  };
  const Axis* find(std::string_view name) const;
  const Axis* axis_of(const ast::Call& node, std::string_view name, const Loc& loc);

  Draft& draft_;
  Builder& builder_;
  Names& names_;
  Expressions& expressions_;
  std::vector<Axis> axes_;  // empty: no mesh is declared
};

}  // namespace tessera
