// Writes one window of a pipeline: block changes, fetches, waits, uses and write-backs.
#pragma once
#include <cstdint>

#include "core/passes/expand.h"
#include "core/passes/pipeline_parts.h"
#include "core/passes/pipeline_scratch.h"
#include "core/passes/window_blocks.h"

namespace tessera {

class WindowWriter {
 public:
  // around: values defined around the pipeline. All arguments must outlive this object.
  WindowWriter(Expander& expander, PipelineScratch& scratch, const PipelineWindow& part,
               const ValueMap& around);

  // Selects synchronous moves; must be called before allocate(). from: index of the window's first
  // number in the state shared by all windows.
  void move_at_once(std::int64_t from) {
    is_at_once_ = true;
    from_ = from;
  }
  // True for an input that is fetched exactly `steps` steps before its use; 0: in the same step.
  // False for outputs, also with `update`, and for memory that the core reads in place.
  bool is_fetched_ahead(int steps) const;
  // Writes the ops that allocate slots, semaphores and state. Must be called before the loops.
  void allocate();
  // Writes the ops that start the fetch of a point's block, if it differs from the block fetched
  // last. use() waits for the block.
  void fetch(const ValueMap& point);
  // Writes the ops that the body needs before it uses the block of this point. Input: the wait for
  // the block, and its fetch unless it was fetched ahead. Output: the write-back of the block
  // before it, and with `update` the fetch of this block. From here on the window refers to the
  // block. Memory read in place: no ops, or a copy if a block may exceed the memory; adds an error
  // to expander.diags() if such a window is an output.
  void use(const ValueMap& point);
  // For synchronous moves, at the end of a point: writes the ops that write back and close the open
  // block. No effect if the window is no output.
  void close();
  // After the last step: writes the ops that write back the open block and await all outstanding
  // write-backs. No effect if the window is no output.
  void drain();

 private:
  void use_input(const ValueMap& point);
  void use_output(const ValueMap& point);
  void use_view(const ValueMap& point);
  // opened: number of blocks opened so far. which: index of a slot.
  void open(WindowBlock& b, ValueId opened, const ValueMap& point);
  void refuse_view(WindowBlock& b);
  void copy_view(WindowBlock& b);
  void flush(ValueId opened);        // writes back the open block
  void await_stored(ValueId which);  // waits for the last write-back from the slot
  ValueId allocate_slots();
  ValueId allocate_semaphore(const char* suffix);
  void allocate_state();
  // Loads a number of its state by position.
  ValueId number(std::int64_t at) { return scratch_.load_number(state_, from_ + at); }
  void set_number(std::int64_t at, ValueId value) {
    scratch_.store_number(state_, from_ + at, value);
  }
  ValueId slot_of(ValueId count);  // index of the slot of block number `count`, from 0
  // Returns the index of the slot in use; `depth`, which is no slot, if the window is off at this
  // point. counter: position of the number of blocks in the state.
  ValueId current(const WindowBlock& b, std::int64_t counter);
  // Returns a slot, or its part that is filled by a clipped block. clip: null: the whole slot.
  Slice slot(ValueId which, const WindowBlock* clip);
  Slice semaphore(ValueId sem, ValueId which);
  // Emits the condition that the window is on and the block's start differs from the start in the
  // state at `at`, or `first` holds. remember() stores the start there.
  ValueId changed(const WindowBlock& b, std::int64_t at, ValueId first);
  void remember(const WindowBlock& b, std::int64_t at);
  // Returns the index in the state of the byte count of slot `which`.
  ValueId bytes_at(ValueId which);
  void here();  // statements that follow belong to the window's statement
  // Executes the ops emitted by `write` if the condition holds. A constant condition needs no `if`.
  template <typename Write>
  void when(ValueId condition, Write write) {
    const auto known = builder_.program().constant(condition);
    if (known && *known == 0) return;
    if (!known) builder_.emit(If{condition});
    write();
    if (!known) builder_.emit(End{});
  }

  Expander& expander_;
  Builder& builder_;
  const Program& old_;
  PipelineScratch& scratch_;
  const PipelineWindow& part_;
  const ValueMap& around_;
  const Stmt& stmt_;
  const Window& window_;
  WindowBlocks blocks_;
  ValueId slots_ = no_value;  // buffer [depth, block]
  // Semaphores [depth] for bytes fetched and for bytes written back.
  ValueId landed_ = no_value, stored_ = no_value;
  ValueId state_ = no_value;  // smem; layout: see the .cpp
  std::int64_t from_ = 0;     // index of its first number in state_
  bool is_at_once_ = false;   // true: uses one slot and no waits
};

}  // namespace tessera
