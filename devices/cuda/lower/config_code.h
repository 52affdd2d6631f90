// The constants for the instantiation of the tensor-core templates.
#pragma once
#include "devices/cuda/lower/source_template.h"
#include "devices/cuda/lower/tile_config.h"

namespace tessera::cuda {

// Fills the holes of `struct C` in tensor_core.cu.in. exact_rows: TileFunctions::exact_rows().
void write_config(SourceTemplate& source, const TileConfig& config, bool exact_rows);

}  // namespace tessera::cuda
