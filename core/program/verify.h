// The verifier: generic rules that follow from the op table are in verify.cpp, those of single ops
// in verify_rules.cpp.
#pragma once
#include <string>
#include <vector>

#include "core/lang/language.h"
#include "core/program/refs.h"

namespace tessera {

class Verifier {
 public:
  explicit Verifier(const Program& program)
      : program_(program), defined_(program.values.size(), false) {}
  Diags run();

 private:
  void declarations();
  void regions();
  void statement(std::size_t at);
  void define(ValueId value);
  void use(ValueId value, ValueKind kind, std::string_view field);
  void use(const Slice& slice, std::string_view field);
  bool check_slice(const Slice& slice, std::string_view field);

  // verify_rules.cpp
  void rules(const Stmt& stmt);
  void tile_op(const Op& op);
  void tile_operand(const Slice& slice, std::string_view field, bool is_target);
  void broadcasts(const Op& op);
  void matmul(const Matmul& op);
  void scaled(const Scaled& op);
  void copy(const Slice& src, const Slice& dst, bool remote);
  void semaphore(const Slice& sem, std::string_view field, std::initializer_list<SemKind> kinds,
                 std::string_view why);
  bool memory(const Slice& slice, std::string_view field);
  void scalar_memory(const Slice& slice, std::string_view field, bool one);
  void array(const Slice& slice, std::string_view field);
  void written(const Slice& slice, std::string_view field);
  void window(const Stmt& stmt);
  void grid(const Stmt& stmt);
  const Semaphore& sem(const Slice& slice) const {
    return program_.semaphores[static_cast<std::size_t>(program_.value(slice.base).index)];
  }
  std::string name_of(const Slice& slice) const;
  std::string shape_of(const Slice& slice) const;

  // An error at the statement being looked at.
  void fail(std::string message, ErrorCode code = ErrorCode::invalid_value);
  void fail_at(std::int32_t place, std::string message, ErrorCode code = ErrorCode::invalid_value);

  const Program& program_;
  Diags diags_;
  std::vector<bool> defined_;
  std::vector<std::size_t> open_;  // statements whose regions are open
  std::vector<std::vector<ValueId>> scopes_{{}};
  std::size_t at_ = 0;
  std::vector<std::size_t> grid_body_;  // per open pipeline: 0 grids may follow, 1 windows, 2 body
  bool last_grid_parallel_ = true;
};

}  // namespace tessera
