#include "core/program/refs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/report/check.h"

namespace tessera {

std::string to_string(const ViewType& type) {
  return fmt::format("{}[{}]", name(type.dtype), fmt::join(type.shape, ", "));
}

ViewType view_type(const Program& program, const ViewAs& op) {
  const std::string_view text = program.texts[op.type];
  const std::size_t open = text.find('[');
  const auto dtype = parse_dtype(text.substr(0, open));
  CHECK(dtype && open != std::string_view::npos);
  ViewType type{*dtype, {}};
  const char *at = text.data() + open + 1, *const end = text.data() + text.size();
  for (std::int64_t extent = 0; at < end; ++at) {
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error == std::errc()) type.shape.push_back(extent), at = next;
  }
  return type;
}

const Slice* viewed_slice(const Op& op) {
  if (const auto* view = std::get_if<View>(&op)) return &view->source;
  const auto* as = std::get_if<ViewAs>(&op);
  return as ? &as->source : nullptr;
}

bool keeps_elements(const Op& op) {
  return std::holds_alternative<Regroup>(op) || std::holds_alternative<Bitcast>(op) ||
         std::holds_alternative<Every>(op);
}

std::vector<int> kept(const Slice& slice) {
  std::vector<int> dims;
  for (int d = 0; d < slice.rank; ++d)
    if (!(slice.dropped >> d & 1)) dims.push_back(d);
  return dims;
}

std::optional<std::int64_t> static_bound(const Program& program, ValueId scalar) {
  const Value& v = program.value(scalar);
  if (v.constant) return v.integer;
  if (!v.statement) return std::nullopt;
  const Op& op = program.body[v.statement].op;
  if (const auto* limit = std::get_if<Limit>(&op)) return static_bound(program, limit->bound);
  if (const auto* min = std::get_if<Min>(&op)) {
    const auto a = static_bound(program, min->a), b = static_bound(program, min->b);
    if (a && b) return std::min(*a, *b);
    return a ? a : b;
  }
  if (const auto* max = std::get_if<Max>(&op)) {
    const auto a = static_bound(program, max->a), b = static_bound(program, max->b);
    if (a && b) return std::max(*a, *b);
  }
  if (const auto* select = std::get_if<Select>(&op)) {
    const auto a = static_bound(program, select->a), b = static_bound(program, select->b);
    if (a && b) return std::max(*a, *b);
  }
  return std::nullopt;
}

bool is_multiple(const Program& program, ValueId scalar, std::int64_t factor) {
  const Value& v = program.value(scalar);
  if (v.constant) return v.integer % factor == 0;
  if (!v.statement) return false;
  const Op& op = program.body[v.statement].op;
  const auto holds = [&](ValueId id) { return is_multiple(program, id, factor); };
  if (const auto* mul = std::get_if<Mul>(&op)) return holds(mul->a) || holds(mul->b);
  if (const auto* add = std::get_if<Add>(&op)) return holds(add->a) && holds(add->b);
  if (const auto* sub = std::get_if<Sub>(&op)) return holds(sub->a) && holds(sub->b);
  return false;
}

Shape static_shape(const Program& program, const Slice& slice) {
  Shape shape;
  if (is_number(program, slice)) return shape;
  const RefInfo ref = ref_info(program, slice.base);
  for (int d : kept(slice)) {
    const auto i = static_cast<std::size_t>(d);
    const auto bound = static_bound(program, slice.size[i]);
    shape.push_back(bound ? std::min(*bound, ref.bound[i]) : ref.bound[i]);
  }
  return shape;
}

RefInfo ref_info(const Program& program, ValueId ref) {
  const Value& v = program.value(ref);
  CHECK(v.kind == ValueKind::ref);
  RefInfo info;
  if (v.buffer) {
    const Buffer& b = program.buffers[v.buffer];
    info.dtype = b.dtype;
    info.space = b.space;
    info.bound = b.shape;
    info.extent.assign(b.shape.size(), no_value);
    info.root = ref;
    return info;
  }
  const Op& op = program.body[v.statement].op;
  const auto* window = std::get_if<Window>(&op);
  const Slice& source = window ? window->source : *viewed_slice(op);
  const RefInfo inner = ref_info(program, source.base);
  info.dtype = inner.dtype;
  info.space = window && inner.space == Space::hbm ? Space::vmem : inner.space;
  info.root = inner.root;
  if (const auto* as = std::get_if<ViewAs>(&op)) {
    const ViewType type = view_type(program, *as);
    info.dtype = type.dtype;
    info.bound = type.shape;
    info.extent.assign(type.shape.size(), no_value);
    return info;
  }
  for (int d : kept(source)) {
    const auto i = static_cast<std::size_t>(d);
    const auto bound = static_bound(program, source.size[i]);
    info.bound.push_back(bound ? *bound : inner.bound[i]);
    info.extent.push_back(source.size[i]);
  }
  return info;
}

bool is_whole(const Program& program, const Slice& slice) {
  if (slice.dropped != 0 || is_number(program, slice)) return false;
  const RefInfo ref = ref_info(program, slice.base);
  for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
    if (program.constant(slice.start[d]) != 0) return false;
    if (ref.extent[d] != no_value ? slice.size[d] != ref.extent[d]
                                  : program.constant(slice.size[d]) != ref.bound[d])
      return false;
  }
  return true;
}

const Slice* written_slice(const Op& op) {
  const OpInfo& row = info(op);
  if (row.fields.empty() || row.fields[0].kind != FieldKind::Slice) return nullptr;
  const std::string_view first = row.fields[0].name;
  if (first == "dst" || first == "acc" || first == "slot") return &field<Slice>(op, row.fields[0]);
  if (const auto* start = std::get_if<Start>(&op)) return &start->dst;
  return nullptr;
}

bool is_left_out(const Program& program, const Op& op) {
  const OpInfo& row = info(op);
  if (row.math != LeftOut::floats) return row.math == LeftOut::all;
  return std::any_of(row.fields.begin(), row.fields.end(), [&](const FieldInfo& f) {
    if (f.kind != FieldKind::Slice) return false;
    const Value& base = program.value(field<Slice>(op, f).base);
    return base.kind == ValueKind::real ||
           (base.kind == ValueKind::ref &&
            is_float(ref_info(program, field<Slice>(op, f).base).dtype));
  });
}

bool is_control(const Program& program, const Op& op, const FieldInfo& f, bool is_choice_open) {
  switch (f.control) {
    case Control::fixed:
    case Control::data:
      return false;
    case Control::decides:
      return true;
    case Control::must_fit: {
      const DType to = ref_info(program, written_slice(op)->base).dtype;
      return is_integer(to) && to != DType::i64;
    }
    case Control::chooses:
      return is_choice_open;
  }
  return false;
}

bool is_number(const Program& program, const Slice& slice) {
  const ValueKind kind = program.value(slice.base).kind;
  return kind == ValueKind::scalar || kind == ValueKind::real;
}

}  // namespace tessera
