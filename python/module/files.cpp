#include "python/module/files.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string>

#include "python/module/arrays.h"

namespace nb = nanobind;

namespace tessera::python {

HeldFiles held_files_of(const nb::dict& texts, const nb::dict& arrays) {
  HeldFiles files;
  for (const auto& [name, text] : texts)
    files.texts.emplace(nb::cast<std::string>(name), nb::cast<std::string>(text));
  for (const auto& [name, given] : arrays) {
    const auto pair = nb::cast<nb::tuple>(given);
    files.tensors.emplace(nb::cast<std::string>(name),
                          held(nb::cast<AnyArray>(pair[0], false), nb::cast<std::string>(pair[1])));
  }
  return files;
}

nb::dict written_of(HeldFiles& files) {
  nb::dict written;
  for (auto& [label, tensor] : files.written) {
    const std::string_view dtype = name(tensor.dtype());
    written[nb::cast(label)] = nb::make_tuple(array_of(std::move(tensor)), dtype);
  }
  return written;
}

}  // namespace tessera::python
