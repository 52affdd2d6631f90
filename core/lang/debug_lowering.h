// The statements that look at a run.
#pragma once
#include <optional>
#include <string>

#include "core/lang/draft.h"

namespace tessera {

class Expressions;
class PlaceLowering;

class DebugLowering {
 public:
  DebugLowering(Draft& draft, Expressions& expressions, PlaceLowering& places)
      : draft_(draft), builder_(draft.builder()), expressions_(expressions), places_(places) {}

  void lower(const ast::Print& node);
  void lower(const ast::Assert& node);
  void lower(const ast::Breakpoint& node);

 private:
  std::optional<Op> part(const ast::Expression& item);

  Draft& draft_;
  Builder& builder_;
  Expressions& expressions_;
  PlaceLowering& places_;
};

}  // namespace tessera
