#include "core/passes/view_rectangle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/program/refs.h"

namespace tessera {
namespace {

// Memory dimensions and view dimensions that together contain the same elements.
struct Group {
  std::vector<std::size_t> memory, view;
};

// Returns minimal groups. Without elements, all dimensions form one group.
std::vector<Group> groups_of(const Shape& memory, const Shape& view) {
  std::vector<Group> groups;
  const bool is_empty = elements(memory) == 0;
  std::size_t m = 0, v = 0;
  while (m < memory.size() && v < view.size()) {
    Group group{{m}, {v}};
    std::int64_t have = memory[m++], want = view[v++];
    while ((have != want || is_empty) && (m < memory.size() || v < view.size())) {
      if (v == view.size() || (m < memory.size() && have < want)) {
        group.memory.push_back(m);
        have *= memory[m++];
      } else {
        group.view.push_back(v);
        want *= view[v++];
      }
    }
    groups.push_back(std::move(group));
  }
  for (; m < memory.size(); ++m) groups.push_back({{m}, {}});
  for (; v < view.size(); ++v) groups.push_back({{}, {v}});
  return groups;
}

class Finder {
 public:
  Finder(Builder& builder, const ViewType& memory, const ViewType& view, const Slice& slice,
         const std::string& what, bool only_looks)
      : builder_(builder),
        memory_(memory),
        view_(view),
        from_(slice),
        what_(what),
        only_looks_(only_looks) {}

  ViewRectangle run() {
    found_.slice.rank = static_cast<std::int8_t>(memory_.shape.size());
    found_.has_shape = true;
    if (const auto packed = packed_dim(memory_, view_)) {
      pack(static_cast<std::size_t>(*packed));
      found_.has_shape = false;
    } else {
      for (const Group& group : groups_of(memory_.shape, view_.shape)) regroup(group);
    }
    return std::move(found_);
  }

 private:
  std::optional<std::int64_t> known(ValueId value) const {
    return builder_.program().constant(value);
  }
  bool is_one(ValueId value) const { return known(value) == 1; }
  bool is_dropped(std::size_t d) const { return (from_.dropped >> d & 1) != 0; }
  bool is_multiple_of(ValueId value, std::int64_t factor) const {
    return factor == 1 || is_multiple(builder_.program(), value, factor);
  }
  ValueId number(std::int64_t value) { return builder_.integer(value); }
  ValueId times(ValueId value, std::int64_t factor) {
    return factor == 1 ? value : builder_.mul(value, number(factor));
  }
  ValueId over(ValueId value, std::int64_t factor) {
    return factor == 1 ? value : builder_.emit(Div{value, number(factor)});
  }
  ValueId modulo(ValueId value, std::int64_t factor) {
    return builder_.emit(Mod{value, number(factor)});
  }

  void refuse(std::string why) {
    if (found_.problem.empty()) found_.problem = std::move(why);
  }
  // Requires the condition: a problem if it is known to be false, a run-time check if it is
  // unknown.
  void need(ValueId condition, const std::string& why) {
    const auto is_held = known(condition);
    if (is_held == 0) refuse(why);
    if (!is_held && !only_looks_) builder_.emit(Require{condition, builder_.text(why)});
  }
  void need_multiple(ValueId value, std::int64_t factor, std::string_view of) {
    if (is_multiple_of(value, factor)) return;
    need(builder_.emit(Eq{modulo(value, factor), number(0)}),
         fmt::format("{} of {} is expected to be a multiple of {}: it shows {}", of, what_, factor,
                     to_string(memory_)));
  }

  void put(std::size_t d, ValueId start, ValueId size) {
    found_.slice.start[d] = start;
    found_.slice.size[d] = size;
  }
  void drop(std::size_t d) { found_.slice.dropped |= static_cast<std::uint8_t>(1U << d); }

  // Types of different width: the slice must consist of whole elements of the wider type.
  void pack(std::size_t packed) {
    const std::int64_t memory = size_of(memory_.dtype), view = size_of(view_.dtype);
    for (std::size_t d = 0; d < view_.shape.size(); ++d) {
      if (d != packed) {
        put(d, from_.start[d], from_.size[d]);
      } else if (view > memory) {
        put(d, times(from_.start[d], view / memory), times(from_.size[d], view / memory));
      } else {
        need_multiple(from_.start[d], memory / view, "the start of a slice");
        need_multiple(from_.size[d], memory / view, "the size of a slice");
        put(d, over(from_.start[d], memory / view), over(from_.size[d], memory / view));
      }
    }
  }

  void regroup(const Group& group) {
    if (group.memory.size() == 1 && group.view.size() == 1) {
      const std::size_t m = group.memory[0], v = group.view[0];
      put(m, from_.start[v], from_.size[v]);
      if (is_dropped(v)) drop(m);
      return;
    }
    stretch(group);
    if (found_.problem.empty()) keep_shape(group);
  }

  // Handles a contiguous range: dimensions of the view before `along` have size 1, and those after
  // it are whole.
  void stretch(const Group& group) {
    std::size_t along = 0;
    while (along < group.view.size() && is_one(from_.size[group.view[along]])) ++along;
    std::int64_t inner = 1;
    for (std::size_t i = group.view.size(); i-- > along + 1;) {
      const std::size_t v = group.view[i];
      const bool is_whole = known(from_.start[v]) == 0 && known(from_.size[v]) == view_.shape[v];
      if (!is_whole) return refuse(no_rectangle());
      inner *= view_.shape[v];
    }
    ValueId position = number(0);
    std::int64_t stride = 1;
    for (std::size_t i = group.view.size(); i-- > 0;) {
      const std::size_t v = group.view[i];
      position = builder_.add(times(from_.start[v], stride), position);
      stride *= view_.shape[v];
    }
    const bool is_element = along == group.view.size();
    cut(group, position, is_element ? number(1) : from_.size[group.view[along]],
        is_element ? 1 : inner);
  }

  // Makes a rectangle of `count` times `inner` elements from `position` on: a part of one memory
  // dimension, all of the dimensions after it, and one element of the dimensions before it.
  void cut(const Group& group, ValueId position, ValueId count, std::int64_t inner) {
    if (group.memory.empty()) {
      if (!is_one(count)) refuse(no_rectangle());
      return;
    }
    std::vector<std::int64_t> width(group.memory.size(), 1);  // number of elements per index
    for (std::size_t i = group.memory.size() - 1; i-- > 0;)
      width[i] = width[i + 1] * memory_.shape[group.memory[i + 1]];
    const auto along = part_of(group, width, position, count, inner);
    if (!along) return refuse(no_rectangle());
    const std::int64_t each = width[*along];
    need_multiple(position, each, "the first element of a slice");
    for (std::size_t i = 0; i < group.memory.size(); ++i) {
      const std::int64_t extent = memory_.shape[group.memory[i]];
      if (i > *along) {
        put(group.memory[i], number(0), number(extent));
        continue;
      }
      const ValueId at = over(position, width[i]);
      const ValueId start = i == 0 ? at : modulo(at, extent);
      const ValueId size = i < *along          ? number(1)
                           : inner % each == 0 ? times(count, inner / each)
                                               : over(times(count, inner), each);
      put(group.memory[i], start, size);
      if (i == *along && i > 0 && !is_one(size))
        need(builder_.emit(Le{builder_.add(start, size), number(extent)}),
             fmt::format("expected a slice of {} within one row of the viewed memory, {}", what_,
                         to_string(memory_)));
    }
  }

  // Returns the dimension of the group to take a part of: the innermost possible one if the count
  // is known, else the outermost one, which the range cannot exceed.
  std::optional<std::size_t> part_of(const Group& group, const std::vector<std::int64_t>& width,
                                     ValueId position, ValueId count, std::int64_t inner) const {
    const auto known_count = known(count);
    for (std::size_t i = group.memory.size(); i-- > 0;) {
      const std::int64_t extent = memory_.shape[group.memory[i]];
      if (known_count && *known_count * inner % width[i] == 0 &&
          (*known_count * inner / width[i] <= extent || i == 0))
        return i;
    }
    if (known_count) return std::nullopt;
    for (std::size_t i = 0; i < group.memory.size(); ++i) {
      const bool is_rows = inner % width[i] == 0 || is_multiple_of(count, width[i]);
      if (is_rows && (i + 1 == group.memory.size() || is_multiple_of(position, width[i]))) return i;
    }
    return std::nullopt;
  }

  // Drops dimensions of size 1 if the result has the shape of the slice.
  void keep_shape(const Group& group) {
    std::vector<ValueId> wanted;
    for (const std::size_t v : group.view)
      if (!is_dropped(v)) wanted.push_back(from_.size[v]);
    std::size_t next = 0;
    for (const std::size_t m : group.memory) {
      const ValueId size = found_.slice.size[m];
      const bool fits =
          next < wanted.size() &&
          (size == wanted[next] || (known(size) && known(size) == known(wanted[next])));
      if (fits)
        ++next;
      else if (is_one(size))
        drop(m);
      else
        found_.has_shape = false;
    }
    if (next != wanted.size()) found_.has_shape = false;
  }

  std::string no_rectangle() const {
    return fmt::format(
        "this slice of {} is no rectangle of the viewed memory, {}: in the dimensions that the "
        "view {} joins or splits, expected consecutive elements, either whole rows of that memory "
        "or a part of one",
        what_, to_string(memory_), to_string(view_));
  }

  Builder& builder_;
  const ViewType &memory_, &view_;
  const Slice& from_;
  const std::string& what_;
  const bool only_looks_;
  ViewRectangle found_;
};

}  // namespace

ViewRectangle view_rectangle(Builder& builder, const ViewType& memory, const ViewType& view,
                             const Slice& slice, const std::string& what, bool only_looks) {
  return Finder(builder, memory, view, slice, what, only_looks).run();
}

}  // namespace tessera
