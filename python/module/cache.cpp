#include "python/module/cache.h"

#include <nanobind/stl/string.h>

#include <utility>

#include "core/host/disk_cache.h"

namespace nb = nanobind;

namespace tessera::python {
namespace {

constexpr FileKind cached_entry{"a cache entry", std::int64_t{16} << 20};

CacheFolder folder(const std::string& part) { return CacheFolder(cache_folder(), part); }

}  // namespace

std::string cache_path(const std::string& part) { return folder(part).path(); }

nb::tuple read_cached(const std::string& part, const std::string& name) {
  CacheRead cached;
  {
    const nb::gil_scoped_release released;
    cached = folder(part).read(name, cached_entry);
  }
  if (!cached.bytes) return nb::make_tuple(nb::none(), cached.note);
  return nb::make_tuple(nb::bytes(cached.bytes->data(), cached.bytes->size()), cached.note);
}

std::string write_cached(const std::string& part, const std::string& name,
                         const nb::bytes& content) {
  const std::string bytes(content.c_str(), content.size());
  const nb::gil_scoped_release released;
  if (static_cast<std::int64_t>(bytes.size()) > cached_entry.largest) return "it is too large";
  const Expected<void> written = folder(part).write(name, bytes);
  return written ? std::string() : written.diags().front().message;
}

}  // namespace tessera::python
