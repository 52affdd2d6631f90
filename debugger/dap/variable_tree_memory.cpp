// Memory in the variable tree: one level per dimension, with elements as leaves.
#include <fmt/format.h>

#include <algorithm>

#include "core/report/shown.h"
#include "core/report/try.h"
#include "debugger/dap/variable_tree.h"
#include "interp/findings/describe.h"
#include "interp/findings/elements_text.h"
#include "text/numbers.h"

namespace tessera::debugger {
namespace {

// Maximum number of elements read for the statistics of one variable, and of all variables in one
// response.
constexpr std::int64_t max_of_one = 1 << 18, max_of_all = 1 << 22;

// Returns the first dimension that is not fixed by an index; the rank if the box is one element.
int open_dimension(const Box& box) {
  int d = 0;
  while (d < box.rank && !box.keeps(d)) ++d;
  return d;
}

// Returns the part at an index of the first open dimension, relative to the start of the box.
Box part_of(const Box& box, std::int64_t at) {
  const int d = open_dimension(box);
  Box part = box;
  part.start[Box::at(d)] += at;
  part.size[Box::at(d)] = 1;
  part.dropped |= static_cast<std::uint8_t>(1U << d);
  return part;
}

std::string type_text(const Buffer& buffer, const Box& box) {
  std::string shape;
  for (int d = 0; d < box.rank; ++d)
    if (box.keeps(d)) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", box.size[Box::at(d)]);
  const std::string dtype(name(buffer.dtype));
  return fmt::format("{}{} {}", dtype, shape.empty() ? "" : "[" + shape + "]", name(buffer.space));
}

}  // namespace

std::string VariableTree::name_of(const Memory& memory) const {
  const BufferReference& what = memory.what;
  return owner(memory.core) + slice_text(session_.program(), what.buffer, what.box);
}

Expected<std::string> VariableTree::memory_value(const Memory& memory) {
  const BufferReference& what = memory.what;
  const Buffer& buffer = session_.program().buffers[what.buffer];
  const std::string type = type_text(buffer, what.box);
  if (what.box.elements() > max_of_one)
    return fmt::format("{}, {} elements", type, what.box.elements());
  Storage& storage = *TRY(session_.valued())->core_state(what.owner).storages[what.buffer];
  if (!storage.is_live()) return fmt::format("{}, it does not exist here", type);
  if (storage.is_idle()) return fmt::format("{}, not computed in this run", type);
  const bool is_real = is_float(buffer.dtype);
  const std::vector<Element> elements = elements_of(storage, what.box);
  if (elements.size() == 1) return number_text(elements.front(), is_real);
  return fmt::format("{}, {}", type, statistics(elements, is_real));
}

Expected<Json> VariableTree::memory_variable(const std::string& name, const Memory& memory) {
  const Box& box = memory.what.box;
  const Buffer& buffer = session_.program().buffers[memory.what.buffer];
  Json variable = {{"name", name},
                   {"value", TRY(memory_value(memory))},
                   {"type", type_text(buffer, box)},
                   {"evaluateName", name_of(memory)},
                   {"variablesReference", 0}};
  if (box.elements() == 1) return variable;
  variable["variablesReference"] = number(memory);
  variable["indexedVariables"] = box.size[Box::at(open_dimension(box))];
  return variable;
}

Expected<Json> VariableTree::all_memory(CoreIndex core) {
  const Program& program = session_.program();
  Json all = Json::array();
  for (const BufferId id : program.buffers.ids()) {
    const CoreIndex owner = owner_of(session_.machine(), core, id);
    const Box whole = session_.machine().core_state(owner).storages[id]->whole();
    all.push_back(TRY(memory_variable(program.buffers[id].name, {{id, whole, owner}, core})));
  }
  return all;
}

Expected<Json> VariableTree::parts(const Memory& memory, const Part& part) {
  Json all = Json::array();
  const Box& box = memory.what.box;
  const int d = open_dimension(box);
  if (d == box.rank || part.filter == "named") return all;
  const std::int64_t extent = box.size[Box::at(d)];
  const std::int64_t begin = std::clamp<std::int64_t>(part.start, 0, extent);
  const std::int64_t wanted =
      part.count > 0 ? std::min(part.count, extent - begin) : extent - begin;
  const std::int64_t each = extent > 0 ? std::max<std::int64_t>(1, box.elements() / extent) : 1;
  std::int64_t most = std::min(wanted, part.count > 0 ? max_requested_children : max_children);
  if (each <= max_of_one) most = std::min(most, std::max<std::int64_t>(1, max_of_all / each));
  const std::int64_t end = begin + most;
  const std::int64_t first = box.start[Box::at(d)];
  for (std::int64_t at = begin; at < end; ++at) {
    Memory below = memory;
    below.what.box = part_of(box, at);
    all.push_back(TRY(memory_variable(fmt::format("[{}]", first + at), below)));
  }
  if (most < wanted)
    all.push_back({{"name", fmt::format("[{} .. {}]", first + end, first + begin + wanted)},
                   {"value", "more; select a smaller range, or a slice in the console"},
                   {"variablesReference", 0}});
  return all;
}

Expected<std::string> VariableTree::part_name(const Memory& memory, const std::string& name) const {
  const Box& box = memory.what.box;
  const int d = open_dimension(box);
  const bool is_index =
      d < box.rank && name.size() > 2 && name.front() == '[' && name.back() == ']';
  const auto at =
      is_index ? parse_integer(std::string_view(name).substr(1, name.size() - 2)) : std::nullopt;
  if (!at || *at < box.start[Box::at(d)] || *at >= box.end(d))
    return error(fmt::format("there is no {} in {}", shown_text(name), name_of(memory)));
  Memory below = memory;
  below.what.box = part_of(box, *at - box.start[Box::at(d)]);
  return name_of(below);
}

}  // namespace tessera::debugger
