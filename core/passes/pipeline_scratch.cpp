#include "core/passes/pipeline_scratch.h"

#include <utility>

namespace tessera {

void PipelineScratch::alloc(ValueId ref) {
  builder_.emit(Alloc{builder_.whole(ref)});
  allocated_.push_back(ref);
}

void PipelineScratch::release() {
  for (auto it = allocated_.rbegin(); it != allocated_.rend(); ++it)
    builder_.emit(Free{builder_.whole(*it)});
}

ValueId PipelineScratch::new_array(const std::string& name, Shape shape) {
  Buffer buffer;
  buffer.name = name;
  buffer.space = Space::smem;
  buffer.dtype = DType::i64;
  buffer.shape = std::move(shape);
  buffer.scoped = true;
  const ValueId ref = builder_.buffer(std::move(buffer));
  alloc(ref);
  define_all(ref);
  return ref;
}

// Defines every element of the array: a step may load and compare an element that no earlier step
// has stored, without using the result. `iota` is the only op on scalar memory that writes a whole
// array without reading another.
void PipelineScratch::define_all(ValueId array) { builder_.emit(Iota{builder_.whole(array)}); }

ValueId PipelineScratch::load(ValueId array, ValueId index, std::string_view name) {
  return builder_.emit(Load{builder_.element(array, {&index, 1})}, name);
}

ValueId PipelineScratch::load_number(ValueId array, std::int64_t index, std::string_view name) {
  return load(array, builder_.integer(index), name);
}

void PipelineScratch::store(ValueId array, ValueId index, ValueId value) {
  builder_.emit(Store{builder_.element(array, {&index, 1}), value});
}

void PipelineScratch::store_number(ValueId array, std::int64_t index, ValueId value) {
  store(array, builder_.integer(index), value);
}

}  // namespace tessera
