// What the verifier says of a program, at the statement that it is at.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/program/program.h"

namespace tessera {

class VerifyReport {
 public:
  explicit VerifyReport(const Program& program) : program_(program) {}

  void at(StmtId statement) { at_ = statement; }
  // An error at that statement, with the calls that it was inlined from.
  void fail(std::string message, ErrorCode code = ErrorCode::invalid_value);
  void fail_at(PlaceId place, std::string message, ErrorCode code = ErrorCode::invalid_value);
  // An error when the slice, which the op writes, is of an input.
  void written(const Slice& slice);

  // A field of the op at that statement: "`dst` of `tile_add`".
  std::string field_text(std::string_view field) const;
  // As the source would write them, with ... for what is not known.
  std::string name_of(const Slice& slice) const;
  std::string shape_of(const Slice& slice) const;

  std::size_t size() const { return diags_.size(); }
  Diags take() { return std::move(diags_); }

 private:
  const Program& program_;
  Diags diags_;
  StmtId at_;
};

}  // namespace tessera
