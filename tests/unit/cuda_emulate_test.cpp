// The kernel templates and the generated functions run on an emulated multiprocessor: tensor maps,
// swizzles, matrix descriptors, fragments, barriers, proxies and the order of everything are
// checked by results, against the reference and bit for bit on integer fills, over ragged groups,
// poisoned outputs and several timings.
#include <gtest/gtest.h>

#include <numeric>

#include "kernels/check.h"
#include "kernels/fill.h"
#include "kernels/splitmix.h"
#include "tests/unit/cuda_emulator.h"
#include "tests/unit/cuda_support.h"

namespace tessera::cuda {
namespace {

struct Sizes {
  std::vector<std::int64_t> groups;
  std::int64_t m, k, n;
};

// Runs the configuration on one problem after the other, all with one compiled kernel.
class Emulation {
 public:
  explicit Emulation(TestConfiguration configuration, const Mutation* mutation = nullptr)
      : configuration_(std::move(configuration)), mutation_(mutation) {}

  void check(const Sizes& sizes, std::uint64_t seed, Fill kind = Fill::integers) {
    std::string outcome;
    run(sizes, seed, kind, outcome);
    EXPECT_EQ(outcome, "");
  }

  // `outcome`: what the machine objected to, or what is wrong with the result, or nothing.
  void run(const Sizes& sizes, std::uint64_t seed, Fill kind, std::string& outcome) {
    SCOPED_TRACE(configuration_.name() + " m " + std::to_string(sizes.m) + " k " +
                 std::to_string(sizes.k) + " n " + std::to_string(sizes.n) + " seed " +
                 std::to_string(seed));
    const bool is_gmm = configuration_.kernel == "gmm";
    Settings& s = configuration_.settings;
    s["m"] = std::to_string(sizes.m);
    s["k"] = std::to_string(sizes.k);
    s["n"] = std::to_string(sizes.n);
    s["groups"] = s["local_groups"] = std::to_string(sizes.groups.size());
    const Expected<Program> program = make_kernel(configuration_.kernel, s);
    ASSERT_TRUE(program) << render(program.diags());
    const Expected<LoweredKernel> kernel = lower(*program);
    ASSERT_TRUE(kernel) << render(kernel.diags());
    EmulatedKernel& emulated = compiled(*kernel);
    ASSERT_EQ(emulated.problem(), "");

    // Operands as the program declares them, in the order in which they lie in memory.
    std::map<std::string, Tensor> tensors;
    std::map<int, void*> memory;
    for (std::size_t b = 0; b < program->buffers.size(); ++b) {
      const Buffer& buffer = program->buffers[b];
      if (buffer.role == Role::scratch) continue;
      Shape shape = buffer.shape;
      if (!buffer.order.empty()) {
        for (std::size_t d = 0; d < shape.size(); ++d)
          shape[d] = buffer.shape[static_cast<std::size_t>(buffer.order[d])];
      }
      Tensor& tensor = tensors[buffer.role == Role::out ? "out" : buffer.name] =
          Tensor(buffer.dtype, shape);
      memory[static_cast<int>(b)] = tensor.data();
      if (buffer.role == Role::out)
        std::memset(tensor.data(), 0xFF, static_cast<std::size_t>(tensor.bytes()));
    }
    const std::int64_t terms = is_gmm ? sizes.k : sizes.m;
    fill(tensors["lhs"], kind, FillRole::lhs, terms, seed);
    fill(tensors["rhs"], kind, FillRole::rhs, terms, seed + 1);
    if (tensors.contains("existing_out"))
      fill(tensors["existing_out"], kind, FillRole::existing, terms, seed + 2);
    for (std::size_t g = 0; g < sizes.groups.size(); ++g) {
      tensors["group_sizes"].as<std::int32_t>()[g] = static_cast<std::int32_t>(sizes.groups[g]);
    }
    const int blocks = 1 + static_cast<int>(seed % 3);
    outcome = emulated.run(*kernel, memory, blocks, seed, seed % 2 == 0);
    if (!outcome.empty()) return;
    if (emulated.error != 0) outcome = "the error word is " + std::to_string(emulated.error);
    if (!outcome.empty()) return;

    GroupedProblem problem;
    problem.lhs = &tensors["lhs"];
    problem.rhs = &tensors["rhs"];
    problem.group_sizes = sizes.groups;
    problem.local_groups = static_cast<std::int64_t>(sizes.groups.size());
    problem.transpose_rhs = is_gmm && s["transpose_rhs"] == "1";
    if (tensors.contains("existing_out")) problem.existing = &tensors["existing_out"];
    problem.accumulate = s["existing"] != "2";
    CheckOptions options;
    options.values = kind == Fill::integers ? Arithmetic::Values::whole : Arithmetic::Values::any;
    const Verdict verdict = (is_gmm ? check_gmm : check_tgmm)(problem, tensors["out"], options);
    if (!verdict.ok) outcome = verdict.message;
  }

 private:
  EmulatedKernel& compiled(const LoweredKernel& kernel) {
    if (!kernel_ || source_ != kernel.source)
      kernel_ = std::make_unique<EmulatedKernel>(kernel, mutation_);
    source_ = kernel.source;
    return *kernel_;
  }

  TestConfiguration configuration_;
  const Mutation* mutation_;
  std::string source_;
  std::unique_ptr<EmulatedKernel> kernel_;
};

class CudaEmulate : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the emulation switches stacks, which the address sanitizer does not follow";
#endif
  }
};

const Sizes ragged{
    {5, 0, 130, 64, 1, 0, 63}, 300, 200, 328};  // tails in k and n, rows after the groups
const Sizes full{{128, 256}, 384, 256, 256};    // nothing but whole tiles

TEST_F(CudaEmulate, gmm_on_ragged_groups) {
  Emulation kernel(gmm_configuration(128, 256, 4, "bf16", "bf16", 0));
  kernel.check(ragged, 1);
  kernel.check(ragged, 2, Fill::normal);
  kernel.check(full, 4);
  kernel.check({{0, 0, 0}, 40, 64, 256}, 3);  // every row is nobody's
  kernel.check({{1, 2, 3, 4, 5, 6, 7, 8}, 36, 72, 264}, 5);
}

TEST_F(CudaEmulate, gmm_with_transposed_weights) {
  Emulation kernel(gmm_configuration(128, 256, 4, "f16", "f32", 1));
  kernel.check(ragged, 11);
  kernel.check(full, 12, Fill::normal);
}

TEST_F(CudaEmulate, gmm_with_two_row_pieces_for_each_consumer) {
  Emulation kernel(gmm_configuration(256, 128, 4, "bf16", "f32", 0));
  kernel.check(ragged, 21);
  kernel.check(full, 22);
}

TEST_F(CudaEmulate, gmm_with_one_consumer) {
  Emulation kernel(gmm_configuration(64, 128, 3, "bf16", "bf16", 1));
  kernel.check(ragged, 31);
  kernel.check({{64}, 64, 640, 128}, 32);  // more steps than stages
}

TEST_F(CudaEmulate, gmm_with_existing_rows) {
  Emulation added(gmm_configuration(128, 128, 4, "bf16", "bf16", 1, 1));
  added.check(ragged, 41);
  Emulation replaced(gmm_configuration(128, 128, 4, "bf16", "f32", 0, 2));
  replaced.check(ragged, 42);
}

TEST_F(CudaEmulate, sizes_over_m_are_reported) {
  std::string outcome;
  Emulation(gmm_configuration(64, 128, 3, "bf16", "bf16", 1))
      .run({{20, 30}, 40, 64, 128}, 71, Fill::integers, outcome);
  EXPECT_EQ(outcome, "the error word is 50");
}

// Each mistake in the protocol must be seen, at one of a few timings.
TEST_F(CudaEmulate, mistakes_are_seen) {
  const std::vector<Mutation> mutations = {
      {"consume.cuh", "ptx::product_wait<1>()",
       "ptx::product_wait<2>()"},  // a slot is released too early
      {"consume.cuh", "if (held >= 0) release<C>(memory, held);\n      held",
       "held"},                                         // slots are not released
      {"produce.cuh", "ring.phase ^ 1", "ring.phase"},  // the wrong phase
      {"produce.cuh", "u32 bytes = Right::bytes;", "u32 bytes = Right::bytes + 16;"},
      {"epilogue.cuh", "  ptx::fence_async();\n  staging.sync();", "  staging.sync();"},
      {"epilogue.cuh", "  ptx::fence_async();\n  staging.sync();", "  ptx::fence_async();"},
      {"epilogue.cuh", "    if (leader()) ptx::store_wait_read<Layout::staging_buffers - 1>();\n",
       ""},
      {"epilogue.cuh", "row < begin || row >= end ||", ""},           // the neighbours' rows
      {"shape.cuh", "(offset >> 3) & 0x70", "(offset >> 3) & 0x30"},  // another swizzle
      {"shape.cuh", "k_major ? 16 : box_bytes", "k_major ? 16 : box_bytes / 2"},  // another layout
  };
  for (const Mutation& mutation : mutations) {
    Emulation kernel(gmm_configuration(128, 256, 2, "bf16", "bf16", 0), &mutation);
    std::string outcome;
    for (std::uint64_t seed = 81; seed < 85 && outcome.empty(); ++seed) {
      kernel.run({{5, 130}, 140, 328, 520}, seed, Fill::integers, outcome);
      if (HasFatalFailure()) return;
    }
    EXPECT_NE(outcome, "") << mutation.file << ": " << mutation.from << " -> " << mutation.to;
  }
  const Mutation fragment{"epilogue.cuh", "(r / 2 % 2) * 8", "(r % 2) * 8"};
  std::string outcome;
  Emulation(gmm_configuration(128, 128, 2, "bf16", "bf16", 1, 1), &fragment)
      .run({{5, 130}, 140, 72, 136}, 91, Fill::integers, outcome);
  EXPECT_NE(outcome, "");
  const Mutation unfilled{"consume.cuh", "ptx::zero_shared(operands",
                          "if (false) ptx::zero_shared(operands"};
  outcome.clear();
  Emulation(tgmm_configuration(128, 128, 4, "bf16", "f32"), &unfilled)
      .run({{5, 70}, 80, 136, 136}, 92, Fill::integers, outcome);
  EXPECT_NE(outcome, "");
}

TEST_F(CudaEmulate, gmm_on_few_rows_with_swapped_operands) {
  Emulation narrow(gmm_configuration(16, 128, 6, "bf16", "bf16", 1));
  narrow.check({{3, 16, 0, 17, 1}, 40, 200, 328}, 51);
  narrow.check({{16, 32}, 48, 256, 256}, 52);
  Emulation wide(gmm_configuration(8, 128, 6, "bf16", "f32", 0));
  wide.check({{3, 8, 0, 17, 1}, 40, 200, 328}, 53);
}

TEST_F(CudaEmulate, tgmm_on_ragged_groups) {
  Emulation kernel(tgmm_configuration(128, 256, 4, "bf16", "f32"));
  kernel.check({{5, 0, 130, 64, 1, 0, 63}, 300, 200, 264}, 61);
  kernel.check({{5, 0, 130, 64, 1, 0, 63}, 300, 200, 264}, 62, Fill::normal);
  Emulation half(tgmm_configuration(256, 128, 4, "bf16", "bf16", 1));
  half.check({{100, 28}, 130, 264, 136}, 63);
}

}  // namespace
}  // namespace tessera::cuda
