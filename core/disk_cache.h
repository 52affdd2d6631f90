// Small files kept between runs, in a folder of the user's: one file for each key, written whole or
// not at all, so that any number of processes may read and write at once and be killed.
#pragma once
#include <optional>
#include <string>

namespace tessera {

// $TESSERA_CACHE, $XDG_CACHE_HOME/tessera or ~/.cache/tessera; empty when there is no home: nothing
// is kept.
std::string cache_folder();
// A name for everything that a cached thing depends on; 128 bits.
std::string cache_key(const std::string& everything);

std::optional<std::string> read_cached(const std::string& folder, const std::string& key);
// Writes beside the place and renames: a reader sees all of it or nothing. A folder that cannot be
// written to is no error of the caller's; the message says why.
std::optional<std::string> write_cached(const std::string& folder, const std::string& key,
                                        const std::string& bytes);

}  // namespace tessera
