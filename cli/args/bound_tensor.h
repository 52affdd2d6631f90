// The tensor of one buffer: of zeros, of numbers on the command line, or of a file.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cli/args/in_out_options.h"
#include "core/data/tensor.h"
#include "core/program/program.h"
#include "core/report/diag.h"

namespace tessera::cli {

// Each has the buffer's element type and its stored_shape() (interp/memory/layout.h), as files have
// it; what forbids it goes to `diags`.
Tensor zeros(const Buffer& buffer, Diags& diags);
// "100,150,50" as a tensor of `type`, which is the buffer's or a wider one; nothing for a text
// without numbers, for example the name of a file. Floats are rounded to nearest. A number that
// `type` does not hold is an error: nothing is saturated.
// option: the option with this value, without its dashes.
std::optional<Tensor> given_in_words(const Buffer& buffer, DType type, const std::string& text,
                                     std::string_view option, Diags& diags);

// What --in and --expect name, for each device in turn. A file for all devices may have an axis of
// them in front, and gives each its part; it is read once.
class OperandFiles {
 public:
  OperandFiles(int devices, Files* files) : devices_(devices), files_(files) {}

  Tensor operand(const Buffer& buffer, const Assignment& from, int device, Diags& diags);
  // What a result should be: of any element type of the buffer's family, floats or integers.
  Tensor expected(const Buffer& buffer, const Assignment& from, int device, Diags& diags);

 private:
  Tensor read(const Buffer& buffer, DType type, const Assignment& from, int device, bool any_width,
              Diags& diags);

  int devices_;
  Files* files_;
  std::map<const Buffer*, Tensor> wholes_;
};

}  // namespace tessera::cli
