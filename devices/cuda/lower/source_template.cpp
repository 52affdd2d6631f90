#include "devices/cuda/lower/source_template.h"

#include <algorithm>
#include <set>

#include "core/report/check.h"
#include "devices/cuda/lower/templates.h"

namespace tessera::cuda {
namespace {

using Holes = std::map<std::string, std::string, std::less<>>;

std::string filled(std::string_view text, const Holes& holes) {
  std::string result;
  std::set<std::string_view> used;
  for (;;) {
    const std::size_t open = text.find('@');
    result += text.substr(0, open);
    if (open == text.npos) break;
    const std::size_t close = text.find('@', open + 1);
    CHECK(close != text.npos);
    const auto hole = holes.find(text.substr(open + 1, close - open - 1));
    CHECK(hole != holes.end());
    used.insert(hole->first);
    const bool begins_line = result.empty() || result.back() == '\n';
    text.remove_prefix(close + 1);
    if (begins_line && text.starts_with('\n')) {
      CHECK(hole->second.empty() || hole->second.back() == '\n');
      text.remove_prefix(1);
    }
    result += hole->second;
  }
  CHECK(used.size() == holes.size());
  return result;
}

}  // namespace

std::string fill(std::string_view text, std::initializer_list<Hole> holes) {
  Holes by_name;
  for (const Hole& hole : holes) CHECK(by_name.emplace(hole.name, hole.text).second);
  return filled(text, by_name);
}

SourceTemplate::SourceTemplate(std::string_view name) {
  const auto* const end = source_templates + source_template_count;
  const auto* const found =
      std::find_if(source_templates, end, [&](const auto& t) { return t.name == name; });
  CHECK(found != end);
  template_ = found->text;
}

void SourceTemplate::set(std::string_view hole, std::string text) {
  CHECK(holes_.emplace(hole, std::move(text)).second);
}

std::string SourceTemplate::text() const { return filled(template_, holes_); }

std::string indented(std::string_view text, int columns) {
  std::string result;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && c != '\n') result.append(static_cast<std::size_t>(columns), ' ');
    result += c;
    begins_line = c == '\n';
  }
  return result;
}

}  // namespace tessera::cuda
