#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <regex>
#include <set>

#include "devices/cuda/lower/source_template.h"
#include "devices/cuda/lower/templates.h"
#include "devices/cuda/runtime/arguments.h"
#include "devices/cuda/runtime/cache.h"
#include "devices/cuda/runtime/compiler_log.h"
#include "devices/cuda/templates/order.cuh"
#include "devices/cuda/templates/shape.cuh"
#include "tests/unit/cuda_support.h"
#include "tests/unit/temporary.h"

namespace tessera::cuda {
namespace {

TEST(CudaLower, another_m_or_count_of_groups_needs_no_other_source) {
  TestConfiguration configuration = gmm_configuration(128, 256, 4, "bf16", "bf16", 0);
  const Expected<LoweredKernel> first = lowered(configuration);
  ASSERT_TRUE(first);
  configuration.settings["m"] = "70000";
  configuration.settings["groups"] = configuration.settings["local_groups"] = "256";
  const Expected<LoweredKernel> second = lowered(configuration);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->source, second->source);
  const LaunchValues nowhere{.operands = Table<BufferId, std::uint64_t>(16)};
  EXPECT_NE(kernel_arguments(first->arguments, nowhere),
            kernel_arguments(second->arguments, nowhere));
  EXPECT_GT(second->array_elements, 4 * 256);
}

// One list is the struct in the source and the bytes of a launch.
TEST(CudaLower, fields_are_printed_and_packed_in_one_order) {
  const std::vector<ArgField> fields = {
      {"TensorMap", "left", FromLaunch::left_map},
      {"i64*", "error", FromLaunch::error},
      {"const float*", "in_1", OperandAddress{BufferId(1)}, "bias"},
      {"i64", "rows", std::int64_t{7}},
      {"i64", "c", std::vector<std::int64_t>{8, 9}}};
  EXPECT_EQ(
      args_struct(fields),
      "  struct Args {\n    TensorMap left;\n    i64* error;\n    const float* in_1;  // bias\n"
      "    i64 rows;\n    i64 c[2];\n  };\n");
  LaunchValues values{.error = 5,
                      .operands = Table<BufferId, std::uint64_t>(std::vector<std::uint64_t>{0, 6})};
  values.left.fill(std::byte{1});
  const std::vector<std::byte> bytes = kernel_arguments(fields, values);
  ASSERT_EQ(bytes.size(), 192u);  // whole tensor maps
  EXPECT_EQ(bytes[127], std::byte{1});
  std::array<std::int64_t, 5> numbers{};
  std::memcpy(numbers.data(), bytes.data() + 128, sizeof numbers);
  EXPECT_EQ(numbers, (std::array<std::int64_t, 5>{5, 6, 7, 8, 9}));
}

TEST(CudaLower, holes_take_lines_where_they_are_alone) {
  EXPECT_EQ(fill("int @name@ = @value@;\n@more@\n@none@\nend\n",
                 {{"name", "x"}, {"value", "1"}, {"more", "a;\nb;\n"}, {"none", ""}}),
            "int x = 1;\na;\nb;\nend\n");
  EXPECT_EQ(indented("if\n  x\n\nend", 2), "  if\n    x\n\n  end");
  EXPECT_DEATH(fill("@one@", {}), "");
  EXPECT_DEATH(fill("none", {{"one", "1"}}), "");
}

TEST(CudaLower, every_configuration_has_a_kernel_that_fits) {
  for (const TestConfiguration& configuration : test_configurations()) {
    const Expected<LoweredKernel> kernel = lowered(configuration);
    ASSERT_TRUE(kernel) << configuration.name() << "\n" << render(kernel.diags());
    ASSERT_TRUE(kernel->tensor_core());
    const TensorCorePlan& plan = *kernel->tensor_core();
    EXPECT_LE(plan.shared_bytes, 232448);
    for (const MapPlan* map : {&plan.left, &plan.right, &plan.result}) {
      ASSERT_EQ(map->extent.size(), map->box.size());
      EXPECT_LE(map->box[0] * map->element_bytes, 128);  // the swizzle's row
      for (const std::int64_t side : map->box) EXPECT_LE(side, 256);
      EXPECT_EQ(map->extent[0] * map->element_bytes % 16, 0);
    }
  }
}

// The operands whose elements the generated functions read, as a reader of the text finds them.
TEST(CudaLower, the_operands_that_are_read_by_element_are_recorded) {
  for (const TestConfiguration& configuration : test_configurations()) {
    const Expected<LoweredKernel> kernel = lowered(configuration);
    ASSERT_TRUE(kernel) << render(kernel.diags());
    std::set<BufferId> found;
    const std::regex name(R"(\bp\.in_(\d+)\b)");
    for (std::sregex_iterator at(kernel->source.begin(), kernel->source.end(), name), end;
         at != end; ++at)
      found.insert(BufferId(std::stoi((*at)[1])));
    EXPECT_EQ(std::vector<BufferId>(found.begin(), found.end()), kernel->tensor_core()->by_element)
        << configuration.name();
  }
}

// Loads are predicated, because a load in a branch would have to complete before the next load
// begins.
TEST(CudaLower, operands_of_the_epilogue_are_read_without_a_branch) {
  TestConfiguration configuration = gmm_configuration(128, 256, 4, "bf16", "bf16", 0);
  configuration.settings["existing"] = "1";
  const Expected<LoweredKernel> kernel = lowered(configuration);
  ASSERT_TRUE(kernel);
  EXPECT_NE(kernel->source.find("load_bf16(ptx::load_if("), std::string::npos);
  EXPECT_FALSE(std::regex_search(kernel->source, std::regex(R"(\? load_)")));
}

TEST(CudaLower, too_many_stages_are_refused_with_the_number_that_fits) {
  TestConfiguration configuration = gmm_configuration(128, 256, 5, "bf16", "bf16", 0);
  const Expected<LoweredKernel> kernel = lowered(configuration);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.diags()[0].code, ErrorCode::unsupported);
  EXPECT_EQ(kernel.diags()[0].message,
            "5 buffers of 49152 bytes do not fit the shared memory; at most 4 do");
}

TEST(CudaOrder, every_tile_comes_once) {
  for (const TileGrid& grid :
       {TileGrid{1, 1, 1}, {1, 17, 3}, {3, 8, 8}, {2, 7, 5}, {1, 100, 1}, {4, 1, 9}}) {
    for (const int band : {1, 3, 8, 16}) {
      std::set<std::tuple<int, int, int>> seen;
      for (int i = 0; i < tile_count(grid); ++i) {
        const TilePoint at = tile_at(grid, band, i);
        EXPECT_TRUE(at.outer >= 0 && at.outer < grid.outer && at.row >= 0 && at.row < grid.rows &&
                    at.column >= 0 && at.column < grid.columns);
        seen.insert({at.outer, at.row, at.column});
      }
      EXPECT_EQ(static_cast<int>(seen.size()), grid.outer * grid.rows * grid.columns);
    }
  }
  EXPECT_EQ(tile_count({1, 0, 5}), 0);
}

TEST(CudaOrder, a_band_is_walked_before_the_next_one) {
  const TileGrid grid{1, 20, 6};
  for (int i = 0; i < tile_count(grid); ++i)
    EXPECT_EQ(tile_at(grid, 8, i).row / 8, i < 96 ? i / 48 : 2);
}

TEST(CudaShape, scalars_divide_as_the_language_does) {
  EXPECT_EQ(floor_div(-7, 2), -4);
  EXPECT_EQ(floor_mod(-7, 2), 1);
  EXPECT_EQ(tiles_of(7, 2), 4);
  EXPECT_EQ(tiles_of(-7, 2), -3);
  EXPECT_EQ(floor_div(5, 0), 0);
  const int sorted[] = {0, 3, 3, 7};
  EXPECT_EQ(search_right(sorted, 4, 3), 3);
  EXPECT_EQ(search_right(sorted, 4, -1), 0);
  EXPECT_EQ(search_right(sorted, 4, 9), 4);
}

TEST(CudaLog, figures_and_objections) {
  const std::string good =
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 4 barriers\n";
  EXPECT_EQ(objection(read_log(good), 384, 4), "");
  EXPECT_EQ(objection(read_log(good), 512, 4), "168 registers, more than 128");
  EXPECT_EQ(objection(read_log(good), 384, 3),
            "4 barriers are used, and 3 are named: the number of a barrier is in a register");
  EXPECT_EQ(objection(read_log(""), 384, 4), "the log has no register count");
  const std::string serialised = good +
                                 "ptxas info    : (C7511) Potential Performance Loss: "
                                 "wgmma.mma_async instructions are serialized\n";
  EXPECT_NE(objection(read_log(serialised), 384, 4).find("C7511"), std::string::npos);
  const std::string spilled =
      "8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\nUsed 168 registers\n";
  EXPECT_EQ(objection(read_log(spilled), 384, 4),
            "8 bytes of stack, 12 of spill stores, 16 of spill loads");
}

// Ordering for the whole cluster is a fence of the whole GPU in machine code: once when a tile's
// number is handed on, and at the cluster's barrier; never in a step.
TEST(CudaTemplates, steps_order_nothing_for_the_cluster) {
  const auto count = [](std::string_view text, std::string_view word) {
    int found = 0;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  for (std::size_t i = 0; i < embedded_template_count; ++i) {
    const std::string name = embedded_templates[i].name, text = embedded_templates[i].text;
    const bool defines = name == "ptx.cuh", hands_on = name == "take.cuh";
    EXPECT_EQ(count(text, "arrive.release.cluster"), defines ? 1 : 0)
        << name;  // barrier_publish_at
    EXPECT_EQ(count(text, "acq_rel.cluster"), 0) << name;
    EXPECT_EQ(count(text, "barrier_publish_at("), defines || hands_on ? 1 : 0) << name;
    EXPECT_EQ(count(text, "barrier_wait_cluster("), defines || hands_on ? 1 : 0) << name;
  }
}

TEST(CudaCache, a_kernel_comes_back_as_it_was_and_no_other_source_gets_it) {
  CompiledKernel kernel;
  kernel.log = "log\n";
  kernel.cubin = std::string(
      "\x7f"
      "ELF\0code",
      9);
  const std::string bytes = packed("source\nof it", kernel);
  const auto found = unpacked("source\nof it", bytes);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->log, kernel.log);
  EXPECT_EQ((*found)->cubin, kernel.cubin);
  EXPECT_TRUE((*found)->cached);
  const auto other = unpacked("source\nof them", bytes);
  ASSERT_TRUE(other);
  EXPECT_FALSE(*other);
}

TEST(CudaCache, no_changed_bit_and_no_missing_byte_is_taken) {
  CompiledKernel kernel;
  kernel.cubin = "code";
  const std::string bytes = packed("source", kernel);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_FALSE(unpacked("source", bytes.substr(0, i))) << i;
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      EXPECT_FALSE(unpacked("source", changed)) << i << " bit " << bit;
    }
  }
  EXPECT_FALSE(unpacked("source", bytes + "x"));
}

// The sum of these sizes is right where it overflows.
TEST(CudaCache, sizes_that_overflow_are_refused) {
  for (const std::string sizes :
       {"9 18446744073709551613 0", "18446744073709551615 7 0", "6 18446744073709551610 10",
        "18446744073709551616 0 0", "-1 7 0", "6 0", "", "6 0 0 0x"}) {
    const std::string content = sizes + "\nsource";
    const auto found = unpacked("source", "tessera-cubin-2 " + cache_key(content) + "\n" + content);
    EXPECT_TRUE(!found || sizes == "6 0 0 0x") << sizes;
  }
}

}  // namespace
}  // namespace tessera::cuda
