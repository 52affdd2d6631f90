#include "devices/cuda/graph/call_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/check.h"
#include "devices/cuda/lower/element_code.h"
#include "devices/cuda/lower/source_template.h"

namespace tessera::cuda {

OwnMemory::OwnMemory(const graph::TaskGraph& graph, const Table<graph::MemoryId, bool>& is_private)
    : graph_(graph), private_(is_private), places_(graph.program.buffers.size(), -1) {
  for (const graph::MemoryId m : graph.memories.ids()) {
    if (!private_[m]) continue;
    std::int64_t& place = places_[graph.memories[m].buffer];
    if (place >= 0) continue;
    place = bytes_;
    const Buffer& buffer = graph.program.buffers[graph.memories[m].buffer];
    bytes_ += whole_lines(elements(buffer.shape) * size_of(buffer.dtype));
  }
}

std::int64_t OwnMemory::copies(std::int64_t bytes) {
  copied_ = std::max(copied_, whole_lines(bytes));
  return bytes_;
}

DType moved_type(DType dtype) {
  switch (size_of(dtype)) {
    case 1:
      return DType::u8;
    case 2:
      return DType::u16;
    case 4:
      return DType::u32;
    default:
      return DType::i64;
  }
}

CallText::CallText(const OwnMemory& own, const TileView& size) : own_(own), rank_(size.rank) {
  words_.assign(size.size.begin(), size.size.begin() + size.rank);
}

void CallText::put_memory(const CallOperand& operand) {
  const bool is_own = !operand.memory || own_.has(operand.memory);
  words_.push_back(is_own ? -1 : operand.memory.index);
  // An operand without a memory is a copy. Its offset is already an offset in the private memory.
  words_.push_back(operand.offset +
                   (is_own && operand.memory ? own_.place(operand.memory) : std::int64_t{0}));
}

std::string CallText::view(const CallOperand& operand) {
  CHECK(!operand.is_number());
  const std::string name = fmt::format("v{}", views_++);
  line(fmt::format("const auto {} = c.view<{}, {}>({});", name, type_text(operand.dtype),
                   operand.view.rank, words_.size()));
  put_memory(operand);
  words_.insert(words_.end(), operand.view.stride.begin(),
                operand.view.stride.begin() + operand.view.rank);
  return name;
}

std::string CallText::value(const CallOperand& operand, bool whole) {
  if (operand.kind == OperandKind::memory)
    return fmt::format("{}.{}(e)", view(operand), whole ? "whole" : "real");
  const bool is_whole = operand.is_whole();
  CHECK(is_whole || !whole);
  const std::size_t at = words_.size();
  std::string text;
  if (operand.kind == OperandKind::number) {
    words_.push_back(operand.bits);
    text = fmt::format("c.{}({})", is_whole ? "whole" : "real", at);
  } else {
    words_.push_back(operand.memory.index);
    words_.push_back(0);
    text = fmt::format("c.loaded_{}({})", is_whole ? "whole" : "real", at);
  }
  return is_whole && !whole ? fmt::format("static_cast<float>({})", text) : text;
}

std::string CallText::numbers(const std::vector<std::int64_t>& numbers) {
  std::string text = fmt::format("(c.words + {})", words_.size());
  words_.insert(words_.end(), numbers.begin(), numbers.end());
  return text;
}

std::string CallText::number(std::int64_t number) {
  words_.push_back(number);
  return fmt::format("c.words[{}]", words_.size() - 1);
}

void CallText::each(const std::string& body) {
  line(fmt::format("for_each<{}>(c.words, [&](const i64* e) {{\n{}\n}});", rank_,
                   indented(body, 2)));
}

}  // namespace tessera::cuda
