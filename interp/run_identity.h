// Identity of a run: hashes of the program and of the operands that it reads.
#pragma once
#include <cstdint>
#include <vector>

#include "interp/observe/observer.h"

namespace tessera {

// Two runs with equal identities and equal options are the same run.
struct RunIdentity {
  std::uint64_t program = 0;       // hash of the expanded program's text
  std::vector<ResultHash> inputs;  // operands that the program reads
};

// Computes the identity of a run before its first step. The program does not run.
class IdentityObserver final : public Observer {
 public:
  bool wants_run(const Program& expanded, const std::vector<Binding>& bindings,
                 const RunOptions& options) override;
  bool sees_events() const override { return false; }
  void on(const Event&) override {}
  const RunIdentity& identity() const { return identity_; }

 private:
  RunIdentity identity_;
};

}  // namespace tessera
