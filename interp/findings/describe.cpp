#include "interp/findings/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/report/lines.h"
#include "interp/machine/nesting.h"

namespace tessera {
namespace {

std::string bracketed(const std::string& name, const std::string& inside) {
  return inside.empty() ? name : fmt::format("{}[{}]", name, inside);
}

template <typename Item>
std::string joined(std::size_t n, Item item) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) text += ", ";
    text += item(i);
  }
  return text;
}

}  // namespace

std::string slice_text(const Program& program, BufferId buffer, const Box& box) {
  return bracketed(program.buffers[buffer].name,
                   joined(static_cast<std::size_t>(box.rank), [&](std::size_t d) {
                     if (!box.keeps(static_cast<int>(d))) return std::to_string(box.start[d]);
                     return fmt::format("{} .. {}", box.start[d], box.start[d] + box.size[d]);
                   }));
}

std::string shape_text(const Program& program, BufferId buffer) {
  const Buffer& b = program.buffers[buffer];
  return bracketed(
      b.name, joined(b.shape.size(), [&](std::size_t d) { return std::to_string(b.shape[d]); }));
}

std::string element_text(const Program& program, BufferId buffer, const Index& index) {
  const Buffer& b = program.buffers[buffer];
  return bracketed(b.name,
                   joined(b.shape.size(), [&](std::size_t d) { return std::to_string(index[d]); }));
}

std::string cell_text(const Program& program, SemaphoreId semaphore, std::int64_t cell) {
  const Semaphore& s = program.semaphores[semaphore];
  std::vector<std::int64_t> index(s.shape.size());
  for (std::size_t d = s.shape.size(); d-- > 0;) {
    index[d] = cell % s.shape[d];
    cell /= s.shape[d];
  }
  return bracketed(s.name,
                   joined(index.size(), [&](std::size_t d) { return std::to_string(index[d]); }));
}

std::string line_text(const Program& program, StmtId statement) {
  const Loc loc = program.loc(statement);
  if (!loc) return fmt::format("statement {}", statement.index);
  return fmt::format("{}:{}", loc.source->name, loc.line);
}

std::string_view mnemonic(const Program& program, StmtId statement) {
  return info(program.body[statement].op).mnemonic;
}

std::string region_text(const Program& program, StmtId statement) {
  for (const StmtId region : Nesting(program).around(statement)) {
    const auto* trace = std::get_if<Trace>(&program.body[region].op);
    if (trace == nullptr) continue;
    return fmt::format("\"{}\"", program.texts[trace->message]);
  }
  return {};
}

void add_call_chain(const Program& program, PlaceId place, std::vector<FindingPlace>& notes) {
  if (!place) return;
  for (PlaceId at = program.places[place].caller; at; at = program.places[at].caller)
    notes.push_back({.loc = program.loc(at), .message = "called from here"});
}

PlaceId own_place(const Program& program, PlaceId place) {
  PlaceId outermost = place;
  while (outermost && program.places[outermost].caller)
    outermost = program.places[outermost].caller;
  // Lines named by a `# line` directive are the author's own text, in any calling file.
  while (place && program.loc(place).source != program.loc(outermost).source &&
         program.loc(place).column != 0)
    place = program.places[place].caller;
  return place;
}

Loc operand_loc(const Program& program, StmtId statement, BufferId buffer) {
  const Loc whole = program.loc(statement);
  const std::string& name = program.buffers[buffer].name;
  if (!whole || whole.column == 0 || name.empty() ||
      class_of(program.body[statement].op) != OpClass::tile)
    return whole;
  const std::string_view line = Lines(whole.source->text)[whole.line];
  const auto begin = static_cast<std::size_t>(whole.column) - 1,
             end = std::min(line.size(), begin + static_cast<std::size_t>(whole.width));
  const auto is_part = [&](std::size_t at) {
    return at < end && (std::isalnum(static_cast<unsigned char>(line[at])) || line[at] == '_');
  };
  std::size_t found = std::string_view::npos;
  for (std::size_t at = line.find(name, begin); at < end; at = line.find(name, at + 1)) {
    const bool is_word = at + name.size() <= end && !is_part(at + name.size()) &&
                         (at == begin || (!is_part(at - 1) && line[at - 1] != '.'));
    if (!is_word) continue;
    if (found != std::string_view::npos) return whole;
    found = at;
  }
  if (found == std::string_view::npos) return whole;
  // Include the index.
  std::size_t behind = found + name.size();
  if (behind < end && line[behind] == '[')
    for (int open = 0; behind < end;) {
      open += line[behind] == '[' ? 1 : line[behind] == ']' ? -1 : 0;
      ++behind;
      if (open == 0) break;
    }
  Loc loc = whole;
  loc.column = static_cast<int>(found) + 1;
  loc.width = static_cast<int>(behind - found);
  return loc;
}

std::string counted(std::int64_t n, std::string_view singular) {
  return fmt::format("{} {}{}", n, singular, n == 1 ? "" : "s");
}

}  // namespace tessera
