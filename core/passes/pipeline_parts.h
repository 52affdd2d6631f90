// What a pipeline consists of: its grid, its windows and its body, and which of its windows are
// fetched or stored.
#pragma once
#include <cstdint>
#include <vector>

#include "core/program/program.h"

namespace tessera {

// One grid dimension and the scalar code before it, [from, at).
struct PipelineDimension {
  StmtId from, at;
};

struct PipelineWindow {
  StmtId at;             // its statement
  bool is_view = false;  // of memory that the core reads in place
  bool is_output = false, is_input = false;
  int ahead = 0;          // input: how many steps before its use it is fetched
  Shape block;            // of the kept dimensions
  std::vector<int> dims;  // kept dimensions of the source
};

struct PipelineParts {
  StmtId open, close;  // the pipeline's statements
  StmtId grid_from;    // where the scalar code of the dimensions and windows begins
  StmtId body_from;    // after the last window
  std::vector<PipelineDimension> dimensions;
  std::vector<PipelineWindow> windows;
  int ahead = 0;  // the most steps that any window is fetched before its use
};

// Of the pipeline that opens at `open`. Reports what no pipeline can do: then it cannot be written.
PipelineParts pipeline_parts(const Program& program, StmtId open, Diags& diags);

}  // namespace tessera
