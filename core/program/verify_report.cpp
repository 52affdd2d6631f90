#include "core/program/verify_report.h"

#include <fmt/format.h>

#include "core/program/broadcast.h"
#include "core/program/refs.h"

namespace tessera {

void VerifyReport::fail_at(PlaceId place, std::string message, ErrorCode code) {
  Diag diag{code, program_.written(place), std::move(message), {}};
  if (place) {
    if (program_.places[place].written)
      diag.notes.push_back({program_.loc(place), "it comes from here"});
    for (PlaceId p = program_.places[place].caller; p; p = program_.places[p].caller)
      diag.notes.push_back({program_.loc(p), "called from here"});
  }
  diags_.push_back(std::move(diag));
}

void VerifyReport::fail(std::string message, ErrorCode code) {
  fail_at(program_.body[at_].place, std::move(message), code);
}

std::string VerifyReport::field_text(std::string_view field) const {
  return fmt::format("`{}` of `{}`", field, info(program_.body[at_].op).mnemonic);
}

void VerifyReport::written(const Slice& slice) {
  const RefInfo ref = ref_info(program_, slice.base);
  if (const Buffer* b = program_.buffer(ref.root); b && b->role == Role::in)
    fail(fmt::format("`{}` is an input of the kernel, which it may only read", b->name));
}

std::string VerifyReport::name_of(const Slice& slice) const {
  const Value& base = program_.value(slice.base);
  if (base.kind == ValueKind::scalar || base.kind == ValueKind::real) return "the number";
  if (slice.rank == 0) return base.name;
  std::string items;
  for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
    const auto start = program_.constant(slice.start[d]), size = program_.constant(slice.size[d]);
    const std::string from = start ? std::to_string(*start) : "...";
    items += items.empty() ? "" : ", ";
    if (slice.dropped >> d & 1)
      items += from;
    else
      items += fmt::format("{} +: {}", from, size ? std::to_string(*size) : "...");
  }
  return fmt::format("{}[{}]", base.name, items);
}

std::string VerifyReport::shape_of(const Slice& slice) const {
  return slice_shape_text(program_, slice);
}

}  // namespace tessera
