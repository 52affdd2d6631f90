// A program: one kernel with fixed parameters. Its statements are a flat list; regions are closed
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

// Memory space. hbm: device memory; vmem: scratch next to the matrix unit; smem: scalar memory;
// tile: registers (counted as vmem).
enum class Space : std::uint8_t { hbm, vmem, smem, tile };
// Role of a buffer: an operand, a result, or internal memory of the kernel.
enum class Role : std::uint8_t { in, out, scratch };
// Kind of counts: signals; bytes of copies; signals of all cores to each other, by collective id.
enum class SemKind : std::uint8_t { count, bytes, barrier };

// Return the name of the enumerator, which is the word in the language.
std::string_view name(Space space);
std::string_view name(Role role);
std::string_view name(SemKind kind);

// A 64-bit integer, an f32, memory, or semaphores.
enum class ValueKind : std::uint8_t { scalar, real, ref, sem };

// A constant, a buffer, a semaphore array, or the result of the one statement that defines it.
struct Value {
  ValueKind kind = ValueKind::scalar;  // kind of value
  bool constant = false;               // true for a scalar or real with the value below
  BufferId buffer{};                   // for a ref: its buffer; none: a window or a view
  std::int64_t integer = 0;            // value of a constant scalar
  double real = 0;                     // value of a constant real
  SemaphoreId semaphore{};             // for a sem: its semaphore
  StmtId statement;                    // statement that defines it; none: not a result
  std::string name;                    // name in the source; may be empty, not necessarily unique
};

// An operand, a result or scratch. Row-major, unless `order` lists its dimensions in storage order,
// outermost first.
struct Buffer {
  std::string name;            // unique among buffers and semaphores
  Role role = Role::scratch;   // operand, result or scratch
  Space space = Space::hbm;    // memory space
  DType dtype = DType::f32;    // element type
  Shape shape;                 // extents in elements
  std::vector<int> order;      // empty: 0, 1, 2, ...
  bool scoped = false;         // exists only between its alloc and free
  bool may_be_unread = false;  // declared so: parts may remain unread without a finding
  ValueId value = no_value;    // ref value of the buffer
  PlaceId place;               // declaration; none: not from a source
};

// A semaphore of each core, or an array of semaphores.
struct Semaphore {
  std::string name;               // unique among buffers and semaphores
  SemKind kind = SemKind::count;  // kind of counts
  Shape shape;                    // empty: a single semaphore
  std::int64_t collective = 0;    // barriers with equal ids share one semaphore per core
  bool monotone = false;          // used by await, never by wait; need not be 0 at the end
  bool scoped = false;            // exists only between its alloc and free
  ValueId value = no_value;       // sem value of the semaphore
  PlaceId place;                  // declaration; none: not from a source
};

// A place in a source, with the call from which it was inlined.
struct Place {
  Loc loc;         // empty: not from a source
  PlaceId caller;  // the call; none: not inlined
  // Location in the program's own text, if a `# line` there maps it to `loc` (then a whole line);
  // else empty.
  Loc written{};
};

// A loop or grid dimension of the source around statements of an expanded program, and the value of
// its index there. Actions of a pipeline for a later or earlier grid point have the index of that
// point. Loops created by `expand` itself are not included.
struct Loop {
  std::string name;          // name in the source; may be empty
  ValueId index = no_value;  // scalar value of its index
  LoopId outer;              // enclosing loop; none: outermost
};

// One statement.
struct Stmt {
  Op op;                      // operation
  ValueId result = no_value;  // value that it defines
  PlaceId place;              // location in the source
  // Other boundary of a region. For the beginning: its else or end; for an else: its end; for an
  // end: the else, or the beginning if there is no else.
  StmtId partner;
  LoopId loop;  // innermost enclosing loop, if there is one; set by `expand`
};

// True for a `for` that is marked parallel.
inline bool is_parallel_for(const Stmt& statement) {
  const auto* loop = std::get_if<For>(&statement.op);
  return loop != nullptr && loop->parallel != 0;
}

// Max slots of a window.
inline constexpr std::int64_t max_window_depth = 1024;

// A kernel parameter with its value.
struct Setting {
  std::string name;   // parameter name
  std::string value;  // an integer, a real or a dtype as text
};

// One kernel with its parameters fixed.
struct Program {
  std::string name;                 // kernel name
  std::string doc;                  // the comment above the kernel
  std::vector<Setting> settings;    // problem and tuning parameters and dtypes, for reports
  Table<BufferId, Buffer> buffers;  // operands, results and scratch, in declaration order
  Table<SemaphoreId, Semaphore> semaphores;  // in declaration order
  Table<ValueId, Value> values;              // constants, declarations and results
  Table<TextId, std::string> texts;          // literal texts of ops
  Table<PlaceId, Place> places;              // places of declarations, statements and calls
  Table<LoopId, Loop> loops;                 // loops around the statements of an expanded program
  Table<StmtId, Stmt> body;                  // in text order
  // Number of devices, and of cores per device, that the program requires; 0: any number.
  int devices = 0, cores = 0;
  PlaceId call_place;  // place of the ops around each of several launches; none: single launch

  // Returns the value of that id, which must be in the table (unchecked), like all value ids below.
  const Value& value(ValueId id) const { return values[id]; }
  // Returns the buffer that a ref value names. Null for windows, views and other values. The
  // pointer, like the next one, stays valid until buffers are added.
  const Buffer* buffer(ValueId ref) const;
  // Returns the buffer of that name; null if there is none.
  const Buffer* find_buffer(std::string_view buffer_name) const;
  // Returns the integer of a constant scalar; none for other values.
  std::optional<std::int64_t> constant(ValueId id) const;
  // Returns the place of the statement; none if the id is none.
  PlaceId place_of(StmtId statement) const { return statement ? body[statement].place : PlaceId(); }
  // Return the location in the source; empty if the id is none, or the place is not from a source.
  Loc loc(PlaceId place) const { return place ? places[place].loc : Loc{}; }
  Loc loc(StmtId statement) const { return loc(place_of(statement)); }
  // Returns the location in the program's own text; empty if the id is none. Differs from loc()
  // only after a `# line`.
  Loc written(PlaceId place) const;
};

}  // namespace tessera
