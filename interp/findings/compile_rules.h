// Rules of the compiler for a vector machine (Mosaic, of Pallas on TPUs) that the interpreter does
// not enforce. Violations are notes, not findings.
#pragma once
#include <vector>

#include "core/machine/machine_profile.h"
#include "core/program/program.h"
#include "core/report/finding.h"
#include "interp/observe/observer.h"

namespace tessera {

// Returns one note per place and operand, in the order of the statements, then a note on the vmem
// that the expanded program declares outside scopes. Empty for a profile without lanes.
// Blocks of windows: jax/_src/pallas/mosaic/lowering.py, _check_block_mappings. Slices of copies:
// pytorch/helion#1969, jax-ml/jax#36770. Scoped vmem: MachineProfile::scoped_vmem.
std::vector<Remark> compile_notes(const Program& structured, const Program& expanded,
                                  const MachineProfile& profile);

// Collects the notes on the program of the observed run.
class CompileNotes final : public Observer {
 public:
  void expanded(const Program& structured, const Program& expanded, const std::vector<Binding>&,
                const RunOptions& options) override {
    notes_ = compile_notes(structured, expanded, options.machine.profile);
  }
  bool sees_events() const override { return false; }
  void on(const Event&) override {}
  const std::vector<Remark>& notes() const { return notes_; }

 private:
  std::vector<Remark> notes_;
};

}  // namespace tessera
