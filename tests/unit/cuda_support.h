// Kernels that the CUDA tests lower: every tile of the tables, and each layout, type and epilogue.
#pragma once
#include <string>
#include <vector>

#include "core/lang/language.h"
#include "devices/cuda/lower/lower.h"
#include "devices/cuda/model/configuration.h"
#include "devices/cuda/model/grouped_model.h"
#include "kernels/programs/kernels.h"

namespace tessera::cuda {

struct TestConfiguration {
  std::string kernel;
  Settings settings;
  MachineHints hints = {};
  std::string name() const {
    std::string text = kernel;
    for (const char* key : {"tm", "tk", "tn", "T", "U", "transpose_rhs", "existing", "buffers"}) {
      if (const auto found = settings.find(key); found != settings.end())
        text += "_" + found->second;
    }
    if (hints.pairing != Pairing::none)
      text += "_pairs_" + std::string(tessera::name(hints.pairing));
    if (hints.alternate) text += "_alternate";
    if (hints.dynamic) text += "_dynamic";
    if (hints.left != Eviction::normal) text += "_left_" + std::string(tessera::name(hints.left));
    if (hints.right != Eviction::normal)
      text += "_right_" + std::string(tessera::name(hints.right));
    return text;
  }
  TestConfiguration with(const MachineHints& given) const {
    TestConfiguration changed = *this;
    changed.hints = given;
    return changed;
  }
};

inline bool is_fp8(const TestConfiguration& configuration) {
  const std::string& type = configuration.settings.at("T");
  return type == "e4m3" || type == "e5m2";
}

inline constexpr MachineHints row_pairs{.pairing = Pairing::rows};
inline constexpr MachineHints column_pairs{.pairing = Pairing::columns};
inline constexpr MachineHints in_turn{.alternate = true};

inline TestConfiguration gmm_configuration(int tm, int tn, int buffers, const char* in,
                                           const char* out, int transpose_rhs, int existing = 0) {
  const auto t = [](int v) { return std::to_string(v); };
  return {"gmm",
          {{"T", in},
           {"U", out},
           {"m", "300"},
           {"k", "200"},
           {"n", "776"},
           {"groups", "7"},
           {"tm", t(tm)},
           {"tk", "64"},
           {"tn", t(tn)},
           {"buffers", t(buffers)},
           {"align", "1"},
           {"transpose_rhs", t(transpose_rhs)},
           {"existing", t(existing)}}};
}

// FP8: both operands are contiguous along k.
inline TestConfiguration fp8_configuration(int tm, int tn, int buffers, const char* in,
                                           const char* out, int existing = 0) {
  TestConfiguration made = gmm_configuration(tm, tn, buffers, in, out, 1, existing);
  made.settings["tk"] = "128";
  made.settings["k"] = "208";  // rows are a multiple of 16 bytes
  return made;
}

inline TestConfiguration tgmm_configuration(int tk, int tn, int buffers, const char* in,
                                            const char* out, int existing = 0) {
  const auto t = [](int v) { return std::to_string(v); };
  return {"tgmm",
          {{"T", in},
           {"U", out},
           {"m", "300"},
           {"k", "200"},
           {"n", "776"},
           {"groups", "7"},
           {"tm", "64"},
           {"tk", t(tk)},
           {"tn", t(tn)},
           {"buffers", t(buffers)},
           {"existing", t(existing)}}};
}

inline std::vector<TestConfiguration> test_configurations() {
  std::vector<TestConfiguration> all;
  for (const int transpose : {0, 1}) {
    for (const auto& [tm, tn] :
         {std::pair{128, 256}, {256, 128}, {128, 192}, {128, 128}, {64, 256}, {64, 128}}) {
      all.push_back(gmm_configuration(tm, tn, 4, "bf16", "f32", transpose));
    }
    for (const int tm : {8, 16, 32})
      all.push_back(gmm_configuration(tm, 128, 6, "bf16", "f32", transpose));
    all.push_back(gmm_configuration(128, 256, 4, "f16", "f16", transpose));
    all.push_back(gmm_configuration(128, 128, 4, "bf16", "bf16", transpose, 1));
    all.push_back(gmm_configuration(128, 128, 4, "bf16", "f32", transpose, 2));
  }
  for (const auto& [tk, tn] : {std::pair{128, 256}, {256, 128}, {128, 128}})
    all.push_back(tgmm_configuration(tk, tn, 4, "bf16", "f32"));
  const TestConfiguration large = gmm_configuration(128, 256, 4, "bf16", "bf16", 0);
  all.push_back(large.with({.left = Eviction::last, .right = Eviction::first}));
  all.push_back(gmm_configuration(128, 256, 4, "f16", "f32", 1).with(row_pairs));
  all.push_back(gmm_configuration(64, 128, 4, "bf16", "f32", 0).with(in_turn));
  all.push_back(tgmm_configuration(128, 256, 4, "f16", "f32"));
  all.push_back(tgmm_configuration(128, 128, 4, "bf16", "f32", 1));
  all.push_back(fp8_configuration(128, 128, 6, "e5m2", "f32"));
  all.push_back(fp8_configuration(128, 128, 6, "e4m3", "f16", 1));
  all.push_back(fp8_configuration(16, 128, 8, "e4m3", "f32"));
  return all;
}

// Returns the test configuration for a configuration of the tuner.
inline TestConfiguration test_configuration(const KernelConfig& c, bool is_tgmm, int transpose,
                                            const char* in = "bf16") {
  const auto i = [](std::int64_t v) { return static_cast<int>(v); };
  TestConfiguration made =
      is_tgmm
          ? tgmm_configuration(i(c.tiling.k), i(c.tiling.n), i(c.buffers), in, "bf16")
          : gmm_configuration(i(c.tiling.m), i(c.tiling.n), i(c.buffers), in, "bf16", transpose);
  if (c.tiling.k == 128 && !is_tgmm) made.settings["k"] = "208";
  made.settings[is_tgmm ? "tm" : "tk"] = std::to_string(is_tgmm ? c.tiling.m : c.tiling.k);
  made.hints = c.hints;
  return made;
}

// Returns all candidates of the model, with both layouts of the weights for two-byte types.
inline std::vector<TestConfiguration> candidate_configurations() {
  std::vector<TestConfiguration> all;
  for (const KernelConfig& c : gmm_candidates()) {
    for (const int transpose : {0, 1}) all.push_back(test_configuration(c, false, transpose));
  }
  for (const KernelConfig& c : gmm_candidates(1))
    all.push_back(test_configuration(c, false, 1, "e4m3"));
  for (const KernelConfig& c : tgmm_candidates()) all.push_back(test_configuration(c, true, 0));
  return all;
}

inline Expected<LoweredKernel> lowered(const TestConfiguration& configuration) {
  const Expected<Program> program = make_kernel(configuration.kernel, configuration.settings);
  if (!program) return program.diags();
  return lower(*program, configuration.hints);
}

}  // namespace tessera::cuda
