#include "core/lang/scoped_memory.h"

namespace tessera {

void ScopedMemory::allocate(ValueId ref) {
  builder_.emit(Alloc{builder_.whole(ref)});
  allocated_.push_back(ref);
}

void ScopedMemory::free_from(std::size_t count) {
  while (allocated_.size() > count) {
    builder_.emit(Free{builder_.whole(allocated_.back())});
    allocated_.pop_back();
  }
}

}  // namespace tessera
