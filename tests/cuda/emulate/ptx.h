// The functions of devices/cuda/templates/ptx.cuh on the emulated multiprocessor (machine.h).
// Layouts are those of the instruction set's definition, written down a second time: the swizzle by
// address bits, matrix descriptors by their canonical layouts, fragments by thread and register.
#pragma once
#include <array>
#include <cmath>

#include "tests/cuda/emulate/machine.h"

#define TESSERA_EMULATED 1
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)

#include "devices/cuda/templates/base.cuh"

namespace tessera::cuda::ptx {

using emulate::Block;
using emulate::Map;
using emulate::Problem;

inline unsigned char* shared_memory() {
  return reinterpret_cast<unsigned char*>(Block::now().shared());
}
inline u32 address(const void* shared) {
  return static_cast<u32>(static_cast<const char*>(shared) - Block::now().shared());
}
inline int thread() { return Block::now().thread().number; }
inline int block() { return Block::now().number(); }
inline int blocks() { return Block::now().blocks(); }
inline void sync_block() { Block::now().meet(0, Block::now().size()); }
inline bool any_of_block(bool value) {
  static std::map<int, bool> any;  // by block
  sync_block();
  any[block()] = false;
  sync_block();
  if (value) any[block()] = true;
  sync_block();
  return any[block()];
}
inline void sync_cluster() { Block::now().meet_cluster(); }
inline bool elect_one() { return thread() % 32 == 0; }
inline int warp() { return thread() / 32; }
inline void sync_warp() { Block::now().meet(100 + thread() / 32, 32); }
// Warps exchange values through a place of their own.
inline i64 exchange(i64 value, int from) {
  static std::map<std::pair<int, int>, std::array<i64, 32>> places;
  std::array<i64, 32>& place = places[{block(), thread() / 32}];
  sync_warp();
  place[static_cast<std::size_t>(thread() % 32)] = value;
  sync_warp();
  const i64 result = from < 0 ? value : place[static_cast<std::size_t>(from)];
  sync_warp();
  return result;
}
inline i64 from_lane_below(i64 value, int distance) {
  return exchange(value, thread() % 32 - distance);
}
inline i64 from_lane(i64 value, int lane) { return exchange(value, lane); }
inline int from_lane(int value, int lane) { return static_cast<int>(exchange(value, lane)); }
inline bool any_lane(bool value) {
  bool any = false;
  for (int lane = 0; lane < 32; ++lane) any |= exchange(value ? 1 : 0, lane) != 0;
  return any;
}
template <int id, int threads>
void named_barrier() {
  Block::now().meet(id, threads);
}
template <int count>
void more_registers() {}
template <int count>
void fewer_registers() {}

inline void barrier_init(u32 barrier, u32 arrivals) {
  if (barrier % 8 != 0) throw Problem("a transaction barrier is not aligned");
  emulate::Barrier& b = Block::now().barrier(barrier);
  b.arrivals = b.pending = static_cast<int>(arrivals);
  b.ready = true;
}
inline void barrier_init_fence() {}
inline emulate::Barrier& known(u32 barrier, Block& block = Block::now()) {
  emulate::Barrier& b = block.barrier(barrier);
  if (!b.ready) throw Problem("a transaction barrier is used before it is initialised");
  return b;
}
inline void barrier_arrive(u32 barrier) {
  emulate::Barrier& b = known(barrier);
  --b.pending;
  Block::now().settle(b);
}
inline void barrier_arrive_at(u32 barrier, int rank) {
  if (Block::now().thread().unpublished)
    throw Problem("a word in another block's memory is announced without a release");
  Block& block = Block::now().neighbour(rank);
  emulate::Barrier& b = known(barrier, block);
  --b.pending;
  block.settle(b);
}
inline void barrier_publish_at(u32 barrier, int rank) {
  Block::now().thread().unpublished = false;
  barrier_arrive_at(barrier, rank);
}
inline void barrier_expect(u32 barrier, u32 bytes) {
  emulate::Barrier& b = known(barrier);
  b.bytes += bytes;
  --b.pending;
  Block::now().settle(b);
}
// As the instruction does: the phase of that parity has ended. A thread that is two phases late
// waits for ever.
inline void barrier_wait(u32 barrier, u32 parity) {
  emulate::Barrier& b = known(barrier);
  const auto ended = [&b, parity] { return (b.phase & 1) != parity; };
  if (!ended() || Block::now().random() % 4 == 0) Block::now().wait("a transaction barrier", ended);
}

inline void barrier_wait_cluster(u32 barrier, u32 parity) { barrier_wait(barrier, parity); }

inline u32 swizzle_address(u32 address) { return address ^ ((address >> 7 & 7) << 4); }

enum class Evict { normal, first, last };
template <Evict evict>
u64 policy() {
  return 1 + static_cast<u64>(evict);
}

// One box into one block, whenever it gets to it.
template <int rank>
void land(Block& block, u32 to, const Map& m, u32 barrier, const std::array<i64, 3>& start) {
  known(barrier, block);
  block.later([=, &block] {
    u32 offset = to;
    const i64 outer_box = rank == 3 ? m.box[2] : 1;
    for (i64 z = 0; z < outer_box; ++z) {
      for (i64 y = 0; y < m.box[1]; ++y) {
        for (i64 x = 0; x < m.box[0]; ++x, offset += static_cast<u32>(m.element_bytes)) {
          const i64 gx = start[0] + x, gy = start[1] + y, gz = rank == 3 ? start[2] + z : 0;
          const bool inside = gx >= 0 && gx < m.extent[0] && gy >= 0 && gy < m.extent[1] &&
                              (rank == 2 || (gz >= 0 && gz < m.extent[2]));
          char* const shared = block.shared(swizzle_address(offset), m.element_bytes);
          if (inside) {
            const i64 element = gz * m.stride[1] + gy * m.stride[0] + gx;
            std::memcpy(shared, m.base + element * m.element_bytes,
                        static_cast<std::size_t>(m.element_bytes));
          } else {
            std::memset(shared, 0, static_cast<std::size_t>(m.element_bytes));
          }
        }
      }
    }
    block.landed(to, offset - to);
    block.loaded_bytes += offset - to;
    emulate::Barrier& b = block.barrier(barrier);
    b.bytes -= offset - to;
    block.settle(b);
  });
}

template <int rank, int blocks = 1>
void load_box(u32 to, const TensorMap* map, u32 barrier, const int (&at)[rank], u64 policy) {
  Map m;
  std::memcpy(&m, map, sizeof m);
  if (m.rank != rank) throw Problem("a copy's rank is not its map's");
  if (to % 1024 != 0) throw Problem("a box does not begin at a multiple of 1024 bytes");
  if (policy == 0) throw Problem("a copy without a cache policy");
  std::array<i64, 3> start{};
  u64 bytes = static_cast<u64>(m.element_bytes);
  for (int d = 0; d < rank; ++d) {
    start[static_cast<std::size_t>(d)] = at[d];
    bytes *= static_cast<u64>(m.box[d]);
  }
  Block::now().fetched_bytes += bytes;
  if constexpr (blocks == 1) {
    land<rank>(Block::now(), to, m, barrier, start);
  } else {
    for (int r = 0; r < blocks; ++r) land<rank>(Block::now().neighbour(r), to, m, barrier, start);
  }
}

template <int rank>
void store_box(const TensorMap* map, u32 from, const int (&at)[rank]) {
  Map m;
  std::memcpy(&m, map, sizeof m);
  if (m.rank != rank) throw Problem("a copy's rank is not its map's");
  if (from % 1024 != 0) throw Problem("a box does not begin at a multiple of 1024 bytes");
  std::array<i64, 3> start{};
  for (int d = 0; d < rank; ++d) start[static_cast<std::size_t>(d)] = at[d];
  auto store = std::make_shared<emulate::PendingStore>();
  store->group = Block::now().thread().store_groups;
  store->read = [=] {
    Block& block = Block::now();
    u32 offset = from;
    for (i64 y = 0; y < m.box[1]; ++y) {
      for (i64 x = 0; x < m.box[0]; ++x, offset += static_cast<u32>(m.element_bytes)) {
        block.async_read(swizzle_address(offset), m.element_bytes, "a copy");
        const i64 gx = start[0] + x, gy = start[1] + y, gz = rank == 3 ? start[2] : 0;
        if (gx < 0 || gx >= m.extent[0] || gy < 0 || gy >= m.extent[1]) continue;
        const i64 element = gz * m.stride[1] + gy * m.stride[0] + gx;
        std::memcpy(m.base + element * m.element_bytes,
                    block.shared(swizzle_address(offset), m.element_bytes),
                    static_cast<std::size_t>(m.element_bytes));
        ++block.stored_elements;
      }
    }
  };
  Block::now().thread().stores.push_back(store);
  if (Block::now().is_prompt()) {
    store->read();
    store->done = true;
    return;
  }
  Block::now().later([store] {
    if (!store->done) store->read();
    store->done = true;
  });
}
inline void store_commit() { ++Block::now().thread().store_groups; }
template <int pending>
void store_wait_read() {
  auto& t = Block::now().thread();
  Block::now().wait("a wait for stores", [&t] {
    for (const auto& s : t.stores) {
      if (!s->done && s->group < t.store_groups - pending) return false;
    }
    return true;
  });
}
template <int pending>
void store_wait() {
  store_wait_read<pending>();
}
inline void prefetch_map(const TensorMap*) {}
inline void fence_async() { Block::now().fence(); }

enum class Element { bf16, f16, e4m3, e5m2 };
constexpr u32 bytes_of(Element e) { return e == Element::bf16 || e == Element::f16 ? 2 : 1; }

// An operand element through its descriptor. K-major: rows of 128 bytes along k, 8 rows an atom,
// atoms `stride` apart. MN-major: rows of 128 bytes across, one for each k, 8 an atom, atoms
// `stride` apart along k and `leading` apart across. Bits 4 to 6 of the address are exchanged with
// bits 7 to 9.
inline u32 operand_address(u64 descriptor, bool k_major, int row, int k, u32 bytes) {
  if (descriptor >> 62 != 1) throw Problem("a descriptor without the 128-byte swizzle");
  const u32 start = static_cast<u32>(descriptor & 0x3FFF) << 4;
  const u32 leading = static_cast<u32>(descriptor >> 16 & 0x3FFF) << 4;
  const u32 stride = static_cast<u32>(descriptor >> 32 & 0x3FFF) << 4;
  const auto r = static_cast<u32>(row), c = static_cast<u32>(k);
  const u32 linear = k_major ? start + r / 8 * stride + r % 8 * 128 + c * bytes
                             : start + r / 64 * leading + r % 64 * 2 + c / 8 * stride + c % 8 * 128;
  return swizzle_address(linear);
}

inline float half_to_float(unsigned short h) {
  const int exponent = h >> 10 & 31, mantissa = h & 1023;
  float x = exponent == 31  ? (mantissa ? NAN : INFINITY)
            : exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                            : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  return h >> 15 ? -x : x;
}
// 4 bits of exponent and 3 of mantissa, without infinities.
inline float e4m3_to_float(unsigned char bits) {
  const int exponent = bits >> 3 & 15, mantissa = bits & 7;
  const float x = exponent == 15 && mantissa == 7 ? NAN
                  : exponent == 0                 ? std::ldexp(static_cast<float>(mantissa), -9)
                                  : std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  return bits >> 7 ? -x : x;
}
inline float to_float(const char* from, Element element) {
  if (element == Element::e4m3) return e4m3_to_float(static_cast<unsigned char>(*from));
  if (element == Element::e5m2)
    return half_to_float(static_cast<unsigned short>(static_cast<unsigned char>(*from) << 8));
  unsigned short bits;
  std::memcpy(&bits, from, 2);
  if (element == Element::f16) return half_to_float(bits);
  const u32 wide = static_cast<u32>(bits) << 16;
  float x;
  std::memcpy(&x, &wide, 4);
  return x;
}

// All elements of an operand of one instruction, [rows][along], read again only when shared memory
// has changed.
template <int rows, Element element>
const std::vector<float>& operand(u64 descriptor, bool k_major) {
  constexpr u32 bytes = bytes_of(element);
  constexpr int along = 32 / bytes;
  struct Read {
    u64 descriptor = 0;
    std::uint64_t version = 0;
    std::vector<float> values;
  };
  static std::array<Read, 16> reads;
  static std::size_t next = 0;
  Block& block = Block::now();
  const u32 first = operand_address(descriptor, k_major, 0, 0, bytes) & ~1023u;
  const u32 last = operand_address(descriptor, k_major, rows - 1, along - 1, bytes) | 1023u;
  const std::uint64_t version = block.version(first, last);
  for (const Read& r : reads) {
    if (r.descriptor == descriptor && r.version == version && !r.values.empty()) return r.values;
  }
  Read& r = reads[next++ % reads.size()];
  r = {descriptor, version, std::vector<float>(rows * along)};
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < along; ++k) {
      const u32 at = operand_address(descriptor, k_major, row, k, bytes);
      block.async_read(at, bytes, "a matrix instruction");
      r.values[static_cast<std::size_t>(row * along + k)] =
          to_float(block.shared(at, bytes), element);
    }
  }
  return r.values;
}

// What a matrix instruction makes of its products and the sum so far: all are cut off so many bits
// below the largest one's leading bit, and the sum is cut off to f32. On sm_90 13 bits for elements
// of one byte (published as about 14), else two more than f32 has (Khattak and Mikaitis, Accurate
// Models of NVIDIA Tensor Cores, 2025).
template <int bits, std::size_t count>
float cut_sum(const std::array<float, count>& terms) {
  float largest = 0;
  for (const float x : terms) {
    if (!std::isfinite(x)) {
      float sum = 0;
      for (const float y : terms) sum += y;
      return sum;
    }
    largest = std::max(largest, std::fabs(x));
  }
  if (largest == 0) return 0;
  const int shift = bits - std::ilogb(largest);
  const double in_units = std::ldexp(1.0, shift);
  std::int64_t sum = 0;
  for (const float x : terms) sum += static_cast<std::int64_t>(static_cast<double>(x) * in_units);
  const double exact = std::ldexp(static_cast<double>(sum), -shift);
  const auto nearest = static_cast<float>(exact);
  return std::fabs(static_cast<double>(nearest)) > std::fabs(exact) ? std::nextafterf(nearest, 0)
                                                                    : nearest;
}

inline void product_fence() {}
inline void product_commit() { ++Block::now().thread().product_groups; }

// Thread t of a warpgroup holds rows t / 4 mod 8 (+ 8) of its warp's 16 and two neighbouring
// columns of every 8. `fresh`: the sums are not read.
template <int columns, Element left_element, Element right_element, bool left_k_major,
          bool right_k_major, bool fresh>
void product(float (&sums)[columns / 2], u64 left, u64 right) {
  constexpr int along = 32 / bytes_of(left_element);
  auto& t = Block::now().thread();
  float* const to = sums;
  const int lane = t.number % 32, warp = t.number / 32 % 4;
  t.products.push_back({[=] {
                          const std::vector<float>& a =
                              operand<64, left_element>(left, left_k_major);
                          const std::vector<float>& b =
                              operand<columns, right_element>(right, right_k_major);
                          for (int r = 0; r < columns / 2; ++r) {
                            const int row = warp * 16 + lane / 4 + (r & 2) * 4;
                            const int column = r / 4 * 8 + lane % 4 * 2 + (r & 1);
                            const auto term = [&](int k) {
                              return a[static_cast<std::size_t>(row * along + k)] *
                                     b[static_cast<std::size_t>(column * along + k)];
                            };
                            std::array<float, along + 1> terms;
                            for (int k = 0; k < along; ++k)
                              terms[static_cast<std::size_t>(k)] = term(k);
                            terms[along] = fresh ? 0 : to[r];
                            to[r] = cut_sum < along == 32 ? 13 : 25 > (terms);
                          }
                        },
                        t.product_groups});
}
// Late as it may be: products happen when their group is waited for, after the other threads have
// moved on.
template <int pending>
void product_wait() {
  auto& t = Block::now().thread();
  if (Block::now().random() % 2 == 0)
    Block::now().wait("a matrix instruction", [] { return true; });
  sync_warp();
  while (!t.products.empty() && t.products.front().group < t.product_groups - pending) {
    t.products.front().finish();
    t.products.pop_front();
  }
  sync_warp();
}
inline void pin(float&) {}
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }

struct Bytes16 {
  u32 word[4];
};
inline void put(u32 to, const void* from, int bytes) {
  std::memcpy(Block::now().shared(to, bytes), from, static_cast<std::size_t>(bytes));
  Block::now().wrote(to, bytes);
}
// Lane l gives the address of row l mod 8 of matrix l / 8; it holds row l / 4, columns 2 (l mod 4)
// and the next.
template <int matrices, bool transposed>
void store_fragments(u32 to, const std::array<u32, 4>& mine) {
  static std::map<std::pair<int, int>, std::array<std::array<u32, 4>, 32>> warps;
  std::array<std::array<u32, 4>, 32>& all = warps[{block(), thread() / 32}];
  const auto lane = static_cast<std::size_t>(thread() % 32);
  sync_warp();
  all[lane] = mine;
  sync_warp();
  std::array<unsigned short, 8> row{};
  if (lane < matrices * 8) {
    for (std::size_t c = 0; c < 8; ++c) {
      const std::size_t r = lane % 8, holder = transposed ? c * 4 + r / 2 : r * 4 + c / 2;
      row[c] =
          static_cast<unsigned short>(all[holder][lane / 8] >> (16 * (transposed ? r % 2 : c % 2)));
    }
    if (to % 16 != 0) throw Problem("a matrix row is not aligned");
    put(to, row.data(), 16);
  }
  sync_warp();
}
inline void store_matrices(u32 to, u32 a, u32 b, u32 c, u32 d) {
  store_fragments<4, false>(to, {a, b, c, d});
}
inline void store_matrices_transposed(u32 to, u32 a, u32 b) {
  store_fragments<2, true>(to, {a, b, 0, 0});
}
inline void store_shared(u32 to, float a) { put(to, &a, 4); }
inline void store_shared(u32 to, float a, float b) {
  if (to % 8 != 0) throw Problem("two floats are not aligned");
  const float both[2] = {a, b};
  put(to, both, 8);
}
inline void zero_shared(u32 to) {
  const Bytes16 zero{};
  put(to, &zero, 16);
}
inline Bytes16 load_shared(u32 from) {
  Bytes16 x;
  std::memcpy(&x, Block::now().shared(from, 16), 16);
  return x;
}
inline void store_global(void* to, const Bytes16& x) {
  if (reinterpret_cast<std::uintptr_t>(to) % 16 != 0)
    throw Problem("a global store is not aligned");
  std::memcpy(to, &x, 16);
  Block::now().stored_elements += 16;
}
inline void store_shared_word(u32 to, u32 value) { put(to, &value, 4); }
inline void store_shared_word_at(u32 to, int rank, u32 value) {
  std::memcpy(Block::now().neighbour(rank).shared(to, 4), &value, 4);
  Block::now().thread().unpublished = true;
}
inline u32 load_shared_word(u32 from) {
  u32 x;
  std::memcpy(&x, Block::now().shared(from, 4), 4);
  return x;
}
inline u32 take_next(u32* counter) { return Block::now().take(counter); }
inline u32 count_one(u32* counter) { return (*counter)++; }
inline void store_global(u32* to, u32 value) { *to = value; }
inline void fence_global() {}
inline void first_error(i64* at, i64 value) {
  if (at != nullptr && *at == 0) *at = value;
}

inline u32 float_to_bits(float x) {
  u32 bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}
inline u32 round_bf16(float x) {
  const u32 bits = float_to_bits(x);
  if (x != x) return 0x7FFF;
  return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}
inline u32 round_f16(float x) {
  const _Float16 half = static_cast<_Float16>(x);
  unsigned short bits;
  std::memcpy(&bits, &half, 2);
  return bits;
}
inline u32 pack_bf16(float low, float high) { return round_bf16(low) | round_bf16(high) << 16; }
inline u32 pack_f16(float low, float high) { return round_f16(low) | round_f16(high) << 16; }
template <typename T>
T load_if(bool is_there, const T* at) {
  return is_there ? *at : T{};
}
inline float bits_to_float(u32 bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}
inline float f16_to_float(unsigned short bits) { return half_to_float(bits); }

}  // namespace tessera::cuda::ptx
