// Names in scope while the program is built.
#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "core/lang/entity.h"

namespace tessera {

class Names {
 public:
  Names() = default;
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  // Returns the entity with this name in the innermost block or the blocks around it; null if there
  // is none. Kind `nothing`: set_unknown().
  const Entity* find(std::string_view name) const { return current_->find(name); }
  // Sets a name in the innermost block, even if it is already defined there.
  void set(const std::string& name, Entity entity) { current_->names[name] = std::move(entity); }
  // Marks a name with an incorrect definition, so that its uses are not reported too. No effect if
  // the innermost block already defines it.
  void set_unknown(const std::string& name) { current_->names.try_emplace(name); }

  Environment* current() const { return current_; }
  // Returns a new environment, which this object owns until its end. parent: block around it; null:
  // none.
  Environment* make(Environment* parent) {
    return &environments_.emplace_back(Environment{{}, parent, nullptr});
  }

  // While this object exists, names are resolved in another environment.
  class Inside {
   public:
    Inside(Names& names, Environment* inner)
        : names_(names), outer_(std::exchange(names.current_, inner)) {}
    ~Inside() { names_.current_ = outer_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Names& names_;
    Environment* outer_;
  };

 private:
  std::deque<Environment> environments_;
  Environment* current_ = make(nullptr);
};

}  // namespace tessera
