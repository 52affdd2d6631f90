#include <gtest/gtest.h>

#include <limits>

#include "devices/cuda/lower/scalar_code.h"

namespace tessera::cuda {
namespace {

TEST(CudaScalarCode, WritesFloatsThatTheCompilerReads) {
  EXPECT_EQ(float_text(2), "2.0f");
  EXPECT_EQ(float_text(-0.5F), "-0.5f");
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(float_text(infinity), "(3.4028235e+38f * 2)");
  EXPECT_EQ(float_text(-infinity), "(-3.4028235e+38f * 2)");
}

}  // namespace
}  // namespace tessera::cuda
