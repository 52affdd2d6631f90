// What the compiler of a vector machine (Mosaic, of Pallas on TPUs) would refuse in a program that
// the interpreter runs. A program is no worse for it: these are notes, no findings.
#pragma once
#include <vector>

#include "core/machine/machine_profile.h"
#include "core/program/program.h"
#include "core/report/finding.h"
#include "interp/observe/observer.h"

namespace tessera {

// In the order of the statements, one for each place and operand; then the vmem that the expanded
// program declares for all its time. None for a profile without lanes.
// Blocks of windows: jax/_src/pallas/mosaic/lowering.py, _check_block_mappings. Slices of copies:
// pytorch/helion#1969, jax-ml/jax#36770. Scoped vmem: MachineProfile::scoped_vmem.
std::vector<Remark> compile_notes(const Program& structured, const Program& expanded,
                                  const MachineProfile& profile);

// The notes on the program of the run that it observes.
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
