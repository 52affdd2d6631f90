// The functions of a tensor-core kernel's `struct Program`: the tiles, the positions of their
// operands and rows, and the epilogue.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "devices/cuda/lower/contraction.h"
#include "devices/cuda/lower/epilogue_code.h"
#include "devices/cuda/lower/kernel_names.h"
#include "devices/cuda/lower/loop_order.h"
#include "devices/cuda/lower/scalar_code.h"
#include "devices/cuda/lower/source_template.h"
#include "devices/cuda/lower/tile_config.h"

namespace tessera::cuda {

class TileFunctions {
 public:
  // The arguments must outlive this object.
  TileFunctions(const Program& program, const Contraction& contraction, const TileConfig& config,
                const LoopOrder& order, KernelNames& names)
      : program_(program), c_(contraction), t_(config), order_(order), names_(names) {}

  // Fills the holes of tensor_core.cu.in from `prepare` to `value`, and adds the names used to
  // `names`. Call it once, before exact_rows() and problem().
  void write(SourceTemplate& source);

  // True if a store selects rows, which must exist in the result.
  bool exact_rows() const { return exact_rows_; }
  // The part without a CUDA form; empty if none.
  const std::string& problem() const { return problem_.empty() ? scalar_problem_ : problem_; }

 private:
  void fail(std::string reason);
  void note(const ScalarCode& code);
  void collect_tile_values(ValueId value, std::set<ValueId>& fields) const;
  std::vector<ValueId> step_values() const;
  std::set<ValueId> tile_fields(const std::vector<ValueId>& of_step);
  std::string loop_indices();
  std::string coordinates(ScalarCode& code, const OperandConfig& operand, const char* side);
  void write_grid(SourceTemplate& source);
  void write_tile(SourceTemplate& source, const std::set<ValueId>& fields);
  void write_step(SourceTemplate& source, ScalarCode& code, const std::vector<ValueId>& of_step);
  void write_alike(SourceTemplate& source);
  void write_epilogue(SourceTemplate& source, ScalarCode& code);

  const Program& program_;
  const Contraction& c_;
  const TileConfig& t_;
  const LoopOrder& order_;
  KernelNames& names_;
  bool exact_rows_ = false;
  std::string problem_, scalar_problem_;
};

}  // namespace tessera::cuda
