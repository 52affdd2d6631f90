// Values of --in, --out or --expect: files of buffers, each for one device or for all of them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/options.h"
#include "core/program/program.h"
#include "core/report/diag.h"

namespace tessera::cli {

inline constexpr int every_device = -1;

// NAME=VALUE or NAME@DEVICE=VALUE. InOutOptions replaces `{d}` in a value by the device number.
struct Assignment {
  std::string buffer;
  int device = every_device;
  std::string value;
};

class InOutOptions {
 public:
  // Reads all values of the option. Errors are added to `diags`: malformed values, buffers that the
  // option does not accept, unknown devices, and repeated assignments.
  // option: "in", "out" or "expect"; must outlive this object.
  InOutOptions(const Arguments& arguments, std::string_view option, const Program& program,
               int devices, Diags& diags);

  const std::vector<Assignment>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  // Returns the assignment to this device, else the assignment to all devices; null if there is
  // neither. Stays valid as long as this object.
  const Assignment* find(const Buffer& buffer, int device) const;
  // True if the buffer has an assignment to a single device, also by a file name with `{d}`.
  bool is_for_one(const Buffer& buffer) const;

 private:
  void read(const std::string& text, const Program& program,
            const std::vector<std::string_view>& names, int devices, Diags& diags);
  void fill_holes(int devices);

  std::string_view option_;
  std::vector<Assignment> all_;
};

}  // namespace tessera::cli
