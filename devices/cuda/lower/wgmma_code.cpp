#include "devices/cuda/lower/wgmma_code.h"

#include <fmt/format.h>

#include "devices/cuda/lower/source_template.h"
#include "devices/cuda/templates/shape.cuh"

namespace tessera::cuda {
namespace {

// One function. fresh: overwrites the sums without reading them.
std::string function(const ProductTypes& types, int columns, bool fresh) {
  const int sums = columns / 2;
  const bool has_bytes = size_of(types.left) == 1;
  std::string places, registers;
  for (int i = 0; i < sums; ++i) {
    places += fmt::format("{}%{}", i == 0 ? "" : i % 16 == 0 ? ", \"\n      \"" : ", ", i);
    registers += fmt::format("{}\"{}f\"(sums[{}])",
                             i == 0       ? ""
                             : i % 8 == 0 ? ",\n        "
                                          : ", ",
                             fresh ? "=" : "+", i);
  }
  // One-byte operands are contiguous along k, so the instruction has no layout bits for them.
  const std::string layouts =
      has_bytes ? ""
                : fmt::format(", {}, {}", types.left_k_major ? 0 : 1, types.right_k_major ? 0 : 1);
  return fill(R"(TESSERA_DEVICE void @name@(float (&sums)[@sums@], u64 left, u64 right) {
#ifdef TESSERA_EMULATED
  ptx::product<@columns@, ptx::Element::@left@, ptx::Element::@right@, @left_k_major@,
               @right_k_major@, @fresh@>(sums, left, right);
#else
  asm volatile(
      "{.reg .pred p; setp.@adds@.b32 p, 0, 0; "
      "wgmma.mma_async.sync.aligned.m64n@columns@k@depth@.f32.@left@.@right@ "
      "{@places@}, "
      "%@left_place@, %@right_place@, p, 1, 1@layouts@;}"
      : @registers@
      : "l"(left), "l"(right));
#endif
}
)",
              {{"name", fresh ? "first_product" : "product"},
               {"sums", std::to_string(sums)},
               {"columns", std::to_string(columns)},
               {"depth", std::to_string(step_bytes / size_of(types.left))},
               {"left", std::string(name(types.left))},
               {"right", std::string(name(types.right))},
               {"left_k_major", types.left_k_major ? "true" : "false"},
               {"right_k_major", types.right_k_major ? "true" : "false"},
               {"fresh", fresh ? "true" : "false"},
               // Predicate p enables reading the sums; 0 != 0 is always false.
               {"adds", fresh ? "ne" : "eq"},
               {"places", places},
               {"left_place", std::to_string(sums)},
               {"right_place", std::to_string(sums + 1)},
               {"layouts", layouts},
               {"registers", registers}});
}

}  // namespace

std::string wgmma_code(const ProductTypes& types, int columns) {
  std::string text =
      "// sums += left . right, or first_product: sums = left . right; executed by a warpgroup, "
      "finished at a\n// product_wait.\n"
      "#pragma once\n"
      "#include \"devices/cuda/templates/ptx.cuh\"\n\n"
      "namespace tessera::cuda {\n\n" +
      function(types, columns, false);
  if (size_of(types.left) == 1) text += "\n" + function(types, columns, true);
  return text + "\n}  // namespace tessera::cuda\n";
}

}  // namespace tessera::cuda
