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

  // An input that is fetched so many steps before its use, of 0 in the step itself.
  bool is_fetched_ahead(int steps) const;
  // In front of the loops: its slots, semaphores and state.
  void allocate();
  // The block of a point, if it is another one than that fetched last.
  void fetch(const ValueMap& point);
  // From here on the window stands for the block of this point.
  void use(const ValueMap& point);
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
  ValueId slots_ = no_value;   // buffer [depth, block]
  ValueId landed_ = no_value;  // semaphore [depth]: bytes fetched
  ValueId stored_ = no_value;  // semaphore [depth]: bytes written back
  ValueId state_ = no_value;   // smem, see the .cpp
};

}  // namespace tessera
