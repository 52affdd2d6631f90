// The verifier: generic rules that follow from the op table, and the structure of pipelines. The
// rules of single ops are in op_rules.h and tile_rules.h.
#pragma once
#include <string_view>
#include <vector>

#include "core/lang/language.h"
#include "core/program/op_rules.h"
#include "core/program/refs.h"
#include "core/program/verify_report.h"

namespace tessera {

class Verifier {
 public:
  // `program` must outlive this object.
  explicit Verifier(const Program& program)
      : program_(program), report_(program), defined_(program.values.size()) {}
  // Returns all errors in the order of the program; empty if it is valid. Must be called only once.
  Diags run();

 private:
  // Each function adds an error to the report for each rule that is violated.
  void declarations();  // also defines the declared values
  void statement(StmtId at);
  // Marks the value as defined until the end of the innermost region.
  void define(ValueId value);
  // Check that a value, or each value of a slice, is valid, defined and of its kind. The slice must
  // also not be known to be out of bounds. field: for messages.
  void use(ValueId value, ValueKind kind, std::string_view field);
  void use(const Slice& slice, std::string_view field);
  // Checks base and rank. Returns true for memory or semaphores without an error; false for a
  // number.
  bool check_slice(const Slice& slice, std::string_view field);
  void rules(const Stmt& stmt);
  void window(const Stmt& stmt);
  void grid(const Stmt& stmt);
  void proceed();
  void close(StmtId opened);  // end of the region that begins at that statement

  const Program& program_;
  VerifyReport report_;
  OpRules ops_{program_, report_};
  Table<ValueId, bool> defined_;
  std::vector<StmtId> open_;  // statements with open regions
  std::vector<std::vector<ValueId>> scopes_{{}};
  StmtId at_;
  std::vector<std::size_t> grid_body_;  // per open pipeline: 0 grids may follow, 1 windows, 2 body
  bool last_grid_parallel_ = true;
  std::vector<int> proceeds_;  // number of `proceed` per open `while`
};

}  // namespace tessera
