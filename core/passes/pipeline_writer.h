// Writes one pipeline as explicit loops. The loops run `ahead` grid points ahead of the body: each
// step queues its point, fetches the input blocks of this point, and computes the point that was
// queued `ahead` steps earlier. A second part of the loop nest computes the points that are still
// queued after the last grid point. The body is therefore written only once.
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
  // open: statement of the pipeline. map: values defined around it; it is copied. `expander` must
  // outlive this object.
  PipelineWriter(Expander& expander, StmtId open, const ValueMap& map);
  // Writes the pipeline to expander.builder(), or adds errors to expander.diags() if it cannot be
  // expanded. Must be called only once.
  void write();

 private:
  using Indices = std::vector<ValueId>;  // index of a point per dimension

  // dim: index of a grid dimension. part: 0 for the loops over the grid, 1 for those over the
  // points that are still queued; no_value without a queue. queued, computed: number of points so
  // far.
  void write_at_once();
  std::size_t open_points();  // returns the number of loops opened, for close_points()
  void close_points(std::size_t points);
  bool is_end_of_point(std::size_t dim) const;
  void allocate();
  void loops(std::size_t dim, ValueMap& point, ValueId part, Indices& indices);
  ValueId newest(std::size_t dim, ValueId queued);  // index of the point queued last
  void at_point(const Indices& indices);            // statements that follow belong to this point
  void step(const ValueMap& producer, ValueId part, const Indices& indices);
  void queue_point(const Indices& indices);
  void fetch_lesser(ValueId queued, ValueId computed);
  // Return the position in the queue of one index of the point with that number (from 0), and all
  // indices of the point.
  ValueId place_of(ValueId number, std::size_t dim);
  Indices point_at(ValueId number);
  void scalars(StmtId from, StmtId to, ValueMap& map);
  void consume(const ValueMap& point);
  void fetch(const ValueMap& point, int ahead);
  bool is_any_fetched(int ahead) const;
  // Emits the scalar code of the whole grid and of the windows, for a point with these indices.
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
  LoopId outer_loop_;  // loop of the source around the pipeline
  PipelineScratch scratch_;
  std::vector<WindowWriter> windows_;
  ValueId queue_ = no_value;  // smem [ahead + 1, dimensions]: points not yet computed
  // smem: number of points queued, points computed, then one fetch cursor per smaller `ahead`.
  ValueId counts_ = no_value;
};

}  // namespace tessera
