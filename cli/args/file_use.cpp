#include "cli/args/file_use.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "cli/args/dump_words.h"
#include "core/host/output_file.h"

namespace tessera::cli {
namespace {

bool meet(const FilePlace& a, const FilePlace& b) {
  const bool are_parts = !a.tensor.empty() && !b.tensor.empty();
  return a.path == b.path && !(are_parts && a.tensor != b.tensor);
}

}  // namespace

std::string_view file_in(const Option& option, std::string_view value) {
  if (option.value.starts_with("NAME=")) {
    const std::size_t equals = value.find('=');
    return equals == std::string_view::npos ? "" : value.substr(equals + 1);
  }
  if (option.value.starts_with("[NAME=]")) {
    const std::size_t equals = value.find('=');
    return named_file(value).name.empty() ? value : value.substr(equals + 1);
  }
  if (option.value.starts_with("NAME@PLACE=")) {
    const std::optional<DumpWords> read = dump_words(value);
    return read ? value.substr(value.size() - read->file.size()) : "";
  }
  for (const std::string_view before : {"@FILE", "replay:FILE"}) {
    if (option.value.find(before) == std::string_view::npos) continue;
    const std::string_view word = before.substr(0, before.find("FILE"));
    return value.starts_with(word) ? value.substr(word.size()) : "";
  }
  if (option.value.ends_with("|JSON") && value.find_first_of("{[") == 0) return "";
  return value == "-" ? "" : value;
}

NamedFile named_file(std::string_view value) {
  const std::size_t equals = value.find('=');
  const std::string_view name = value.substr(0, equals);
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_";
  // A file with `=` in its name can be given as ./a=b.npy.
  if (equals == std::string_view::npos || name.empty() ||
      name.find_first_not_of(letters) != std::string_view::npos)
    return {"", std::string(value)};
  return {std::string(name), std::string(value.substr(equals + 1))};
}

FilePlace file_place(std::string by, std::string_view text, const Files* files) {
  constexpr std::string_view separator = ".safetensors#";
  FilePlace result{std::move(by), std::string(text), std::string(text), {}};
  if (is_held_name(text, files) || held_text(text, files) != nullptr) return result;
  if (const std::size_t at = text.find(separator); at != std::string_view::npos) {
    const std::size_t hash = at + separator.size() - 1;
    result.path = text.substr(0, hash);
    result.tensor = text.substr(hash + 1);
  }
  const Expected<std::string> target = final_path(result.path);
  if (!target) return result;  // the error is reported when the file is opened
  std::error_code failed;
  const auto canonical =
      std::filesystem::weakly_canonical(std::filesystem::absolute(*target, failed), failed);
  if (!failed) result.path = canonical.string();
  return result;
}

Expected<void> check_places(const std::vector<FilePlace>& read,
                            const std::vector<FilePlace>& written) {
  Diags diags;
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!meet(written[i], written[j])) continue;
      diags.push_back(error(
          fmt::format("{} and {} both write {}", written[j].by, written[i].by, written[i].text)));
    }
    for (const FilePlace& input : read) {
      if (!meet(written[i], input)) continue;
      diags.push_back(error(fmt::format("{} would replace {}, which {} reads", written[i].by,
                                        written[i].text, input.by)));
    }
  }
  if (!diags.empty()) return diags;
  return {};
}

Expected<void> check_files(const Options& options, std::string_view operand,
                           const Arguments& arguments) {
  std::vector<FilePlace> read, written;
  if (operand.starts_with("FILE")) {
    for (const std::string& word : arguments.words())
      if (word != "-") read.push_back(file_place("the command", word, arguments.files()));
  }
  for (const Option& option : options) {
    if (option.file == FileUse::none) continue;
    for (const std::string& value : arguments.glance(option.name)) {
      const std::string_view file = file_in(option, value);
      if (file.empty()) continue;
      (option.file == FileUse::reads ? read : written)
          .push_back(file_place(fmt::format("--{}", option.name), file, arguments.files()));
    }
  }
  return check_places(read, written);
}

}  // namespace tessera::cli
