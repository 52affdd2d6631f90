// A program: what one kernel is once its parameters are fixed. Flat statements; regions are closed
// by `end`.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dtype.h"
#include "core/data/tensor.h"
#include "core/program/op.h"
#include "core/report/diag.h"

namespace tessera {

// hbm: memory of a device; vmem: scratch next to the matrix unit; smem: scalars; tile: registers
// (counted as vmem).
enum class Space : std::uint8_t { hbm, vmem, smem, tile };
enum class Role : std::uint8_t { in, out, scratch };
enum class SemKind : std::uint8_t { count, bytes, barrier };

std::string_view name(Space space);
std::string_view name(Role role);
std::string_view name(SemKind kind);

enum class ValueKind : std::uint8_t { scalar, real, ref, sem };

// A value is a constant, a buffer, a semaphore array, or the result of the one statement that
// defines it.
struct Value {
  ValueKind kind = ValueKind::scalar;
  bool constant = false;
  std::int64_t integer = 0;     // of a constant scalar
  double real = 0;              // of a constant real
  std::int32_t index = -1;      // ref: into buffers (or -1: a window); sem: into semaphores
  std::int32_t statement = -1;  // where it is defined, or -1
  std::string name;             // as the source calls it; may be empty, need not be unique
};

// An operand, a result or scratch. Row-major unless `order` says how its dimensions are stored,
// outermost first.
struct Buffer {
  std::string name;
  Role role = Role::scratch;
  Space space = Space::hbm;
  DType dtype = DType::f32;
  Shape shape;
  std::vector<int> order;  // empty: 0, 1, 2, ...
  bool scoped = false;     // exists between its alloc and free only
  ValueId value = no_value;
  std::int32_t place = -1;
};

struct Semaphore {
  std::string name;
  SemKind kind = SemKind::count;
  Shape shape;                  // empty: a single one
  std::int64_t collective = 0;  // barrier only: semaphores of one id are one semaphore of the core
  bool monotone = false;        // never waited on, only awaited; exempt from zero at exit
  bool scoped = false;
  ValueId value = no_value;
  std::int32_t place = -1;
};

// A place in a source, and the call it was inlined from (-1: none).
struct Place {
  Loc loc;
  std::int32_t caller = -1;
};

// A loop or grid dimension of the source that statements of an expanded program stand in, and the
// value that is its index there. What a pipeline does for a point behind or ahead of its loops has
// that point's index; the loops that `expand` makes for itself are none.
struct Loop {
  std::string name;  // as the source calls it; may be empty
  ValueId index = no_value;
  std::int32_t outer = -1;  // into Program::loops
};

struct Stmt {
  Op op;
  ValueId result = no_value;
  std::int32_t place = -1;    // into Program::places
  std::int32_t partner = -1;  // open: its else or end; else: its end; end: its open
  std::int32_t loop = -1;     // the innermost around it, into Program::loops; set by `expand`
};

// Slots of a window.
inline constexpr std::int64_t max_window_depth = 1024;

struct Setting {  // a parameter and the value it was given
  std::string name;
  std::string value;
};

struct Program {
  std::string name;
  std::string doc;                // the comment above the kernel
  std::vector<Setting> settings;  // problem and tuning parameters and dtypes, for reports
  std::vector<Buffer> buffers;    // in the order of declaration: operands, results, scratch
  std::vector<Semaphore> semaphores;
  std::vector<Value> values;
  std::vector<std::string> texts;
  std::vector<Place> places;
  std::vector<Loop> loops;
  std::vector<Stmt> body;
  // For so many it was made, where an extent names them; 0: for any number.
  int devices = 0, cores = 0;
  std::int32_t call_place = -1;  // of what begins and ends each of several launches

  const Value& value(ValueId id) const { return values[static_cast<std::size_t>(id)]; }
  // The buffer a ref value names, or null for a window.
  const Buffer* buffer(ValueId ref) const;
  const Buffer* find_buffer(std::string_view buffer_name) const;
  std::optional<std::int64_t> constant(ValueId id) const;
  Loc loc(std::int32_t place) const {
    return place < 0 ? Loc{} : places[static_cast<std::size_t>(place)].loc;
  }
};

}  // namespace tessera
