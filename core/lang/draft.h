// The program that is being made from a kernel, and what is wrong with the kernel's text.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/lang/entity.h"
#include "core/lang/language.h"
#include "core/lang/line_map.h"
#include "core/program/builder.h"
#include "core/report/diag.h"

namespace tessera {

class Draft {
 public:
  // Of the modules the `# line`s are asked.
  Draft(std::string kernel, const std::vector<const Module*>& modules);

  Builder& builder() { return builder_; }
  Diags& diags() { return diags_; }

  // What is emitted from here on stands there, or where a `# line` above says that it comes from.
  void at(const Loc& loc);
  // Reports the message with the calls that are being inlined; returns nothing.
  Entity fail(const Loc& loc, std::string message, ErrorCode code = ErrorCode::invalid_value);
  // The kind of thing that it is, for messages: "an integer".
  std::string describe(const Entity& entity) const;

  // The value is called by the source's name if nothing named it before.
  Entity name_result(Entity entity, const std::string& name);

  // The place of the call that is being inlined , none outside of all calls.
  PlaceId caller() const { return caller_; }
  void set_caller(PlaceId place) { caller_ = place; }

 private:
  const LineMap::Origin* origin(const Loc& loc) const;
  PlaceId called_by(const LineMap::Origin& origin);

  Builder builder_;
  Diags diags_;
  PlaceId caller_;
  std::map<const Source*, const LineMap*> lines_;  // of texts that have `# line`s
  // What calls a place that a `# line` names, of those that were made.
  std::map<std::pair<const LineMap::Origin*, PlaceId>, PlaceId> callers_;
};

}  // namespace tessera
