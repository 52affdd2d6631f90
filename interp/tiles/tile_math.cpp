// Matrix products by oneDNN. If it throws, the plain loops are used instead.
#include "interp/tiles/tile_math.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <list>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "core/host/host_memory.h"
#include "core/report/check.h"
#include "interp/tiles/tile_math_pack.h"
#include "interp/tiles/tile_math_plain.h"

namespace tessera::math {
namespace {

// Limits OpenMP to one thread during a product, since the distribution's oneDNN uses OpenMP. The
// functions are looked up at run time, because this project does not link OpenMP.
class OneThread {
 public:
  OneThread() : before_(functions().get == nullptr ? 1 : functions().get()) {
    if (before_ != 1) functions().set(1);
  }
  ~OneThread() {
    if (before_ != 1) functions().set(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  struct Functions {
    int (*get)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
    void (*set)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  };
  static const Functions& functions() {
    static const Functions found;
    return found;
  }
  int before_;
};

bool has(dnnl::cpu_isa isa) {
  const auto mine = static_cast<unsigned>(dnnl::get_effective_cpu_isa()),
             wanted = static_cast<unsigned>(isa);
  return (mine & wanted) == wanted;
}
bool has_bf16() {
  static const bool result = has(dnnl::cpu_isa::avx512_core_bf16);
  return result;
}
bool has_i8() {
  static const bool result = has(dnnl::cpu_isa::avx512_core_vnni);
  return result;
}

// The f32 and i8 routines accept gaps between rows (or between columns if transposed).
struct Leading {
  char transposed;
  std::int64_t stride;
};
Leading leading(const Matrix& m) {
  if (m.col_stride == 1 || m.cols == 1) return {'N', std::max(m.row_stride, m.cols)};
  return {'T', std::max(m.col_stride, m.rows)};
}
bool has_unit_stride(const Matrix& m) {
  const bool by_rows = m.col_stride == 1 && (m.rows <= 1 || m.row_stride >= m.cols);
  const bool by_cols = m.row_stride == 1 && (m.cols <= 1 || m.col_stride >= m.rows);
  return by_rows || by_cols;
}

// The routine's own packing is slow if rows are a page apart. Copying them in order first is
// cheaper.
constexpr std::int64_t far_apart = 1024;  // bytes

bool multiply_f32(const Matrix& acc, const Matrix& a, const Matrix& b) {
  thread_local Workspace left, right;
  Matrix x = a, y = b;
  if (a.dtype != DType::f32 || !has_unit_stride(a)) x = pack(a, DType::f32, left);
  if (b.dtype != DType::f32 || !has_unit_stride(b)) y = pack(b, DType::f32, right);
  const bool sparse_rows =
      y.col_stride == 1 && y.row_stride * 4 >= far_apart && y.row_stride != y.cols;
  if (sparse_rows && acc.rows >= 32) y = pack(y, DType::f32, right);
  const Leading lx = leading(x), ly = leading(y);
  return dnnl_sgemm(lx.transposed, ly.transposed, acc.rows, acc.cols, a.cols, 1.0F,
                    reinterpret_cast<float*>(x.data), lx.stride, reinterpret_cast<float*>(y.data),
                    ly.stride, 1.0F, reinterpret_cast<float*>(acc.data),
                    leading(acc).stride) == dnnl_success;
}

bool multiply_i8(const Matrix& acc, const Matrix& a, const Matrix& b) {
  thread_local Workspace left, right;
  const Matrix x = has_unit_stride(a) ? a : pack(a, DType::i8, left);
  const Matrix y = has_unit_stride(b) ? b : pack(b, DType::i8, right);
  const Leading lx = leading(x), ly = leading(y);
  const std::int32_t no_offset = 0;
  return dnnl_gemm_s8s8s32(lx.transposed, ly.transposed, 'F', acc.rows, acc.cols, a.cols, 1.0F,
                           reinterpret_cast<std::int8_t*>(x.data), lx.stride, 0,
                           reinterpret_cast<std::int8_t*>(y.data), ly.stride, 0, 1.0F,
                           reinterpret_cast<std::int32_t*>(acc.data), leading(acc).stride,
                           &no_offset) == dnnl_success;
}

// acc += a . b in bf16 for one shape. Operands are dense and row-major.
class Bf16Product {
 public:
  Bf16Product(std::int64_t m, std::int64_t n, std::int64_t k) : m_(m), n_(n), k_(k) {
    using Type = dnnl::memory::data_type;
    const dnnl::memory::desc a({m, k}, Type::bf16, dnnl::memory::dims{k, 1});
    const dnnl::memory::desc b({k, n}, Type::bf16, dnnl::memory::dims{n, 1});
    const dnnl::memory::desc acc({m, n}, Type::f32, dnnl::memory::dims{n, 1});
    dnnl::post_ops accumulate;
    accumulate.append_sum(1.0F);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(accumulate);
    primitive_ = dnnl::matmul({{a, b, acc}, attributes, engine()});
    a_ = dnnl::memory(a, engine(), nullptr);
    b_ = dnnl::memory(b, engine(), nullptr);
    acc_ = dnnl::memory(acc, engine(), nullptr);
  }

  bool is_for(std::int64_t m, std::int64_t n, std::int64_t k) const {
    return m_ == m && n_ == n && k_ == k;
  }
  void run(const Matrix& acc, const Matrix& a, const Matrix& b) {
    a_.set_data_handle(a.data);
    b_.set_data_handle(b.data);
    acc_.set_data_handle(acc.data);
    static thread_local dnnl::stream stream(engine());
    primitive_.execute(stream, {{DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, b_}, {DNNL_ARG_DST, acc_}});
    stream.wait();
  }

 private:
  static const dnnl::engine& engine() {
    static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    return cpu;
  }

  std::int64_t m_, n_, k_;
  dnnl::matmul primitive_;
  dnnl::memory a_, b_, acc_;
};

// Cache of kernels compiled for recent shapes. Evicting one costs time and changes no result.
Bf16Product& bf16_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr std::size_t most = 64;
  static thread_local std::list<Bf16Product> recent;
  for (auto it = recent.begin(); it != recent.end(); ++it) {
    if (!it->is_for(m, n, k)) continue;
    recent.splice(recent.begin(), recent, it);
    return recent.front();
  }
  if (recent.size() == most) recent.pop_back();
  return recent.emplace_front(m, n, k);
}

// Sizes are padded with zeros to a multiple of this, so that few shapes are compiled.
constexpr std::int64_t granule = 32;
std::int64_t padded(std::int64_t n) { return (n + granule - 1) / granule * granule; }

// Minimum size of the right operand for which a kernel for the exact number of rows costs less than
// padding the rows and moving the sums.
constexpr std::int64_t worth_compiling = 8192;

bool is_dense(const Matrix& m) { return m.col_stride == 1 && m.row_stride == m.cols; }

bool multiply_bf16(const Matrix& acc, const Matrix& a, const Matrix& b) {
  thread_local Workspace left, right, sum;
  const std::int64_t n = padded(acc.cols), k = padded(a.cols);
  const std::int64_t m = n * k < worth_compiling ? padded(acc.rows) : acc.rows;
  Bf16Product& product = bf16_product(m, n, k);
  const bool fits_a = a.rows == m && a.cols == k && is_dense(a);
  const bool fits_b = b.rows == k && b.cols == n && is_dense(b);
  const bool fits_acc = acc.rows == m && acc.cols == n && is_dense(acc);
  const Matrix x = fits_a ? a : pack(a, DType::bf16, m, k, left);
  const Matrix y = fits_b ? b : pack(b, DType::bf16, k, n, right);
  const Matrix out = fits_acc ? acc : pack(acc, DType::f32, m, n, sum);
  product.run(out, x, y);
  if (!fits_acc) unpack(acc, out);
  return true;
}

// The library generates its routines at the first products, and crashes if there is no memory for
// them.
constexpr std::int64_t room_for_routines = std::int64_t{6} << 20;
bool has_room_for_routines() {
  if (memory_limit().left < room_for_routines)
    throw NoMemory("the routines of oneDNN", room_for_routines);
  return true;
}

bool multiply(const Matrix& acc, const Matrix& a, const Matrix& b) {
  static const bool has_room = has_room_for_routines();
  CHECK(has_room);
  const OneThread one_thread;
  try {
    if (acc.dtype == DType::i32)
      return a.dtype == DType::i8 && b.dtype == DType::i8 && has_i8() && multiply_i8(acc, a, b);
    if (a.dtype == DType::bf16 && b.dtype == DType::bf16 && has_bf16())
      return multiply_bf16(acc, a, b);
    return multiply_f32(acc, a, b);
  } catch (const dnnl::error&) {
    return false;
  }
}

// Maximum number of i8 products whose sum always fits into i32.
constexpr std::int64_t exact_terms = std::numeric_limits<std::int32_t>::max() / (128 * 128);

// Sums of i8 products are exact, so they have the same bits in any order until they are added to
// acc.
void add_exact_sums(const Matrix& acc, const Matrix& a, const Matrix& b, Math math) {
  thread_local Workspace space;
  const std::int64_t bytes = acc.elements() * size_of(DType::i32);
  const Matrix sums{space.take(bytes), DType::i32, acc.rows, acc.cols, acc.cols, 1};
  for (std::int64_t k = 0; k < a.cols; k += exact_terms) {
    const std::int64_t terms = std::min(exact_terms, a.cols - k);
    std::memset(sums.data, 0, static_cast<std::size_t>(bytes));
    multiply_add(
        sums, {a.data + k * a.col_stride, a.dtype, a.rows, terms, a.row_stride, a.col_stride},
        {b.data + k * b.row_stride, b.dtype, terms, b.cols, b.row_stride, b.col_stride}, math);
    const auto* from = reinterpret_cast<const std::int32_t*>(sums.data);
    for (std::int64_t i = 0; i < acc.rows; ++i)
      for (std::int64_t j = 0; j < acc.cols; ++j)
        reinterpret_cast<float*>(acc.data)[i * acc.row_stride + j * acc.col_stride] +=
            static_cast<float>(*from++);
  }
}

}  // namespace

void multiply_add(const Matrix& acc, const Matrix& a, const Matrix& b, Math math) {
  CHECK(acc.rows == a.rows && acc.cols == b.cols && a.cols == b.rows);
  CHECK(acc.dtype == DType::f32 || acc.dtype == DType::i32);
  if (math == Math::none || acc.elements() == 0 || a.cols == 0) return;
  if (acc.dtype == DType::f32 && is_integer(a.dtype)) return add_exact_sums(acc, a, b, math);
  if (math == Math::exact) return multiply_add_plain(acc, a, b);
  if (acc.col_stride != 1 && acc.row_stride == 1) {
    return multiply_add(acc.transposed(), b.transposed(), a.transposed(), math);
  }
  if (acc.col_stride != 1 || !multiply(acc, a, b)) multiply_add_plain(acc, a, b);
}

void prepare(DType acc, DType operand, std::int64_t m, std::int64_t k, std::int64_t n) {
  const auto zeros = [](DType dtype, std::int64_t rows, std::int64_t cols) {
    return std::vector<std::byte>(static_cast<std::size_t>(rows * cols * size_of(dtype)));
  };
  std::vector<std::byte> x = zeros(acc, m, n), y = zeros(operand, m, k), z = zeros(operand, k, n);
  multiply_add({x.data(), acc, m, n, n, 1}, {y.data(), operand, m, k, k, 1},
               {z.data(), operand, k, n, n, 1}, Math::library);
}

const char* native_instructions(DType dtype) {
  if (dtype == DType::f32) return "f32";
  if (dtype == DType::bf16 && has_bf16())
    return has(dnnl::cpu_isa::avx512_core_amx) ? "amx" : "avx512_core_bf16";
  if (dtype == DType::i8 && has_i8())
    return has(dnnl::cpu_isa::avx512_core_amx) ? "amx" : "avx512_core_vnni";
  return "";
}

}  // namespace tessera::math
