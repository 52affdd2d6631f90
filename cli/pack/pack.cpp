#include "cli/pack/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "cli/command.h"
#include "core/data/base64.h"
#include "core/report/printable.h"
#include "core/report/try.h"
#include "kernels/programs/kernels.h"
#include "text/read_json.h"

namespace tessera::cli {
namespace {

constexpr std::int64_t pack_format = 1;

// True if the content can be stored as text: valid UTF-8 without control characters except tab and
// newline.
bool is_text(const std::string& content) { return printable(content) == content; }

Json content_json(const std::string& content) {
  Json json = Json::object();
  if (is_text(content))
    json["text"] = content;
  else
    json["base64"] = base64(content);
  return json;
}

class Reader {
 public:
  explicit Reader(std::string_view path) : path_(path) {}

  template <typename... Values>
  Diag fail(fmt::format_string<Values...> what, Values&&... values) const {
    return error(fmt::format("{} is not a pack: {}", path_,
                             fmt::format(what, std::forward<Values>(values)...)));
  }
  Expected<std::vector<std::string>> words(const Json& root, std::string_view member) const {
    const Json* const list = root.find(member);
    if (list == nullptr || !list->is_array()) return fail("expected an array `{}`", member);
    std::vector<std::string> words;
    for (const Json& word : list->elements()) {
      const auto* text = std::get_if<std::string>(&word.value());
      if (text == nullptr || printable_line(*text) != *text)
        return fail("expected printable strings in `{}`", member);
      words.push_back(*text);
    }
    return words;
  }
  Expected<std::string> content(const std::string& name, const Json& file) const {
    const auto* members = std::get_if<Json::Object>(&file.value());
    const bool is_one = members != nullptr && members->size() == 1;
    const auto* text =
        is_one ? std::get_if<std::string>(&members->front().second.value()) : nullptr;
    if (text != nullptr && members->front().first == "text") return *text;
    if (text != nullptr && members->front().first == "base64")
      if (std::optional<std::string> bytes = parse_base64(*text)) return *std::move(bytes);
    return fail("expected `text` or `base64` for the file {}", printable_line(name));
  }
  Expected<void> check_name(const std::string& name) const {
    if (is_packable(name)) return {};
    return fail("expected names of files without a folder, found '{}'", printable_line(name));
  }

 private:
  std::string_view path_;
};

}  // namespace

Json to_json(const Pack& pack, const Json& report) {
  Json files = Json::object();
  for (const auto& [name, content] : pack.files) files[name] = content_json(content);
  return {{"tessera_pack", pack_format},
          {"command", Json(pack.command)},
          {"replay", Json(pack.replay)},
          {"files", std::move(files)},
          {"report", report}};
}

Expected<Pack> parse_pack(std::string_view text, std::string_view path) {
  const Reader reader(path);
  const Json root = TRY(read_json(text, path, "report"));
  const auto* members = std::get_if<Json::Object>(&root.value());
  if (members == nullptr) return reader.fail("expected an object");
  constexpr std::array<std::string_view, 5> known = {"tessera_pack", "command", "replay", "files",
                                                     "report"};
  for (const auto& [name, value] : *members)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return reader.fail("it has an unknown member `{}`", printable_line(name));
  const Json* const format = root.find("tessera_pack");
  if (format == nullptr || std::holds_alternative<std::string>(format->value()) ||
      format->text() != std::to_string(pack_format))
    return reader.fail("expected format {} in `tessera_pack`", pack_format);
  Pack pack{TRY(reader.words(root, "command")), TRY(reader.words(root, "replay")), {}};
  if (pack.command.empty()) return reader.fail("`command` is empty");
  const Json* const files = root.find("files");
  const auto* contents = files == nullptr ? nullptr : std::get_if<Json::Object>(&files->value());
  if (contents == nullptr) return reader.fail("expected an object `files`");
  for (const auto& [name, file] : *contents) {
    TRY(reader.check_name(name));
    pack.files.emplace(name, TRY(reader.content(name, file)));
  }
  return pack;
}

bool is_packable(const std::string& name) {
  constexpr std::size_t longest = 255;
  if (name.empty() || name.size() > longest || name.front() == '-' ||
      name.find_first_of("/\\<>#{}[]") != name.npos || printable_line(name) != name ||
      name.ends_with(pack_ending) || find_kernel(name) != nullptr)
    return false;
  const std::vector<Command> known = commands();
  return std::none_of(known.begin(), known.end(),
                      [&](const Command& command) { return command.name == name; });
}

std::string without_folder(std::string_view file) {
  const std::size_t tensor = file.find(".safetensors#");
  const std::size_t slash = file.substr(0, tensor).rfind('/');
  return std::string(file.substr(slash == file.npos ? 0 : slash + 1));
}

bool is_personal(std::string_view option) {
  return std::find(personal_options.begin(), personal_options.end(), option) !=
         personal_options.end();
}

}  // namespace tessera::cli
