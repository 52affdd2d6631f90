// One pipeline as explicit loops. The loops walk the grid `ahead` steps before the body: a step's
// point is queued, its input blocks are fetched, and the point that is `ahead` steps older is
// computed. A second part of the loop nest computes what is still queued when the grid has ended,
// so the body stands in the program once.
#pragma once
#include <set>

#include "core/passes/expand.h"

namespace tessera {

class PipelineWriter {
 public:
  // `open` is the pipeline's statement; `map` what is defined around it.
  PipelineWriter(Expander& expander, std::int32_t open, const ValueMap& map);
  void write();

 private:
  // One grid dimension and the scalar code before it, [from, at).
  struct Dimension {
    std::int32_t from, at;
  };
  struct WindowState {
    std::int32_t at = 0;   // its statement
    bool is_view = false;  // of memory that the core reads in place
    bool is_output = false, is_input = false;
    int ahead = 0;              // input: how many steps before its use it is fetched
    ValueId slots = no_value;   // buffer [depth, block]
    ValueId landed = no_value;  // semaphore [depth]: bytes fetched
    ValueId stored = no_value;  // semaphore [depth]: bytes written back
    ValueId state =
        no_value;  // smem: fetched, used, opened, then the starts of the block in use and fetched
    Shape block;
    std::vector<int> dims;     // kept dimensions of the source
    std::vector<bool> inside;  // by dimension of the source: a block never leaves it
  };
  struct Block {                 // where a window stands at one point of the grid
    std::vector<ValueId> start;  // of every dimension of the source
    std::vector<ValueId> size;   // clipped to the operand
    ValueId when = no_value;
    Slice source;  // the clipped rectangle
  };

  void find_parts();
  std::size_t open_points();
  void classify();
  void refuse_early_uses();
  std::set<ValueId> index_memory() const;
  void allocate();
  void release();
  void loops(std::size_t dim, ValueMap& point, ValueId part, std::vector<ValueId>& indices);
  void at_point(const std::vector<ValueId>& indices);
  void step(const ValueMap& producer, ValueId part, const std::vector<ValueId>& indices);
  void scalars(std::int32_t from, std::int32_t to, ValueMap& map);
  void consume(const ValueMap& at_point);
  void body(ValueMap map);
  void fetch(WindowState& w, const ValueMap& at_point);
  void use_input(WindowState& w, const ValueMap& at_point);
  void use_output(WindowState& w, const ValueMap& at_point);
  void use_view(WindowState& w, const ValueMap& at_point);
  void flush(WindowState& w, ValueId opened);
  void drain(WindowState& w);
  // The scalar code of the whole grid and of the windows at a point whose indices are given.
  ValueMap evaluate(const std::vector<ValueId>& indices, const ValueMap& around);
  Block block(const WindowState& w, const ValueMap& at_point);
  ValueId clipped(ValueId start, std::int64_t block, ValueId extent);
  bool divides(ValueId start, std::int64_t block, ValueId extent);
  bool multiple_of(ValueId id, std::int64_t factor);
  void locate(WindowState& w, Block& b, bool check);
  bool always_inside(const WindowState& w) const;
  ValueId current(const WindowState& w, const Block& b, std::int64_t counter);
  Slice slot(const WindowState& w, ValueId which, const Block* clip);
  Slice semaphore(ValueId sem, ValueId which);
  ValueId bytes(const WindowState& w, const Block& b);
  ValueId changed(const WindowState& w, const Block& b, std::int64_t at, ValueId first);
  bool stays(const Block& b) const;
  void remember(const WindowState& w, const Block& b, std::int64_t at);
  ValueId load_number(ValueId array, std::int64_t index, std::string_view name = {}) {
    return load(array, builder_.integer(index), name);
  }
  ValueId load(ValueId array, ValueId index, std::string_view name = {});
  void store(ValueId array, ValueId index, ValueId value);
  void store_number(ValueId array, std::int64_t index, ValueId value) {
    store(array, builder_.integer(index), value);
  }
  ValueId new_array(const std::string& name, Shape shape);
  void alloc(ValueId ref);
  // What `write` emits runs when the condition holds; a known condition needs no `if`.
  template <typename Write>
  void when(ValueId condition, Write write) {
    const auto known = builder_.program().constant(condition);
    if (known && *known == 0) return;
    if (!known) builder_.emit(If{condition});
    write();
    if (!known) builder_.emit(End{});
  }
  void at(const WindowState& w) {
    builder_.at_place(old_.body[static_cast<std::size_t>(w.at)].place);
  }

  Expander& expander_;
  Builder& builder_;
  const Program& old_;
  std::int32_t open_, close_;
  ValueMap around_;
  std::int32_t outer_loop_;  // of the source, around the pipeline
  std::vector<Dimension> dimensions_;
  std::int32_t grid_from_ = 0;  // where the scalar code of the dimensions and windows begins
  std::int32_t body_from_ = 0;  // after the last window
  std::vector<WindowState> windows_;
  int ahead_ = 0;             // the most steps that any window is fetched before its use
  ValueId queue_ = no_value;  // smem [ahead + 1, dimensions]: the points not yet computed
  ValueId counts_ =
      no_value;  // smem: points queued, points computed, then one fetch cursor per lesser `ahead`
  std::vector<ValueId> allocated_;
};

}  // namespace tessera
