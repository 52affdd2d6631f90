#include "python/module/files.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string>

#include "python/module/arrays.h"

namespace nb = nanobind;

namespace tessera::python {

std::string text_of(nb::handle given) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
  if (text == nullptr) throw nb::python_error();
  return {text, static_cast<std::size_t>(size)};
}

std::vector<std::string> texts_of(const nb::list& given) {
  std::vector<std::string> texts;
  for (const nb::handle text : given) texts.push_back(text_of(text));
  return texts;
}

HeldFiles held_files_of(const nb::dict& texts, const nb::dict& arrays) {
  HeldFiles files;
  for (const auto& [name, text] : texts) files.texts.emplace(text_of(name), text_of(text));
  for (const auto& [name, given] : arrays) {
    const auto pair = nb::cast<nb::tuple>(given);
    files.tensors.emplace(text_of(name),
                          held(nb::cast<AnyArray>(pair[0], false), text_of(pair[1])));
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
