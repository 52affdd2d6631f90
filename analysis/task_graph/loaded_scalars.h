// Scalars in memory that ops read as data. The run without arithmetic does not compute them, so
// they are read when a node runs. All other scalars have the values of the run.
#pragma once
#include <vector>

#include "core/program/program.h"
#include "core/report/diag.h"

namespace tessera::graph {

class LoadedScalars {
 public:
  // Classifies the values and ops of a program, which must outlive this object.
  explicit LoadedScalars(const Program& program);
  // True if the value is the result of a load that runs with its node.
  bool is_data(ValueId value) const { return of_[value] == Kind::loaded; }
  // True if the op accesses scalar memory only for control flow, so that no node contains it.
  bool is_control(StmtId statement) const { return control_[statement]; }
  // Errors for ops that write memory with values computed from such scalars, or that mix data with
  // scalar memory that only control flow needs; such a program has no graph. Empty: none.
  const Diags& refused() const { return refused_; }

 private:
  enum class Kind : std::uint8_t { control, loaded, computed };
  // True for memory that no node needs: a core's private scalars, and scratch that only control
  // reads.
  bool is_planning(const Slice& slice) const;
  void define(StmtId statement);
  void look(StmtId statement);
  void refuse(StmtId statement);

  const Program& program_;
  const Table<StmtId, bool> reads_control_;
  const Table<BufferId, bool> planning_;
  Table<ValueId, Kind> of_;
  Table<StmtId, bool> control_;
  Diags refused_;
};

}  // namespace tessera::graph
