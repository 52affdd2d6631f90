// Internal memory of an expanded pipeline: slots, semaphores, and arrays of integers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/builder.h"

namespace tessera {

// Emits the ops that allocate, access and free this memory.
class PipelineScratch {
 public:
  // `builder` must outlive this object.
  explicit PipelineScratch(Builder& builder) : builder_(builder) {}

  // Emits the alloc of a declared, scoped buffer or semaphore array.
  void alloc(ValueId ref);
  // Emits the frees of everything allocated, in reverse order. Must be called only once.
  void release();

  // Declares and allocates an array of integers in scalar memory. Elements have arbitrary values
  // until they are stored.
  ValueId new_array(const std::string& name, Shape shape);
  // Emit the load or the store of an element of a one-dimensional array. A load returns the scalar;
  // name: name of the scalar. The index is a scalar or, for load_number() and store_number(),
  // fixed.
  ValueId load(ValueId array, ValueId index, std::string_view name = {});
  ValueId load_number(ValueId array, std::int64_t index, std::string_view name = {});
  void store(ValueId array, ValueId index, ValueId value);
  void store_number(ValueId array, std::int64_t index, ValueId value);

 private:
  void define_all(ValueId array);

  Builder& builder_;
  std::vector<ValueId> allocated_;
};

}  // namespace tessera
