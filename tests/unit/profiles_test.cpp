#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "devices/profiles/profile.h"

namespace tessera {
namespace {

Expected<std::vector<Profile>> parse(std::string text) {
  return parse_profiles(std::make_shared<const Source>(Source{"my.profile", std::move(text)}));
}

std::string first_error(std::string text) {
  const auto result = parse(std::move(text));
  if (result) return "";
  const Diag& diag = result.diags()[0];
  return std::to_string(diag.loc.line) + ":" + std::to_string(diag.loc.column) + " " + diag.message;
}

TEST(Profiles, built_in_ones_are_there_by_name) {
  for (const char* name :
       {"v4", "v5e", "mosaic", "mosaic_v5e", "v5p", "v6e", "7x", "h100", "h200", "b200"}) {
    const Expected<Profile> profile = find_profile(name);
    ASSERT_TRUE(profile) << name;
    EXPECT_EQ(profile->machine.name, name);
    EXPECT_GT(profile->machine.vmem_bytes, 0);
    EXPECT_GT(profile->machine.smem_bytes, 0);
    EXPECT_GT(profile->machine.hbm_bytes, 0);
    EXPECT_GT(profile->machine.semaphores, 0);
    EXPECT_GT(profile->machine.matmul_flops, 0);
    EXPECT_GT(profile->machine.hbm_bandwidth, 0);
  }
  EXPECT_EQ(profiles().size(), 10u);
  ASSERT_TRUE(find_profile(default_profile));
}

TEST(Profiles, v5e_has_its_published_figures) {
  const MachineProfile v5e = find_profile("v5e")->machine;
  EXPECT_EQ(v5e.vmem_bytes, 128LL << 20);
  EXPECT_EQ(v5e.smem_bytes, 1LL << 20);
  EXPECT_EQ(v5e.hbm_bytes, 16'000'000'000);
  EXPECT_EQ(v5e.matrix_unit, 128);
  EXPECT_EQ(v5e.matmul_flops, 1.97e14);
  EXPECT_TRUE(v5e.power_of_two_routes);
  EXPECT_TRUE(v5e.remote_vmem);
  EXPECT_FALSE(find_profile("v5p")->machine.power_of_two_routes);
  EXPECT_FALSE(find_profile("mosaic")->machine.power_of_two_routes);
  EXPECT_TRUE(find_profile("mosaic_v5e")->machine.power_of_two_routes);
  EXPECT_EQ(find_profile("v6e")->machine.matrix_unit, 256);
}

TEST(Profiles, gpus_receive_in_device_memory_only) {
  for (const char* name : {"h100", "h200", "b200"}) {
    const MachineProfile gpu = find_profile(name)->machine;
    EXPECT_FALSE(gpu.remote_vmem) << name;
    EXPECT_FALSE(gpu.remote_smem) << name;
    EXPECT_EQ(gpu.vmem_bytes, 227 * 1024) << name;
  }
  EXPECT_EQ(find_profile("h200")->machine.hbm_bytes, 141'000'000'000);
}

TEST(Profiles, an_unknown_name_lists_the_known_ones) {
  const Expected<Profile> none = find_profile("v9");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.diags()[0].message,
            "no profile v9; there are v4, v5e, mosaic, mosaic_v5e, v5p, v6e, 7x, h100, h200, b200");
}

TEST(Profiles, a_user_profile_starts_from_a_built_in_one) {
  const auto mine =
      parse("# a small chip\nprofile tiny\n  like v5e\n  vmem 64 KiB\n  tiling 8,16,32  # fits\n");
  ASSERT_TRUE(mine) << mine.diags()[0].message;
  ASSERT_EQ(mine->size(), 1u);
  EXPECT_EQ((*mine)[0].machine.name, "tiny");
  EXPECT_EQ((*mine)[0].machine.vmem_bytes, 64 * 1024);
  EXPECT_EQ((*mine)[0].machine.hbm_bytes, 16'000'000'000);
  EXPECT_EQ((*mine)[0].tiling, (Tiling{8, 16, 32}));
}

TEST(Profiles, mistakes_have_a_place) {
  EXPECT_EQ(first_error(""), "1:1 no profile; one begins with `profile NAME`");
  EXPECT_EQ(first_error("vmem 1 MiB\n"), "1:1 expected `profile NAME` first");
  EXPECT_EQ(first_error("profile a\n  like v5e\n  wmem 1 MiB\n"),
            "3:3 a profile has no property wmem");
  EXPECT_EQ(first_error("profile a\n  like v5e\n  vmem 1 XB\n"),
            "3:8 vmem requires a number, or one of bytes as in 128 MiB");
  EXPECT_EQ(first_error("profile a\n  like v5e\n  vmem -1\n"),
            "3:8 vmem requires a number, or one of bytes as in 128 MiB");
  EXPECT_EQ(first_error("profile a\n  like v5e\n  vmem 9999999999 GiB\n"),
            "3:8 vmem requires a number, or one of bytes as in 128 MiB");
  EXPECT_EQ(first_error("profile a\n  like v5e\n  remote_vmem maybe\n"),
            "3:15 remote_vmem requires yes or no");
  EXPECT_EQ(first_error("profile a\n  like v5e\n  tiling 8,8\n"),
            "3:10 tiling requires three numbers, as in 128,128,128");
  EXPECT_EQ(first_error("profile a\n  like v5e\n  tiling 8,0,8\n"),
            "3:10 tiling requires three numbers, as in 128,128,128");
  EXPECT_EQ(first_error("profile a\n  like v9\n"), "2:8 no profile v9");
  EXPECT_EQ(first_error("profile a\n  like v5e\nprofile a\n"), "3:9 profile a occurs twice here");
  EXPECT_EQ(first_error("profile a\n  smem 1 MiB\n  hbm 1 GB\n  semaphores 8\n"),
            "1:9 profile a does not define vmem");
  EXPECT_EQ(first_error("profile a\n  vmem\n"), "2:3 expected a property and its value");
}

}  // namespace
}  // namespace tessera
