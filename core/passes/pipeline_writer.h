// One pipeline as explicit loops. The loops walk the grid `ahead` steps before the body: a step's
// point is queued, its input blocks are fetched, and the point that is `ahead` steps older is
// computed. A second part of the loop nest computes what is still queued when the grid has ended,
// so the body stands in the program once.
#pragma once
#include <cstdint>
#include <vector>

#include "core/passes/expand.h"
#include "core/passes/pipeline_parts.h"
#include "core/passes/pipeline_scratch.h"
#include "core/passes/window_writer.h"

namespace tessera {

class PipelineWriter {
 public:
  // `open` is the pipeline's statement; `map` what is defined around it.
  PipelineWriter(Expander& expander, StmtId open, const ValueMap& map);
  void write();

 private:
  using Indices = std::vector<ValueId>;  // of a point, by dimension

  void write_at_once();
  std::size_t open_points();
  void close_points(std::size_t points);
  bool is_end_of_point(std::size_t dim) const;
  void allocate();
  void loops(std::size_t dim, ValueMap& point, ValueId part, Indices& indices);
  ValueId newest(std::size_t dim, ValueId queued);
  void at_point(const Indices& indices);
  void step(const ValueMap& producer, ValueId part, const Indices& indices);
  void queue_point(const Indices& indices);
  void fetch_lesser(ValueId queued, ValueId computed);
  ValueId place_of(ValueId number, std::size_t dim);
  Indices point_at(ValueId number);
  void scalars(StmtId from, StmtId to, ValueMap& map);
  void consume(const ValueMap& point);
  void fetch(const ValueMap& point, int ahead);
  bool is_any_fetched(int ahead) const;
  // The scalar code of the whole grid and of the windows at a point whose indices are given.
  ValueMap evaluate(const Indices& indices);
  void last_scalars(ValueMap& map);
  const Stmt& stmt(StmtId at) const { return old_.body[at]; }
  const std::string& name_of(const PipelineDimension& d) const {
    return old_.value(stmt(d.at).result).name;
  }

  Expander& expander_;
  Builder& builder_;
  const Program& old_;
  PipelineParts parts_;
  bool is_at_once_ = false;
  ValueMap around_;
  LoopId outer_loop_;  // of the source, around the pipeline
  PipelineScratch scratch_;
  std::vector<WindowWriter> windows_;
  ValueId queue_ = no_value;  // smem [ahead + 1, dimensions]: the points not yet computed
  ValueId counts_ =
      no_value;  // smem: points queued, points computed, then one fetch cursor per lesser `ahead`
};

}  // namespace tessera
