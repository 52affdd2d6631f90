// Statements that move data and count on semaphores, and what begins and ends the life of memory.
#pragma once
#include <optional>
#include <string>

#include "core/lang/draft.h"

namespace tessera {

class Expressions;
class Names;
class PlaceLowering;

class TransferLowering {
 public:
  TransferLowering(Draft& draft, Names& names, Expressions& expressions, PlaceLowering& places);

  void lower(const ast::Start& node);
  void lower(const ast::StartRemote& node);
  // A copy of its own semaphore, awaited at once.
  void lower(const ast::Copy& node);
  void lower(const ast::Wait& node);
  void lower(const ast::WaitFor& node);
  // For what a copy that has a name reads and writes.
  void lower(const ast::WaitCopy& node);
  void lower(const ast::Await& node);
  void lower(const ast::Signal& node);
  void lower(const ast::Operate& node);

 private:
  // What is counted when the copy has read, and when one like it has been written here.
  struct Counted {
    Slice sem, slice;
  };
  struct Named {
    std::optional<Counted> sent;
    Counted arrived;
  };
  void give_name(const std::string& name, const Named& copy, const Loc& loc);
  void wait(const Counted& side);

  Draft& draft_;
  Builder& builder_;
  Names& names_;
  Expressions& expressions_;
  PlaceLowering& places_;
  Table<NamedCopyId, Named> named_;
  ValueId copied_ = no_value;  // the semaphore of `copy`
};

}  // namespace tessera
