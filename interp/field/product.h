// Products of matrices over the field.
#pragma once
#include "interp/field/tile.h"

namespace tessera::fields {

// acc += a . b for row-major matrices of [m, k] and [k, n]; all residues are finite.
void multiply_add(Residue* acc, const Residue* a, const Residue* b, std::int64_t m, std::int64_t k,
                  std::int64_t n, const Modulus& modulus);

}  // namespace tessera::fields
