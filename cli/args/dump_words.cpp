#include "cli/args/dump_words.h"

#include <algorithm>
#include <utility>

#include "text/numbers.h"

namespace tessera::cli {
namespace {

// Splits a place into words at commas and spaces, like the debugger's `break`.
std::vector<std::string> place_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(", ", at), text.size());
    if (end > at) words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool is_index(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && parse_integer(word.substr(equals + 1));
}

bool begins_place(std::string_view word) {
  if (word == "end") return true;
  if (word.starts_with(event_mark))
    return parse_integer(word.substr(event_mark.size())).has_value();
  return parse_integer(word.substr(word.rfind(':') + 1)).has_value();
}

// True if the words form a complete place, so that the next `=` begins the file name.
bool is_place(const std::vector<std::string>& words) {
  if (words.empty() || !begins_place(words.front())) return false;
  return std::all_of(words.begin() + 1, words.end(), [](const std::string& word) {
    return is_index(word) || word.starts_with("dev");
  });
}

}  // namespace

Option dump_option() {
  return {"dump", "NAME@PLACE=FILE",
          "write memory during the run: slot[0, :]@17,i=2,dev1=s.npy when a core first reaches the "
          "line; at event:22; at end",
          true, FileUse::writes};
}

std::optional<DumpWords> dump_words(std::string_view given) {
  const std::size_t at = given.find('@');
  if (at == std::string_view::npos || at == 0) return {};
  for (std::size_t equals = given.find('=', at); equals != std::string_view::npos;
       equals = given.find('=', equals + 1)) {
    std::vector<std::string> place = place_words(given.substr(at + 1, equals - at - 1));
    if (!is_place(place)) continue;
    if (equals + 1 == given.size()) return {};
    return DumpWords{std::string(given.substr(0, at)), std::move(place),
                     std::string(given.substr(equals + 1))};
  }
  return {};
}

}  // namespace tessera::cli
