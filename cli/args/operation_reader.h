// Reads the options of one operation and collects their errors. For a malformed value a function
// adds an error to diags(), and returns the same as without the option: none, 0 or the fallback.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/operation_options.h"
#include "core/kernel/tiling.h"
#include "kernels/grouped_matmul/grouped_matmul.h"

namespace tessera::cli {

class OperationReader {
 public:
  explicit OperationReader(const Arguments& arguments) : arguments_(arguments) {}

  bool has(std::string_view option) const { return arguments_.has(option); }
  std::string_view text(std::string_view option) const { return arguments_.text(option); }
  // optional() and integer() accept integers from `lowest` to `highest`. choice(): returns the
  // index of the value in `words`.
  std::optional<std::int64_t> optional(std::string_view option, std::int64_t lowest = 0,
                                       std::int64_t highest = INT64_MAX) {
    return arguments_.integer(option, diags_, lowest, highest);
  }
  std::int64_t integer(std::string_view option, std::int64_t fallback, std::int64_t lowest = 0) {
    return optional(option, lowest).value_or(fallback);
  }
  std::size_t choice(std::string_view option, std::span<const std::string_view> words) {
    return arguments_.choice(option, words, diags_);
  }
  // Returns the element type that the option names; none without the option. Another type than
  // `names` is an error, and the first of them is returned.
  std::optional<DType> type(std::string_view option, std::span<const std::string_view> names);
  std::uint64_t seed() { return static_cast<std::uint64_t>(integer("seed", 0)); }
  Fill fill_kind() { return fill_option(arguments_, diags_); }
  // Returns the value of --precision, with Precision::Default as default.
  Precision precision();
  // Returns the tiling of --tiling, three positive sides; none if it is not given or malformed.
  std::optional<Tiling> tiling();

  // Returns the tensor of --OPTION FILE by load_operand(); none if the option is not given or the
  // file cannot be loaded.
  std::optional<Tensor> load(std::string_view option, std::optional<DType> declared,
                             DType fallback);
  // Draws the sizes of `groups` groups with `rows` rows in total, by --seed. If either number is
  // missing, or for an unknown distribution, adds an error and returns none. text: name of a
  // distribution; empty: uniform.
  std::optional<std::vector<std::int64_t>> drawn_sizes(const std::string& text,
                                                       std::optional<std::int64_t> groups,
                                                       std::optional<std::int64_t> rows);
  // Returns the group sizes from --sizes FILE or from --group-sizes: a list, @FILE, or a
  // distribution (the default), which requires --groups and `rows`. None if there is an error. A
  // tensor from a file is not checked. rows: total number of rows; ignored for listed sizes and for
  // a file.
  std::optional<Tensor> group_sizes(std::optional<std::int64_t> rows);

  void complain(std::string text) { diags_.push_back(error(std::move(text))); }
  void take(const Diags& diags) { diags_.insert(diags_.end(), diags.begin(), diags.end()); }
  bool ok() const { return diags_.empty(); }
  const Diags& diags() const { return diags_; }

 protected:
  // Returns the value. None if `value` has errors, which are added to diags().
  template <typename T>
  std::optional<T> taken(Expected<T> value) {
    if (value) return *std::move(value);
    take(value.diags());
    return std::nullopt;
  }

  const Arguments& arguments_;
  Diags diags_;
};

}  // namespace tessera::cli
