#include "cli/args/operation_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/data/tensor_file.h"
#include "kernels/inputs/group_sizes.h"
#include "text/numbers.h"

namespace tessera::cli {

std::optional<DType> OperationReader::type(std::string_view option,
                                           std::span<const std::string_view> names) {
  if (!has(option)) return std::nullopt;
  return parse_dtype(names[choice(option, names)]);
}

Precision OperationReader::precision() {
  constexpr std::array<std::string_view, 3> words = {"default", "high", "highest"};
  return static_cast<Precision>(choice("precision", words));
}

std::optional<Tiling> OperationReader::tiling() {
  if (!has("tiling")) return std::nullopt;
  const auto sides = parse_integers(text("tiling"));
  if (sides && sides->size() == 3 && *std::min_element(sides->begin(), sides->end()) > 0)
    return Tiling{(*sides)[0], (*sides)[1], (*sides)[2]};
  complain(
      fmt::format("--tiling: expected three positive sides tm,tk,tn, found '{}'", text("tiling")));
  return std::nullopt;
}

std::optional<Tensor> OperationReader::load(std::string_view option, std::optional<DType> declared,
                                            DType fallback) {
  if (!has(option)) return std::nullopt;
  return taken(load_operand(std::string(text(option)), declared, fallback, arguments_.files()));
}

std::optional<std::vector<std::int64_t>> OperationReader::drawn_sizes(
    const std::string& text, std::optional<std::int64_t> groups, std::optional<std::int64_t> rows) {
  if (!text.empty())
    if (const auto known = check_group_sizes(text); !known)
      return take(known.diags()), std::nullopt;
  if (!groups)
    complain(text.empty()
                 ? "--group-sizes is missing"
                 : fmt::format(
                       "--groups is missing: --group-sizes {} does not give the number of groups",
                       text));
  if (!rows) complain("--m is missing: only listed group sizes give the number of rows");
  if (!groups || !rows) return std::nullopt;
  return taken(generate_group_sizes(text.empty() ? "uniform" : text, *groups, *rows, seed()));
}

std::optional<Tensor> OperationReader::group_sizes(std::optional<std::int64_t> rows) {
  const std::string given(text("group-sizes"));
  if (has("sizes") && !given.empty()) {
    complain("--sizes and --group-sizes both give the group sizes: use one of them");
    return std::nullopt;
  }
  if (has("sizes")) return taken(load_tensor(text("sizes"), std::nullopt, arguments_.files()));
  if (given.starts_with('@'))
    return taken(load_tensor(given.substr(1), std::nullopt, arguments_.files()));
  const auto groups = optional("groups", 1, max_groups);
  const bool is_list = !given.empty() && is_group_size_list(given);
  const auto sizes = is_list ? taken(parse_group_sizes(given)) : drawn_sizes(given, groups, rows);
  if (!sizes) return std::nullopt;
  if (is_list && groups && *groups != static_cast<std::int64_t>(sizes->size())) {
    complain(fmt::format("--groups gives groups = {}, and --group-sizes gives {}", *groups,
                         sizes->size()));
    return std::nullopt;
  }
  return sizes_tensor(*sizes);
}

}  // namespace tessera::cli
