#include "interp/findings/memory_text.h"

#include <fmt/format.h>

#include <vector>

#include "core/program/unknown_values.h"
#include "interp/findings/describe.h"
#include "interp/findings/elements_text.h"

namespace tessera {

std::string memory_text(const Program& program, BufferId buffer, Storage& storage, const Box& box,
                        Computed computed) {
  const DType dtype = program.buffers[buffer].dtype;
  const std::string what = fmt::format("{} {}", slice_text(program, buffer, box), name(dtype));
  if (storage.outside(box) >= 0)
    return fmt::format("{}: it leaves {}", what, shape_text(program, buffer));
  if (!storage.is_live())
    return what + ": it does not exist here: its scope has not begun or has ended";
  if (const std::string why = why_unknown(program, buffer); !why.empty())
    return fmt::format("{}: unknown, produced by {}", what, why);
  if (storage.is_idle() || computed == Computed::no)
    return what + ": its values are not computed in this run";
  if (box.elements() > max_elements)
    return fmt::format("{}: {} elements are too many; print a part of it", what, box.elements());
  const bool is_real = is_float(dtype);
  const std::vector<Element> elements = elements_of(storage, box);
  if (elements.size() == 1) return fmt::format("{} = {}", what, number_text(elements[0], is_real));
  std::string rows = rows_text(elements, columns_of(box), is_real);
  if (!rows.empty()) rows.pop_back();
  return fmt::format("{}, {}\n{}", what, statistics(elements, is_real), rows);
}

}  // namespace tessera
