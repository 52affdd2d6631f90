// Numbers of scalar memory that ops read as data: the run without arithmetic need not have them,
// so they are read when a node runs. All others are what the run had.
#pragma once
#include <vector>

#include "core/program/program.h"
#include "core/report/diag.h"

namespace tessera::graph {

class LoadedScalars {
 public:
  explicit LoadedScalars(const Program& program);
  // The value is what a load gives that is to be done when its node runs.
  bool is_data(ValueId value) const { return of_[value] == Kind::loaded; }
  // The op works on scalar memory for control alone, and no node does it.
  bool is_control(StmtId statement) const { return control_[statement]; }
  // Statements that compute with such numbers before an op on tiles gets them.
  const Diags& refused() const { return refused_; }

 private:
  enum class Kind : std::uint8_t { control, loaded, computed };
  // Memory that no node needs: a core's own scalars, or what only control reads.
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
