// The user's cache folder for the package: entries are read and written by the rules of
// core/host/disk_cache.h.
#pragma once
#include <nanobind/nanobind.h>

#include <string>

namespace tessera::python {

// Path of the folder `part` of the user's cache folder; empty if the user has none.
std::string cache_path(const std::string& part);
// (bytes, note): the entry, or None and the reason it is not used. The note is empty if there is no
// entry.
nanobind::tuple read_cached(const std::string& part, const std::string& name);
// Replaces the entry as a whole or leaves the old one. Returns the reason if nothing was written.
std::string write_cached(const std::string& part, const std::string& name,
                         const nanobind::bytes& content);

}  // namespace tessera::python
