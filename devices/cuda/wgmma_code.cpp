#include "devices/cuda/wgmma_code.h"

#include <fmt/format.h>

namespace tessera::cuda {

std::string wgmma_code(DType operand, int columns, bool left_k_major, bool right_k_major) {
  const int sums = columns / 2;
  std::string places, registers;
  for (int i = 0; i < sums; ++i) {
    places += fmt::format("{}%{}", i == 0 ? "" : i % 16 == 0 ? ", \"\n      \"" : ", ", i);
    registers += fmt::format("{}\"+f\"(sums[{}])",
                             i == 0       ? ""
                             : i % 8 == 0 ? ",\n        "
                                          : ", ",
                             i);
  }
  return fmt::format(
      "// sums += left . right; executed by a warpgroup, finished at a product_wait.\n"
      "#pragma once\n"
      "#include \"devices/cuda/templates/ptx.cuh\"\n\n"
      "namespace tessera::cuda {{\n\n"
      "TESSERA_DEVICE void product(float (&sums)[{}], u64 left, u64 right) {{\n"
      "#ifdef TESSERA_EMULATED\n"
      "  ptx::product<{}, {}, {}, {}>(sums, left, right);\n"
      "#else\n"
      "  asm volatile(\n"
      "      \"{{.reg .pred p; setp.eq.b32 p, 0, 0; \"\n"
      "      \"wgmma.mma_async.sync.aligned.m64n{}k16.f32.{}.{} \"\n"
      "      \"{{{}}}, \"\n"
      "      \"%{}, %{}, p, 1, 1, {}, {};}}\"\n"
      "      : {}\n"
      "      : \"l\"(left), \"l\"(right));\n"
      "#endif\n"
      "}}\n\n"
      "}}  // namespace tessera::cuda\n",
      sums, columns, operand == DType::bf16, left_k_major, right_k_major, columns, name(operand),
      name(operand), places, sums, sums + 1, left_k_major ? 0 : 1, right_k_major ? 0 : 1,
      registers);
}

}  // namespace tessera::cuda
