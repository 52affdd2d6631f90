#include "devices/cuda/lower/wgmma_code.h"

#include <fmt/format.h>

namespace tessera::cuda {
namespace {

// One function: `fresh` to write the sums and not read them.
std::string function(const ProductTypes& types, int columns, bool fresh) {
  const int sums = columns / 2;
  const bool is_fp8 = size_of(types.left) == 1;
  std::string places, registers;
  for (int i = 0; i < sums; ++i) {
    places += fmt::format("{}%{}", i == 0 ? "" : i % 16 == 0 ? ", \"\n      \"" : ", ", i);
    registers += fmt::format("{}\"{}f\"(sums[{}])",
                             i == 0       ? ""
                             : i % 8 == 0 ? ",\n        "
                                          : ", ",
                             fresh ? "=" : "+", i);
  }
  // Operands of one byte are contiguous along k, and the instruction has no bits to say otherwise.
  const std::string layouts =
      is_fp8 ? ""
             : fmt::format(", {}, {}", types.left_k_major ? 0 : 1, types.right_k_major ? 0 : 1);
  return fmt::format(
      "TESSERA_DEVICE void {}(float (&sums)[{}], u64 left, u64 right) {{\n"
      "#ifdef TESSERA_EMULATED\n"
      "  ptx::product<{}, ptx::Element::{}, ptx::Element::{}, {}, {}, {}>(sums, left, right);\n"
      "#else\n"
      "  asm volatile(\n"
      "      \"{{.reg .pred p; setp.{}.b32 p, 0, 0; \"\n"
      "      \"wgmma.mma_async.sync.aligned.m64n{}k{}.f32.{}.{} \"\n"
      "      \"{{{}}}, \"\n"
      "      \"%{}, %{}, p, 1, 1{};}}\"\n"
      "      : {}\n"
      "      : \"l\"(left), \"l\"(right));\n"
      "#endif\n"
      "}}\n",
      fresh ? "first_product" : "product", sums, columns, name(types.left), name(types.right),
      types.left_k_major, types.right_k_major, fresh, fresh ? "ne" : "eq", columns,
      32 / size_of(types.left), name(types.left), name(types.right), places, sums, sums + 1,
      layouts, registers);
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
