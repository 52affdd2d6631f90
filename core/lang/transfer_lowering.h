// Statements that move data and count on semaphores, and what begins and ends the life of memory.
#pragma once
#include "core/lang/draft.h"

namespace tessera {

class Expressions;
class PlaceLowering;

class TransferLowering {
 public:
  TransferLowering(Draft& draft, Expressions& expressions, PlaceLowering& places);

  void lower(const ast::Start& node);
  void lower(const ast::StartRemote& node);
  // A copy of its own semaphore, awaited at once.
  void lower(const ast::Copy& node);
  void lower(const ast::Wait& node);
  void lower(const ast::WaitFor& node);
  void lower(const ast::Await& node);
  void lower(const ast::Signal& node);
  void lower(const ast::Operate& node);

 private:
  Draft& draft_;
  Builder& builder_;
  Expressions& expressions_;
  PlaceLowering& places_;
  ValueId copied_ = no_value;  // the semaphore of `copy`
};

}  // namespace tessera
