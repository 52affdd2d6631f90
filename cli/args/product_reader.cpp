#include "cli/args/product_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/operations/operation_report.h"
#include "core/report/try.h"
#include "text/numbers.h"

namespace tessera::cli {

Expected<void> ProductReader::begin() {
  call_.request = TRY(run_request(arguments_, true));
  call_.seed = seed();
  return {};
}

std::int64_t ProductReader::extent_of(std::string_view option) {
  if (!has(option)) complain(fmt::format("--{} is missing", option));
  return optional(option).value_or(0);
}

std::optional<ProductReader::Axes> ProductReader::list(std::string_view option,
                                                       std::string_view text) {
  const auto numbers = parse_integers(text);
  if (numbers &&
      std::all_of(numbers->begin(), numbers->end(), [](std::int64_t x) { return x >= 0; }))
    return numbers;
  complain(fmt::format("--{}: expected numbers such as 2,0, found '{}'", option, text));
  return std::nullopt;
}

void ProductReader::pair(std::string_view option, Axes& left, Axes& right) {
  const auto sides = split(text(option), '/');
  if (sides.size() != 2)
    return complain(fmt::format("--{}: expected axes of lhs and of rhs such as 1/2, found '{}'",
                                option, text(option)));
  left = list(option, sides[0]).value_or(Axes{});
  right = list(option, sides[1]).value_or(Axes{});
}

bool ProductReader::has_shapes(const std::optional<Tensor>& lhs,
                               const std::optional<Tensor>& rhs) const {
  return lhs || rhs || has("lhs-shape") || has("rhs-shape");
}

void ProductReader::refuse(std::span<const std::string_view> options, std::string_view why) {
  for (const std::string_view option : options)
    if (has(option)) complain(fmt::format("--{} {}", option, why));
}

void ProductReader::read_shapes(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs,
                                const std::optional<Shape>& lhs_else,
                                const std::optional<Shape>& rhs_else) {
  const auto shape = [&](std::string_view option, const std::optional<Tensor>& file,
                         const std::optional<Shape>& otherwise) -> Shape {
    if (file && has(option))
      complain(fmt::format("--{}: the file already gives the shape", option));
    if (file) return file->shape();
    if (!has(option) && otherwise) return *otherwise;
    if (!has(option)) complain(fmt::format("--{} is missing", option));
    return list(option).value_or(Shape{});
  };
  lhs_shape_ = shape("lhs-shape", lhs, lhs_else);
  rhs_shape_ = shape("rhs-shape", rhs, rhs_else);
}

std::int64_t ProductReader::terms(const Axes& lhs_contracting) const {
  std::int64_t result = 1;
  for (const std::int64_t axis : lhs_contracting)
    if (axis >= 0 && axis < static_cast<std::int64_t>(lhs_shape_.size()))
      result *= lhs_shape_[static_cast<std::size_t>(axis)];
  return result;
}

void ProductReader::describe(DType lhs, DType rhs, DType out_dtype, const Shape& out,
                             const std::string& groups) {
  call_.out_dtype = out_dtype;
  const std::string shape =
      fmt::format("{} . {} -> {}", to_string(lhs_shape_), to_string(rhs_shape_), to_string(out));
  const Words lines = {
      {"shape", shape},
      {"groups", groups},
      {"types", fmt::format("{} . {} -> {}", name(lhs), name(rhs), name(out_dtype))}};
  call_.lines.insert(call_.lines.begin(), lines.begin(), lines.end());
  call_.fields["shape"] = {{"lhs", lhs_shape_}, {"rhs", rhs_shape_}, {"out", out}};
  call_.title = fmt::format("{}, {}", shape, groups);
}

Options product_options(Options own) {
  const Options all = {
      {"lhs-shape", "LIST",
       "shape of an lhs with any axes; requires --rhs-shape and --contracting"},
      {"rhs-shape", "LIST", "shape of rhs, with --lhs-shape"},
      {"groups", "N", "number of groups, if the group sizes do not give it"},
      {"group-sizes", "LIST|NAME|@FILE.npy",
       "sizes as in 100,150,50; or drawn by --seed: uniform, multinomial, zipf:1.2, onehot, "
       "empty:50, "
       "jitter:30",
       false, FileUse::reads},
      {"tiling", "tm,tk,tn", "sides of the tiles; default 128,128,128 or the profile's"},
      {"buffers", "N", "slots of each input window; default 2"},
      {"precision", "default|high|highest",
       "precision of the products; on the interpreter all three compute in f32"},
      {"fill", "normal|uniform|integers", "data of operands that are not given"},
      {"seed", "N", "seed of the operands and group sizes that are drawn; default 0"},
      {"lhs", "FILE", ".npy or FILE.safetensors#tensor, of any axes", false, FileUse::reads},
      {"rhs", "FILE", ".npy or FILE.safetensors#tensor, of any axes", false, FileUse::reads},
  };
  own.insert(own.end(), all.begin(), all.end());
  return operation_options(std::move(own));
}

}  // namespace tessera::cli
