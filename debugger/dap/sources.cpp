#include "debugger/dap/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/report/shown.h"
#include "core/report/try.h"
#include "debugger/dap/fields.h"

namespace tessera::debugger {
namespace {

std::string canonical(const std::string& path) {
  std::error_code failed;
  const auto whole = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : whole.string();
}

}  // namespace

Sources::Sources(const Program& program) {
  for (const Place& place : program.places) {
    const auto& source = place.loc.source;
    const auto is_it = [&](const Entry& entry) { return entry.source->name == source->name; };
    if (source == nullptr || std::any_of(entries_.begin(), entries_.end(), is_it)) continue;
    const bool is_embedded = source->name.starts_with('<');
    entries_.push_back({source, is_embedded ? "" : canonical(source->name)});
  }
}

Json Sources::of(const Source& source) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.source->name == source.name;
  });
  if (found == entries_.end()) return {{"name", source.name}};
  if (found->path.empty())
    return {{"name", source.name},
            {"sourceReference", static_cast<std::int64_t>(found - entries_.begin()) + 1},
            {"origin", "embedded in gmm-run"}};
  return {{"name", std::filesystem::path(found->path).filename().string()}, {"path", found->path}};
}

std::shared_ptr<const Source> Sources::at(std::int64_t reference) const {
  if (reference < 1 || reference > static_cast<std::int64_t>(entries_.size())) return nullptr;
  const Entry& entry = entries_[static_cast<std::size_t>(reference - 1)];
  return entry.path.empty() ? entry.source : nullptr;
}

Expected<std::shared_ptr<const Source>> Sources::find(const Json& asked) const {
  Fields fields(asked);
  const std::int64_t reference = fields.integer("sourceReference", 0);
  const std::string path = fields.text("path", ""), name = fields.text("name", "");
  TRY(fields.checked());
  if (reference > 0) {
    if (auto source = at(reference)) return source;
    return error(fmt::format("no source has the number {}", reference));
  }
  const std::string wanted = path.empty() ? name : path;
  const std::string file = canonical(wanted);
  for (const Entry& entry : entries_)
    if (entry.source->name == wanted || (!path.empty() && entry.path == file)) return entry.source;
  return error(fmt::format("this run has no statement in {}", shown_text(wanted)));
}

}  // namespace tessera::debugger
