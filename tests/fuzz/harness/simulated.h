// A program with operands, on the simulated machine of a profile, to be run again and again.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "core/report/expected.h"
#include "devices/profiles/profile.h"
#include "interp/run.h"
#include "tests/fuzz/harness/directive.h"

namespace tessera::fuzz {

// Operands and results of every device.
class Operands {
 public:
  // Inputs are those of the directive, or small whole numbers.
  Expected<bool> make(const Program& program, const Directive& directive);
  const std::vector<Binding>& bindings() const { return bindings_; }

 private:
  std::deque<Tensor> tensors_;
  std::vector<Binding> bindings_;
};

class Runs {
 public:
  Runs(const Program& program, const Operands& operands, const Profile& profile)
      : program_(program), operands_(operands), profile_(profile) {}
  // What it says is shown.
  Expected<RunResult> run(const RunOptions& options) const;

 private:
  const Program& program_;
  const Operands& operands_;
  const Profile& profile_;
};

// Findings can be shown, also as causes and what follows from them.
void require_shown(const std::vector<Finding>& findings);
// Memory that was refused, or a request to stop, may end anything.
bool is_refused(const Diags& diags);
bool is_truncated(const RunResult& result);

}  // namespace tessera::fuzz
