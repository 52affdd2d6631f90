// Compares the handwritten prototypes of devices/cuda/runtime/symbols.def with the toolkit's
// headers, if these are installed.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "devices/cuda/runtime/graph_parameters.h"

#if TESSERA_HAS_CUDA_HEADERS
#include <cuda.h>
#if __has_include(<nvrtc.h>)
#include <nvrtc.h>
#define TESSERA_HAS_NVRTC_HEADER 1
#endif
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#if CUBLAS_VERSION >= 120500  // the first with cublasGemmGroupedBatchedEx
#define TESSERA_HAS_CUBLAS_HEADER 1
#endif
#endif
#endif

namespace tessera::cuda {
namespace {

// True if the calling convention passes both types in the same way: both are
// - enumerations or integers of the same size, with the same signedness unless one of them is an
//   enumeration;
// - floating-point numbers of the same size;
// - pointers to types that are passed alike, or one of them points to void: a handle points to a
//   structure that is not declared. Ours may point to const only if Theirs does: otherwise the
//   library could write to memory that Tessera assumes unchanged.
// Type names are not compared.
template <typename Ours, typename Theirs>
constexpr bool passed_alike() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using Our = std::remove_pointer_t<Ours>;
    using Their = std::remove_pointer_t<Theirs>;
    if constexpr (std::is_const_v<Our> && !std::is_const_v<Their>) {
      return false;
    } else if constexpr (std::is_void_v<Our> || std::is_void_v<Their>) {
      return true;
    } else {
      return passed_alike<std::remove_cv_t<Our>, std::remove_cv_t<Their>>();
    }
  } else if constexpr (std::is_floating_point_v<Ours> || std::is_floating_point_v<Theirs>) {
    return std::is_floating_point_v<Ours> && std::is_floating_point_v<Theirs> &&
           sizeof(Ours) == sizeof(Theirs);
  } else if constexpr (std::is_enum_v<Ours> || std::is_enum_v<Theirs>) {
    return (std::is_enum_v<Ours> || std::is_integral_v<Ours>)&&(
               std::is_enum_v<Theirs> || std::is_integral_v<Theirs>)&&sizeof(Ours) ==
           sizeof(Theirs);
  } else if constexpr (std::is_integral_v<Ours> && std::is_integral_v<Theirs>) {
    return sizeof(Ours) == sizeof(Theirs) && std::is_signed_v<Ours> == std::is_signed_v<Theirs>;
  } else {
    return false;
  }
}

template <typename Ours, typename Theirs>
struct SameCall : std::false_type {};
template <typename OurResult, typename... Ours, typename TheirResult, typename... Theirs>
requires(sizeof...(Ours) ==
         sizeof...(Theirs)) struct SameCall<OurResult(Ours...), TheirResult(Theirs...)>
    : std::bool_constant<passed_alike<OurResult, TheirResult>() &&
                         (passed_alike<Ours, Theirs>() && ...)> {
};

// Type of the function with this name, or to which a constant of this name points.
#define TESSERA_CALL_OF(name) std::remove_pointer_t<std::decay_t<decltype((name))>>

enum class Status : unsigned { good };
struct Hidden;

TEST(CudaPrototypes, what_is_passed_alike) {
  using Header = Status(Hidden**, const float*, std::uint64_t, Status);
  EXPECT_TRUE((SameCall<int(void**, const float*, unsigned long, int), Header>()));
  EXPECT_TRUE((SameCall<int(void**, const void*, unsigned long long, int), Header>()));
  EXPECT_FALSE((SameCall<int(void**, const float*, unsigned long), Header>())) << "one is missing";
  EXPECT_FALSE((SameCall<int(void*, const float*, unsigned, int), Header>())) << "another size";
  EXPECT_FALSE((SameCall<int(void**, const float*, long, int), Header>())) << "another sign";
  EXPECT_FALSE((SameCall<int(void**, float, unsigned long, int), Header>())) << "no pointer";
  EXPECT_FALSE((SameCall<int(void**, const double*, unsigned long, int), Header>()));
  EXPECT_FALSE((SameCall<float(void**, const float*, unsigned long, int), Header>()));
  EXPECT_FALSE((SameCall<int(const void*), int(void*)>())) << "const where the library writes";
  EXPECT_TRUE((SameCall<int(void*), int(const void*)>()));
}

// If a header maps a function's name to a newer version, the newer version is compared.
#if TESSERA_HAS_CUDA_HEADERS
TEST(CudaPrototypes, the_drivers_are_those_of_its_header) {
#define TESSERA_DRIVER(member, function, result, ...) \
  EXPECT_TRUE((SameCall<result(__VA_ARGS__), TESSERA_CALL_OF(function)>())) << #function;
#include "devices/cuda/runtime/symbols.def"
}
#else
TEST(CudaPrototypes, the_drivers_are_those_of_its_header) {
  GTEST_SKIP() << "the toolkit's headers are not here";
}
#endif

#if TESSERA_HAS_CUDA_HEADERS
// Member offsets of two handwritten structures.
TEST(CudaPrototypes, what_the_driver_is_told_of_a_graph_is_laid_out_as_its_header_has_it) {
  using Kernel = CUDA_KERNEL_NODE_PARAMS;
  static_assert(sizeof(KernelNodeParameters) == sizeof(Kernel));
  static_assert(offsetof(KernelNodeParameters, function) == offsetof(Kernel, func));
  static_assert(offsetof(KernelNodeParameters, grid) == offsetof(Kernel, gridDimX));
  static_assert(offsetof(KernelNodeParameters, block) == offsetof(Kernel, blockDimX));
  static_assert(offsetof(KernelNodeParameters, shared_bytes) == offsetof(Kernel, sharedMemBytes));
  static_assert(offsetof(KernelNodeParameters, parameters) == offsetof(Kernel, kernelParams));
  static_assert(offsetof(KernelNodeParameters, context) == offsetof(Kernel, ctx));
  static_assert(sizeof(CopyParameters) == sizeof(CUDA_MEMCPY3D));
  static_assert(offsetof(CopyParameters, from.memory) == offsetof(CUDA_MEMCPY3D, srcMemoryType));
  static_assert(offsetof(CopyParameters, from.device) == offsetof(CUDA_MEMCPY3D, srcDevice));
  static_assert(offsetof(CopyParameters, to) == offsetof(CUDA_MEMCPY3D, dstXInBytes));
  static_assert(offsetof(CopyParameters, to.memory) == offsetof(CUDA_MEMCPY3D, dstMemoryType));
  static_assert(offsetof(CopyParameters, to.device) == offsetof(CUDA_MEMCPY3D, dstDevice));
  static_assert(offsetof(CopyParameters, width) == offsetof(CUDA_MEMCPY3D, WidthInBytes));
  static_assert(offsetof(CopyParameters, height) == offsetof(CUDA_MEMCPY3D, Height));
  static_assert(sizeof(UpdateResult) == sizeof(CUgraphExecUpdateResultInfo));
  EXPECT_EQ(unified_memory, CU_MEMORYTYPE_UNIFIED);
}
#endif

#ifdef TESSERA_HAS_NVRTC_HEADER
TEST(CudaPrototypes, the_compilers_are_those_of_its_header) {
#define TESSERA_NVRTC(member, function, result, ...) \
  EXPECT_TRUE((SameCall<result(__VA_ARGS__), TESSERA_CALL_OF(function)>())) << #function;
#include "devices/cuda/runtime/symbols.def"
}
#endif

#ifdef TESSERA_HAS_CUBLAS_HEADER
TEST(CudaPrototypes, those_of_cublas_are_those_of_its_header) {
  // The header has overloads of these names for old C++ code. The pointer types select the exported
  // function; this only compiles if the header declares it with this type.
  using Op = cublasOperation_t;
  using Type = cudaDataType;
  using Gemm = cublasStatus_t(cublasHandle_t, Op, Op, int, int, int, const void*, const void*, Type,
                              int, const void*, Type, int, const void*, void*, Type, int,
                              cublasComputeType_t, cublasGemmAlgo_t);
  using Batched =
      cublasStatus_t(cublasHandle_t, Op, Op, int, int, int, const void*, const void*, Type, int,
                     long long, const void*, Type, int, long long, const void*, void*, Type, int,
                     long long, int, cublasComputeType_t, cublasGemmAlgo_t);
  using ChosenGemm = decltype(static_cast<Gemm*>(::cublasGemmEx));
  using ChosenBatched = decltype(static_cast<Batched*>(::cublasGemmStridedBatchedEx));
  extern const ChosenGemm cublasGemmEx;
  extern const ChosenBatched cublasGemmStridedBatchedEx;
#define TESSERA_CUBLAS(member, function, result, ...) \
  EXPECT_TRUE((SameCall<result(__VA_ARGS__), TESSERA_CALL_OF(function)>())) << #function;
#include "devices/cuda/runtime/symbols.def"
}
#endif

}  // namespace
}  // namespace tessera::cuda
