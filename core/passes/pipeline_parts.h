// Parts of a pipeline: its grid, its windows and its body. Classifies windows as inputs, outputs
// and views.
#pragma once
#include <cstdint>
#include <vector>

#include "core/program/program.h"

namespace tessera {

// One grid dimension at statement `at`, with the scalar code before it: [from, at).
struct PipelineDimension {
  StmtId from, at;
};

// One window of a pipeline.
struct PipelineWindow {
  StmtId at;             // its statement
  bool is_view = false;  // on memory that the core reads in place
  bool is_output = false, is_input = false;
  int ahead = 0;          // input: number of steps between its fetch and its use
  Shape block;            // extents of the dimensions that are not dropped
  std::vector<int> dims;  // dimensions of the source that are not dropped
};

// The parts of one pipeline.
struct PipelineParts {
  StmtId open, close;  // first and last statement of the pipeline
  StmtId grid_from;    // start of the scalar code of the dimensions and windows
  StmtId body_from;    // after the last window
  std::vector<PipelineDimension> dimensions;
  std::vector<PipelineWindow> windows;
  int ahead = 0;  // max of its windows
};

// Returns the parts of the pipeline that opens at `open`, which must be a Pipeline. Adds errors
// (ErrorCode::unsupported) to `diags` if the pipeline cannot be expanded; the parts must then not
// be expanded.
PipelineParts pipeline_parts(const Program& program, StmtId open, Diags& diags);

}  // namespace tessera
