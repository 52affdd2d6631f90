// Builder for one call of a task graph's kernel: the text of its function, which all calls of the
// same kind share, and the words with the data of this call.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "devices/cuda/graph/call_operands.h"

namespace tessera::cuda {

// Layout of the private memory of a CTA.
class OwnMemory {
 public:
  // Places one area for each buffer that has memories with is_private. Both arguments must outlive
  // this object.
  OwnMemory(const graph::TaskGraph& graph, const Table<graph::MemoryId, bool>& is_private);
  bool has(graph::MemoryId memory) const { return private_[memory]; }
  // Offset of the memory's area, in bytes. Requires has().
  std::int64_t place(graph::MemoryId memory) const {
    return places_[graph_.memories[memory].buffer];
  }
  // Returns the byte offset of an area for copies of operands that an op overwrites while it reads
  // them. The area is shared by all calls, and has the largest size that was requested.
  std::int64_t copies(std::int64_t bytes);
  std::int64_t bytes() const { return bytes_ + copied_; }  // total

 private:
  const graph::TaskGraph& graph_;
  const Table<graph::MemoryId, bool>& private_;
  Table<BufferId, std::int64_t> places_;
  std::int64_t bytes_ = 0, copied_ = 0;
};

class CallText {
 public:
  // size: iteration space of for_each; its sizes are the first words. `own` must outlive this
  // object.
  CallText(const OwnMemory& own, const TileView& size);

  // Declares a view of the operand, which must be a memory, in the text, adds its words, and
  // returns its variable name.
  std::string view(const CallOperand& operand);
  // Returns an expression for the operand's element at the indices `e`, as i64 if `whole`, which
  // requires an integer operand, else as float. Adds the operand's words.
  std::string value(const CallOperand& operand, bool whole);
  // Add constants to the words of the call. Return an expression for a pointer to them, or for the
  // one constant.
  std::string numbers(const std::vector<std::int64_t>& numbers);
  std::string number(std::int64_t number);

  void line(const std::string& text) { body_ += text + "\n"; }
  // Adds a loop that executes `body` at the indices `e` of each element of the iteration space.
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

// Integer type of the same size, for elements that are copied but not computed with.
DType moved_type(DType dtype);

}  // namespace tessera::cuda
