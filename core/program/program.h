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
// What a buffer is to the caller: an operand, a result, or memory of the kernel's own.
enum class Role : std::uint8_t { in, out, scratch };
// What a semaphore counts: signals; bytes of copies; signals of all cores to each other, by the
// collective id.
enum class SemKind : std::uint8_t { count, bytes, barrier };

// The enumerator's name, which is the word of the language.
std::string_view name(Space space);
std::string_view name(Role role);
std::string_view name(SemKind kind);

// A 64-bit integer, an f32, memory, or semaphores.
enum class ValueKind : std::uint8_t { scalar, real, ref, sem };

// A value is a constant, a buffer, a semaphore array, or the result of the one statement that
// defines it.
struct Value {
  ValueKind kind = ValueKind::scalar;  // what it is
  bool constant = false;               // a scalar or real with the value below
  BufferId buffer{};                   // ref: what it is of; none: a window or a view
  std::int64_t integer = 0;            // of a constant scalar
  double real = 0;                     // of a constant real
  SemaphoreId semaphore{};             // sem: what it is of
  StmtId statement;                    // result of a statement: which one
  std::string name;                    // as the source calls it; may be empty, need not be unique
};

// An operand, a result or scratch. Row-major unless `order` says how its dimensions are stored,
// outermost first.
struct Buffer {
  std::string name;            // unique among buffers and semaphores
  Role role = Role::scratch;   // operand, result or scratch
  Space space = Space::hbm;    // where it lies
  DType dtype = DType::f32;    // type of its elements
  Shape shape;                 // extents in elements
  std::vector<int> order;      // empty: 0, 1, 2, ...
  bool scoped = false;         // exists between its alloc and free only
  bool may_be_unread = false;  // declared so: it is no mistake that some of it is not read
  ValueId value = no_value;    // its ref value
  PlaceId place;               // its declaration; none for what no source has
};

// A semaphore of each core, or an array of them.
struct Semaphore {
  std::string name;               // unique among buffers and semaphores
  SemKind kind = SemKind::count;  // what it counts
  Shape shape;                    // empty: a single one
  std::int64_t collective = 0;  // barrier only: semaphores of one id are one semaphore of the core
  bool monotone = false;        // never waited on, only awaited; exempt from zero at exit
  bool scoped = false;          // exists between its alloc and free only
  ValueId value = no_value;     // its sem value
  PlaceId place;                // its declaration; none for what no source has
};

// A place in a source, and the call that it was inlined from.
struct Place {
  Loc loc;         // empty for what no source has
  PlaceId caller;  // the call; none: not inlined
  // Where the program's own text has it, when a `# line` there says that it comes from `loc`, which
  // is a whole line then; else empty.
  Loc written{};
};

// A loop or grid dimension of the source that statements of an expanded program stand in, and the
// value that is its index there. What a pipeline does for a point behind or ahead of its loops has
// that point's index; the loops that `expand` makes for itself are none.
struct Loop {
  std::string name;          // as the source calls it; may be empty
  ValueId index = no_value;  // the scalar that is its index
  LoopId outer;              // the loop around it, if there is one
};

// One statement.
struct Stmt {
  Op op;                      // what it does
  ValueId result = no_value;  // the value that it defines
  PlaceId place;              // where the source has it
  // Of ops that bound a region: of the begin its else or end, of an else its end, of an end its
  // begin.
  StmtId partner;
  LoopId loop;  // the innermost around it, if there is one; set by `expand`
};

// Slots of a window, at most.
inline constexpr std::int64_t max_window_depth = 1024;

// A parameter of a kernel with its value.
struct Setting {
  std::string name;   // of the parameter
  std::string value;  // an integer, a real or a dtype as text
};

// One kernel with its parameters fixed.
struct Program {
  std::string name;                 // of the kernel
  std::string doc;                  // the comment above the kernel
  std::vector<Setting> settings;    // problem and tuning parameters and dtypes, for reports
  Table<BufferId, Buffer> buffers;  // in the order of declaration: operands, results, scratch
  Table<SemaphoreId, Semaphore> semaphores;  // in the order of declaration
  Table<ValueId, Value> values;              // constants, declarations and results
  Table<TextId, std::string> texts;          // the literal texts of ops
  Table<PlaceId, Place> places;              // of declarations, statements and calls
  Table<LoopId, Loop> loops;                 // around the statements of an expanded program
  Table<StmtId, Stmt> body;                  // in the order of the text
  // The numbers of devices, and of cores of each, that the program was made for; 0: any number.
  int devices = 0, cores = 0;
  PlaceId call_place;  // of what begins and ends each of several launches; none: of one launch

  // The value of that id, which must be of one.
  const Value& value(ValueId id) const { return values[id]; }
  // The buffer a ref value names, or null for a window.
  const Buffer* buffer(ValueId ref) const;
  // By name; null when there is none.
  const Buffer* find_buffer(std::string_view buffer_name) const;
  // The number that a constant scalar is; none for other values.
  std::optional<std::int64_t> constant(ValueId id) const;
  // Where the statement comes from; none of none.
  PlaceId place_of(StmtId statement) const { return statement ? body[statement].place : PlaceId(); }
  // The place in the source; empty for none.
  Loc loc(PlaceId place) const { return place ? places[place].loc : Loc{}; }
  Loc loc(StmtId statement) const { return loc(place_of(statement)); }
  // The place in the program's own text: another one than loc() behind a `# line` only.
  Loc written(PlaceId place) const;
};

}  // namespace tessera
