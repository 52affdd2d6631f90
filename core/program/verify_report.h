// Errors of the verifier, reported at the current statement.
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
  // Adds an error at the current statement, with the calls from which it was inlined.
  void fail(std::string message, ErrorCode code = ErrorCode::invalid_value);
  void fail_at(PlaceId place, std::string message, ErrorCode code = ErrorCode::invalid_value);
  // Adds an error if the slice, which the op writes, belongs to an input.
  void written(const Slice& slice);

  // Returns a field of the current op as text: "`dst` of `tile_add`".
  std::string field_text(std::string_view field) const;
  // Return the slice and its shape as in the source, with ... for unknown numbers.
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
