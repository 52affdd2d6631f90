// One window of a pipeline: when its block changes, what is fetched, awaited, taken and written
// back.
#pragma once
#include <cstdint>

#include "core/passes/expand.h"
#include "core/passes/pipeline_parts.h"
#include "core/passes/pipeline_scratch.h"
#include "core/passes/window_blocks.h"

namespace tessera {

class WindowWriter {
 public:
  // around: what is defined around the pipeline. All must outlive this.
  WindowWriter(Expander& expander, PipelineScratch& scratch, const PipelineWindow& part,
               const ValueMap& around);

  // Its blocks move at once; its numbers in the state that all windows have begin there.
  void move_at_once(std::int64_t from) {
    is_at_once_ = true;
    from_ = from;
  }
  // An input that is fetched so many steps before its use, of 0 in the step itself.
  bool is_fetched_ahead(int steps) const;
  // In front of the loops: its slots, semaphores and state.
  void allocate();
  // The block of a point, if it is another one than that fetched last.
  void fetch(const ValueMap& point);
  // From here on the window stands for the block of this point.
  void use(const ValueMap& point);
  // At the end of a point, of what moves at once: the open block goes back, and is open no more.
  void close();
  // After the last step: the open block goes back, and every write-back that was not awaited is.
  void drain();

 private:
  void use_input(const ValueMap& point);
  void use_output(const ValueMap& point);
  void use_view(const ValueMap& point);
  void open(WindowBlock& b, ValueId opened, const ValueMap& point);
  void refuse_view(WindowBlock& b);
  void copy_view(WindowBlock& b);
  void flush(ValueId opened);
  void await_stored(ValueId which);
  ValueId allocate_slots();
  ValueId allocate_semaphore(const char* suffix);
  void allocate_state();
  // A number of its state, by its position there.
  ValueId number(std::int64_t at) { return scratch_.load_number(state_, from_ + at); }
  void set_number(std::int64_t at, ValueId value) {
    scratch_.store_number(state_, from_ + at, value);
  }
  ValueId slot_of(ValueId count);
  ValueId current(const WindowBlock& b, std::int64_t counter);
  Slice slot(ValueId which, const WindowBlock* clip);
  Slice semaphore(ValueId sem, ValueId which);
  ValueId changed(const WindowBlock& b, std::int64_t at, ValueId first);
  void remember(const WindowBlock& b, std::int64_t at);
  // Where the bytes of slot `which` are in the state.
  ValueId bytes_at(ValueId which);
  void here();  // what is emitted from here on belongs to the window's statement
  // What `write` emits runs when the condition holds; a known condition needs no `if`.
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
  // Semaphores [depth]: bytes fetched, and bytes written back.
  ValueId landed_ = no_value, stored_ = no_value;
  ValueId state_ = no_value;  // smem, see the .cpp
  std::int64_t from_ = 0;     // of its numbers there
  bool is_at_once_ = false;   // one slot is used, and nothing is awaited
};

}  // namespace tessera
