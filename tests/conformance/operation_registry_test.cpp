// The rows M2, M3, M11, M15 and M16 of ejKernel's module layer: names of operations and platforms,
// and the registry of implementations.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "devices/devices.h"
#include "tests/conformance/operation_case.h"

namespace tessera {
namespace {

using operation::Config;
using operation::Example;
using operation::expect_error;

TEST(Operation, M2_the_operation_has_an_id_for_each_algorithm) {
  EXPECT_EQ(GroupedMatmul().op_id(), "grouped_matmul");
  EXPECT_EQ(GroupedMatmul(true).op_id(), "grouped_matmulv2");
}

TEST(Operation, M3_an_implementation_is_looked_up_by_platform_and_backend) {
  Config config;
  config.platform = Platform("interpreter");
  const auto found = GroupedMatmul().get_impl(config);
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)->platform, Platform("interpreter"));
  config.platform = Platform::Triton;
  expect_error(GroupedMatmul().get_impl(config), ErrorCode::invalid_value,
               "No implementation found for algorithm=grouped_matmul, platform=triton, "
               "backend=any");
}

TEST(Operation, M11_platforms_have_the_sources_names) {
  for (const char* known : {"triton", "pallas", "cuda", "xla", "auto"}) {
    ASSERT_TRUE(parse_platform(known));
    EXPECT_EQ(name(*parse_platform(known)), known);
  }
  expect_error(
      parse_platform("rocm"), ErrorCode::invalid_value,
      "'rocm' is not a platform: expected one of auto, triton, pallas, xla, cuda, interpreter, "
      "threads, mpi, reference");
  // Auto is the best that is registered and here; a name is itself.
  EXPECT_EQ(*kernel_registry().detect_platform("grouped_matmul", Platform::Xla), Platform::Xla);
  const auto detected = kernel_registry().detect_platform("grouped_matmul", Platform::Auto);
  ASSERT_TRUE(detected);
  EXPECT_TRUE(*detected == Platform("cuda") || *detected == Platform("interpreter"));
  Example example(32, 16, 16, {32});
  example.call.platform = Platform("cuda");
  expect_error(example.run(), ErrorCode::invalid_value,
               "interpret asks for the interpreter, and the platform is cuda");
}

Expected<GroupedMatmulRun> other(const Tensor&, const Tensor&, const Tensor&,
                                 const GroupedMatmulOptions&) {
  return error("other");
}
Expected<GroupedMatmulRun> another(const Tensor&, const Tensor&, const Tensor&,
                                   const GroupedMatmulOptions&) {
  return error("another");
}

TEST(Operation, M15_specs_are_kept_by_priority_and_looked_up_once) {
  KernelRegistry registry;
  const auto add = [&](Platform platform, Backend backend, const char* algorithm,
                       GroupedImplementation f, int priority) {
    return registry.add({platform, backend, algorithm, f, priority, {}});
  };
  EXPECT_TRUE(add(Platform::Xla, Backend::Any, "Product", other, 0));
  EXPECT_TRUE(add(Platform::Pallas, Backend::Tpu, "product", other, 5));
  EXPECT_TRUE(add(Platform::Pallas, Backend::Tpu, "product", another, 5));
  EXPECT_TRUE(add(Platform("cuda"), Backend::Gpu, "product", other, 7));
  EXPECT_TRUE(add(Platform("cuda"), Backend::Gpu, "again", other, 7));
  const Expected<void> twice = add(Platform("cuda"), Backend::Gpu, "PRODUCT", other, 1);
  ASSERT_FALSE(twice);
  ASSERT_EQ(twice.diags().size(), 1u);
  EXPECT_EQ(twice.diags()[0].message, "product is registered twice for platform=cuda, backend=gpu");

  EXPECT_EQ(registry.list_algorithms(), (std::vector<std::string>{"again", "product"}));
  const auto specs = registry.list_implementations("product");
  ASSERT_TRUE(specs);
  EXPECT_EQ((*specs)[0].platform, Platform("cuda"));
  EXPECT_EQ((*specs)[1].implementation, other);  // registered before its equal
  EXPECT_EQ((*specs)[2].implementation, another);
  EXPECT_EQ((*specs)[3].platform, Platform::Xla);

  EXPECT_EQ((*registry.get("product"))->platform, Platform("cuda"));
  EXPECT_EQ((*registry.get("product", Platform::Pallas))->implementation, other);
  EXPECT_EQ((*registry.get("product", {}, Backend::Tpu))->platform, Platform::Pallas);
  EXPECT_EQ((*registry.get("product", {}, Backend::Any))->platform, Platform::Xla);
  // Any is no wildcard; where nothing is for any backend the platform's own is asked, once.
  EXPECT_EQ((*registry.get("product", Platform("cuda"), Backend::Any))->platform, Platform("cuda"));
  // The best of those that are here: a device that is not here is passed by.
  const bool has_gpu = find_device(Platform("cuda"))->available().ok;
  EXPECT_EQ((*registry.get("product", Platform::Auto))->platform,
            has_gpu ? Platform("cuda") : Platform::Pallas);
  expect_error(registry.get("none"), ErrorCode::invalid_value,
               "No implementation found for algorithm: none");
  expect_error(registry.get("product", Platform::Triton, Backend::Gpu), ErrorCode::invalid_value,
               "No implementation found for algorithm=product, platform=triton, backend=gpu");
  // The case on which the original never returned.
  expect_error(registry.get("again", Platform::Xla, Backend::Any), ErrorCode::invalid_value,
               "No implementation found for algorithm=again, platform=xla, backend=any");
  EXPECT_EQ(kernel_registry().list_algorithms(),
            (std::vector<std::string>{"grouped_matmul", "grouped_matmulv2",
                                      "transposed_grouped_matmul"}));
}

TEST(Operation, M16_implementations_of_one_algorithm_take_the_same) {
  std::vector<std::string> warnings;
  EXPECT_TRUE(*kernel_registry().validate_signatures(std::nullopt, warnings));
  EXPECT_TRUE(warnings.empty());
  KernelRegistry registry;
  const std::vector<Parameter> common = {{"lhs", "Tensor", "", false},
                                         {"tiling", "TilingSpec", "none", true}};
  const auto add = [&](Platform platform, std::vector<Parameter> signature) {
    EXPECT_TRUE(registry.add({platform, Backend::Any, "p", other, 0, std::move(signature)}));
  };
  add(Platform("interpreter"), common);
  add(Platform("cuda"), common);
  EXPECT_TRUE(*registry.validate_signatures("p", warnings));
  add(Platform::Reference, {{"lhs", "Tensor", "", false}});
  add(Platform::Xla, {{"lhs", "Array", "", false}, {"tiling", "TilingSpec", "128", true}});
  EXPECT_FALSE(*registry.validate_signatures("p", warnings));
  EXPECT_EQ(warnings, (std::vector<std::string>{
                          "p: reference differs from interpreter: 1 parameters, expected 2",
                          "p: xla differs from interpreter: lhs is of type Array, expected Tensor",
                          "p: xla differs from interpreter: tiling defaults to 128, expected "
                          "none"}));
  expect_error(registry.validate_signatures("q", warnings), ErrorCode::invalid_value,
               "No implementation found for algorithm: q");
}

}  // namespace
}  // namespace tessera
