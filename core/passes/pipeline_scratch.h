// Internal memory of an expanded pipeline: slots, semaphores, and arrays of integers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/builder.h"

namespace tessera {

class PipelineScratch {
 public:
  explicit PipelineScratch(Builder& builder) : builder_(builder) {}

  void alloc(ValueId ref);
  // Frees everything in reverse order of allocation.
  void release();

  // Declares and allocates an array of integers in scalar memory. Elements have arbitrary values
  // until they are stored.
  ValueId new_array(const std::string& name, Shape shape);
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
