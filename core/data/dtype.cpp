#include "core/data/dtype.h"

#include <array>

#include "core/report/check.h"

namespace tessera {
namespace {

struct Info {
  std::string_view name;
  int size;
  bool is_float;
};

// In the order of the enumerators.
constexpr std::array<Info, dtype_count> infos{{
    {"f32", 4, true},
    {"bf16", 2, true},
    {"f16", 2, true},
    {"e4m3", 1, true},
    {"e5m2", 1, true},
    {"e8m0", 1, true},
    {"i8", 1, false},
    {"i32", 4, false},
    {"u32", 4, false},
    {"i64", 8, false},
}};
static_assert(!infos.back().name.empty(), "a type of dtype.h has no row");

const Info& info(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  CHECK(index < infos.size());
  return infos[index];
}

}  // namespace

std::string_view name(DType dtype) { return info(dtype).name; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == text) return static_cast<DType>(i);
  }
  return std::nullopt;
}

int size_of(DType dtype) { return info(dtype).size; }

bool is_float(DType dtype) { return info(dtype).is_float; }

DType accumulator(DType dtype) { return is_float(dtype) ? DType::f32 : DType::i32; }

}  // namespace tessera
