// What --in, --out or --expect give to the buffers of a program, each on one device or on all of
// them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/options.h"
#include "core/program/program.h"
#include "core/report/diag.h"

namespace tessera::cli {

inline constexpr int every_device = -1;

// NAME=VALUE or NAME@DEVICE=VALUE. A value x{d}.npy is that of each device, with its number.
struct Assignment {
  std::string buffer;
  int device = every_device;
  std::string value;
};

class InOutOptions {
 public:
  // `option` is "in", "out" or "expect". What names no buffer of the program or no device goes to
  // `diags`.
  InOutOptions(const Arguments& arguments, std::string_view option, const Program& program,
               int devices, Diags& diags);

  const std::vector<Assignment>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  // That of the device before that of all; none: nullptr.
  const Assignment* find(const Buffer& buffer, int device) const;
  // Whether some device has one of its own.
  bool is_for_one(const Buffer& buffer) const;

 private:
  void read(const std::string& text, const Program& program,
            const std::vector<std::string_view>& names, int devices, Diags& diags);
  void fill_holes(int devices);

  std::string_view option_;
  std::vector<Assignment> all_;
};

}  // namespace tessera::cli
