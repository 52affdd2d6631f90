// Operands and group sizes that files or the command line give.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/args/operation_options.h"
#include "core/data/tensor_file.h"
#include "kernels/inputs/group_sizes.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

void take(const Diags& from, Diags& diags) { diags.insert(diags.end(), from.begin(), from.end()); }

// None if the tensor is an error, which is added to `diags`.
std::optional<Tensor> taken(Expected<Tensor> tensor, Diags& diags) {
  if (tensor) return *std::move(tensor);
  take(tensor.diags(), diags);
  return std::nullopt;
}

std::optional<Tensor> loaded(const std::string& file, Diags& diags) {
  return taken(load_tensor(file, std::nullopt), diags);
}

}  // namespace

Tensor sizes_tensor(const std::vector<std::int64_t>& sizes) {
  const bool fits =
      std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size <= INT32_MAX; });
  Tensor tensor(fits ? DType::i32 : DType::i64, {static_cast<std::int64_t>(sizes.size())});
  for (std::size_t g = 0; g < sizes.size(); ++g)
    tensor.set(static_cast<std::int64_t>(g), static_cast<double>(sizes[g]));
  return tensor;
}

Expected<Tensor> load_operand(const std::string& file, std::optional<DType> declared,
                              DType fallback) {
  Expected<Tensor> tensor = load_tensor(file, declared);
  if (tensor || declared) return tensor;
  Expected<Tensor> raw = load_tensor(file, fallback);
  return raw ? std::move(raw) : std::move(tensor);
}

std::optional<Tensor> file_option(const Arguments& arguments, std::string_view option,
                                  std::optional<DType> declared, DType fallback, Diags& diags) {
  if (!arguments.has(option)) return std::nullopt;
  return taken(load_operand(std::string(arguments.text(option)), declared, fallback), diags);
}

std::optional<std::vector<std::int64_t>> drawn_sizes(const std::string& text,
                                                     std::optional<std::int64_t> groups,
                                                     std::optional<std::int64_t> rows,
                                                     std::uint64_t seed, Diags& diags) {
  if (!text.empty())
    if (const auto known = check_group_sizes(text); !known)
      return take(known.diags(), diags), std::nullopt;
  if (!groups) {
    diags.push_back(error(text.empty()
                              ? "--group-sizes is missing"
                              : fmt::format("--groups is missing: --group-sizes {} does not say "
                                            "how many there are",
                                            text)));
  }
  if (!rows) {
    diags.push_back(error("--m is missing: only listed group sizes give the number of rows"));
  }
  if (!groups || !rows) return std::nullopt;
  auto sizes = generate_group_sizes(text.empty() ? "uniform" : text, *groups, *rows, seed);
  if (!sizes) return take(sizes.diags(), diags), std::nullopt;
  return *std::move(sizes);
}

std::optional<Tensor> sizes_option(const Arguments& arguments, std::optional<std::int64_t> rows,
                                   std::uint64_t seed, Diags& diags) {
  const std::string text(arguments.text("group-sizes"));
  if (arguments.has("sizes")) {
    if (!text.empty()) {
      diags.push_back(error("--sizes names a file, and --group-sizes gives the sizes"));
      return std::nullopt;
    }
    return loaded(std::string(arguments.text("sizes")), diags);
  }
  if (text.starts_with('@')) return loaded(text.substr(1), diags);
  const auto groups = arguments.integer("groups", diags, 1, max_groups);
  if (!text.empty() && is_group_size_list(text)) {
    const auto sizes = parse_group_sizes(text);
    if (!sizes) return take(sizes.diags(), diags), std::nullopt;
    if (groups && *groups != static_cast<std::int64_t>(sizes->size())) {
      diags.push_back(error(fmt::format("--groups says groups is {}, and --group-sizes says {}",
                                        *groups, sizes->size())));
      return std::nullopt;
    }
    return sizes_tensor(*sizes);
  }
  const auto sizes = drawn_sizes(text, groups, rows, seed, diags);
  if (!sizes) return std::nullopt;
  return sizes_tensor(*sizes);
}

}  // namespace tessera::cli
