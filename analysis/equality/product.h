// Matrix products over the field.
#pragma once
#include "analysis/equality/residues.h"

namespace tessera::fields {

// Instructions for the products. All give the same residues.
enum class Lanes : std::uint8_t { one, avx2, avx512 };
bool is_here(Lanes lanes);  // supported by this CPU
Lanes max_lanes();          // the widest that this CPU supports

// Computes acc += a . b for row-major matrices of [m, k] and [k, n]. All residues must be less than
// the prime. lanes: must be supported by this CPU.
void multiply_add(Residue* acc, const Residue* a, const Residue* b, std::int64_t m, std::int64_t k,
                  std::int64_t n, const Modulus& modulus, Lanes lanes = max_lanes());

}  // namespace tessera::fields
