// Translation of task graph actions to calls of kernels.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/task_engine/graph_memory.h"
#include "core/report/expected.h"
#include "devices/cuda/graph/call_functions.h"
#include "devices/cuda/graph/call_text.h"

namespace tessera::cuda {

// The calls of one CTA, in order.
struct SubtaskWords {
  std::int64_t calls = 0;
  std::vector<std::int64_t> words;  // per call: function, number of words, words
};

class CallWriter {
 public:
  // The arguments must outlive this object.
  CallWriter(const graph::TaskGraph& graph, OwnMemory& own, CallFunctions& functions)
      : graph_(graph), own_(own), functions_(functions) {}

  // Appends the calls of the action; none for ops that compute nothing. Fails with
  // ErrorCode::unsupported, with the place, if the action has no call.
  Expected<void> add(graph::ActionId action, SubtaskWords& subtask);
  // Appends the call that copies one region, or adds it to its destination if copy.adds.
  void add_piece(const graph::Action& copy, const graph::CopyRegion& region, SubtaskWords& subtask);

 private:
  using Operands = std::vector<CallOperand>;

  bool holds_all(DType type, ValueId loaded) const;
  void put(const CallText& call, const std::string& what, SubtaskWords& subtask);
  void apart(Operands& operands, bool may_be_same, SubtaskWords& subtask);
  void move(const CallOperand& to, const CallOperand& from, bool adds, SubtaskWords& subtask);
  void elementwise(const Op& op, Operands operands, SubtaskWords& subtask);
  void cast(const CallOperand& to, const CallOperand& from, const std::string& what,
            SubtaskWords& subtask);
  void permute(const Op& op, Operands operands, SubtaskWords& subtask);
  void reduce(const Op& op, Operands operands, SubtaskWords& subtask);
  void scale(Operands operands, SubtaskWords& subtask);
  void bitcast(Operands operands, SubtaskWords& subtask);
  void every(const Every& op, Operands operands, SubtaskWords& subtask);
  void matmul(const Matmul& op, Operands operands, SubtaskWords& subtask);
  void pad(Operands operands, SubtaskWords& subtask);
  void load(const graph::Action& action, const Operands& operands, SubtaskWords& subtask);

  const graph::TaskGraph& graph_;
  OwnMemory& own_;
  CallFunctions& functions_;
};

// Returns the reason why an op has no call for any operands; empty if it may have one.
std::string refusal_of_call(const Op& op);

}  // namespace tessera::cuda
