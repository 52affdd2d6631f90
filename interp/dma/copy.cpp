#include "interp/dma/copy.h"

namespace tessera {
namespace {

Buffer staging_buffer(const Region& src) {
  Buffer buffer;
  buffer.dtype = src.storage->buffer().dtype;
  buffer.shape.assign(src.box.size.begin(), src.box.size.begin() + src.box.rank);
  return buffer;
}

}  // namespace

Staging::Staging(const Region& src, Checks checks, Contents contents)
    : box(src.box), buffer(staging_buffer(src)), storage(buffer, checks, contents) {
  storage.allocate({});
}

Box Staging::local(const Box& of_source) const {
  Box result = of_source;
  for (int d = 0; d < box.rank; ++d) result.start[Box::at(d)] -= box.start[Box::at(d)];
  return result;
}

}  // namespace tessera
