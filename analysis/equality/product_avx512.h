// Products of matrices over the field on a CPU with AVX-512: at most one multiplication and one
// addition of eight lanes for eight products, which is what the CPU can do.
#pragma once
#include "analysis/equality/residues.h"

namespace tessera::fields {

// Whether this CPU has the instructions.
bool has_avx512();
// As multiply_add (product.h).
void multiply_add_avx512(Residue* acc, const Residue* a, const Residue* b, std::int64_t m,
                         std::int64_t k, std::int64_t n, const Modulus& modulus);

}  // namespace tessera::fields
