// One call of a task graph's kernel as it is put together: the text of its function, which is the
// same for all calls of its kind, and the words that are this call's own.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "devices/cuda/graph/call_operands.h"

namespace tessera::cuda {

// Where memory of a CTA's own lies.
class OwnMemory {
 public:
  // Memory that is_private says, by buffer.
  OwnMemory(const graph::TaskGraph& graph, const Table<graph::MemoryId, bool>& is_private);
  bool has(graph::MemoryId memory) const { return private_[memory]; }
  std::int64_t place(graph::MemoryId memory) const {
    return places_[graph_.memories[memory].buffer];
  }
  // Where copies of operands are put that an op overwrites while it reads them.
  std::int64_t copies(std::int64_t bytes);
  std::int64_t bytes() const { return bytes_ + copied_; }

 private:
  const graph::TaskGraph& graph_;
  const Table<graph::MemoryId, bool>& private_;
  Table<BufferId, std::int64_t> places_;
  std::int64_t bytes_ = 0, copied_ = 0;
};

class CallText {
 public:
  // size: of what is computed element by element; its words are the first.
  CallText(const OwnMemory& own, const TileView& size);

  // The name of the operand in the text, declared and given.
  std::string view(const CallOperand& operand);
  // Its value at the indices `e`, in a float or as a whole number.
  std::string value(const CallOperand& operand, bool whole);
  // A pointer to numbers of the call alone, and one such number.
  std::string numbers(const std::vector<std::int64_t>& numbers);
  std::string number(std::int64_t number);

  void line(const std::string& text) { body_ += text + "\n"; }
  // f(e) for each element, of what stands in `body`.
  void each(const std::string& body);

  int rank() const { return rank_; }
  const std::string& body() const { return body_; }
  const std::vector<std::int64_t>& words() const { return words_; }

 private:
  void put_memory(const CallOperand& operand);

  const OwnMemory& own_;
  int rank_ = 0, views_ = 0;
  std::string body_;
  std::vector<std::int64_t> words_;
};

// An integer type of so many bytes, for what is moved and not looked at.
DType moved_type(DType dtype);

}  // namespace tessera::cuda
