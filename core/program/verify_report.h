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
  // `program` must outlive this object.
  explicit VerifyReport(const Program& program) : program_(program) {}

  // Sets the current statement.
  void at(StmtId statement) { at_ = statement; }
  // Add an error at the current statement (requires at()) or at a place, with notes on the calls
  // from which it was inlined.
  void fail(std::string message, ErrorCode code = ErrorCode::invalid_value);
  void fail_at(PlaceId place, std::string message, ErrorCode code = ErrorCode::invalid_value);
  // Adds an error at the current statement if the slice of memory, which the op writes, belongs to
  // an input.
  void written(const Slice& slice);

  // Returns a field of the current statement's op as text: "`dst` of `tile_add`". Requires at().
  std::string field_text(std::string_view field) const;
  // Return the slice, "a[0 +: 8, 3]" (or "the number"), and its shape, "(8)", with ... for unknown
  // numbers.
  std::string name_of(const Slice& slice) const;
  std::string shape_of(const Slice& slice) const;

  // size(): number of errors so far. take(): returns the errors, in order, and removes them.
  std::size_t size() const { return diags_.size(); }
  Diags take() { return std::move(diags_); }

 private:
  const Program& program_;
  Diags diags_;
  StmtId at_;
};

}  // namespace tessera
