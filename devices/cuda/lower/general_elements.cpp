#include "devices/cuda/lower/general_elements.h"

#include <fmt/format.h>

#include "core/program/refs.h"
#include "devices/cuda/lower/element_code.h"

namespace tessera::cuda {

GeneralElements::GeneralElements(const Program& program, ScalarCode& code, KernelNames& names)
    : program_(program), code_(code), names_(names) {
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role != Role::scratch || buffer.space == Space::smem) continue;
    places_[&buffer] = bytes_;
    bytes_ += whole_lines(elements(buffer.shape) * size_of(buffer.dtype));
  }
}

const Window* GeneralElements::window_of(ValueId ref) const {
  const auto found = windows_.find(ref);
  return found == windows_.end() ? nullptr : found->second;
}

std::string GeneralElements::fail(std::string reason) {
  if (problem_.empty()) problem_ = std::move(reason);
  return "0";
}

std::string sum_text(const std::vector<std::string>& terms) {
  std::string text;
  for (const std::string& term : terms) {
    if (term == "0") continue;
    text += (text.empty() ? "" : " + ") + term;
  }
  return text.empty() ? "0" : "(" + text + ")";
}

GeneralElements::Element GeneralElements::scratch(const Buffer& buffer, const Slice& slice,
                                                  const Indices& at) {
  std::string offset = "0";
  std::size_t index = 0;
  for (int d = 0; d < slice.rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    std::vector<std::string> terms{code_.text(slice.start[i])};
    if (!(slice.dropped >> d & 1)) terms.push_back(at[index++]);
    const std::string place = sum_text(terms);
    offset = d == 0 ? place : fmt::format("({} * {} + {})", offset, buffer.shape[i], place);
  }
  return {fmt::format("reinterpret_cast<{}*>(tiles + {})[{}]", storage_type(buffer.dtype),
                      places_.at(&buffer), offset),
          "", buffer.dtype};
}

GeneralElements::Element GeneralElements::window(const Window& op, const Slice& slice,
                                                 const Indices& at) {
  const Buffer* const buffer = program_.buffer(op.source.base);
  if (buffer == nullptr || buffer->space != Space::hbm || buffer->role == Role::scratch) {
    fail("a CUDA kernel's windows are of operands in hbm");
    return {};
  }
  std::vector<std::string> place(buffer->shape.size());
  std::string inside;
  int of_window = 0;
  std::size_t index = 0;
  for (int d = 0; d < op.source.rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    std::vector<std::string> terms{code_.text(op.source.start[i])};
    if (!(op.source.dropped >> d & 1)) {
      const auto w = static_cast<std::size_t>(of_window);
      terms.push_back(code_.text(slice.start[w]));
      if (!(slice.dropped >> of_window & 1)) terms.push_back(at[index++]);
      ++of_window;
    }
    place[i] = sum_text(terms);
    inside += fmt::format("{0}{1} >= 0 && {1} < {2}", inside.empty() ? "" : " && ", place[i],
                          names_.number(buffer->shape[i]));
  }
  std::string offset;
  for (std::size_t o = 0; o < place.size(); ++o) {
    const std::size_t d = buffer->order.empty() ? o : static_cast<std::size_t>(buffer->order[o]);
    offset = o == 0
                 ? place[d]
                 : fmt::format("({} * {} + {})", offset, names_.number(buffer->shape[d]), place[d]);
  }
  return {fmt::format("{}[{}]", names_.operand(*buffer), offset), inside, buffer->dtype};
}

GeneralElements::Element GeneralElements::element(const Slice& slice, const Indices& at) {
  if (const Buffer* const buffer = program_.buffer(slice.base)) {
    if (places_.contains(buffer)) return scratch(*buffer, slice, at);
  } else if (const Window* const op = window_of(slice.base)) {
    return window(*op, slice, at);
  }
  fail("a CUDA kernel's arithmetic works on tiles, scratch and windows only");
  return {};
}

std::string GeneralElements::load(const Slice& slice, const Indices& at, bool whole) {
  const Element from = element(slice, at);
  if (!problem_.empty()) return "0";
  std::string value = fmt::format("{}::load({})", type_text(from.dtype), from.text);
  if (is_integer(from.dtype) && !whole) value = fmt::format("static_cast<float>({})", value);
  return from.inside.empty() ? value : fmt::format("({} ? {} : 0)", from.inside, value);
}

std::string GeneralElements::store(const Slice& target, const std::string& value) {
  Indices at;
  for (std::size_t d = 0; d < kept(target).size(); ++d) at.push_back(fmt::format("e{}", d));
  const Element to = element(target, at);
  if (!problem_.empty()) return "";
  const std::string rounded = fmt::format("{}::of({})", type_text(to.dtype), value);
  return to.inside.empty() ? fmt::format("{} = {};", to.text, rounded)
                           : fmt::format("if ({}) {} = {};", to.inside, to.text, rounded);
}

}  // namespace tessera::cuda
