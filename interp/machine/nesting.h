// Regions around a statement.
#pragma once
#include <cstdint>
#include <vector>

#include "core/program/program.h"

namespace tessera {

class Nesting {
 public:
  explicit Nesting(const Program& program);
  // Statements that open the regions around a statement, innermost first, without the statement
  // itself. Empty if the program does not have the statement.
  std::vector<StmtId> around(StmtId statement) const;

 private:
  Table<StmtId, StmtId> parent_;
};

}  // namespace tessera
