// Matrix products over the field on a CPU with AVX-512. Eight products take one multiplication and
// one addition of eight lanes, which is the limit of the CPU.
#pragma once
#include "analysis/equality/residues.h"

namespace tessera::fields {

inline constexpr std::int64_t panel_columns = 16;  // per panel of b, also without AVX-512

// True if this CPU has the instructions.
bool has_avx512();
// Like multiply_add (product.h). Requires has_avx512().
void multiply_add_avx512(Residue* acc, const Residue* a, const Residue* b, std::int64_t m,
                         std::int64_t k, std::int64_t n, const Modulus& modulus);

}  // namespace tessera::fields
