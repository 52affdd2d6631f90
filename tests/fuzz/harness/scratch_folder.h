// A folder of the process's own for the files that an input makes; it is gone when the process
// ends.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace tessera::fuzz {

// The one folder of the process.
const std::filesystem::path& scratch_folder();
// A file in it with these bytes, that only this user may write.
std::string scratch_file(std::string_view name, std::string_view bytes);
// Removes all that lies in it.
void empty_scratch_folder();

}  // namespace tessera::fuzz
