// Tensor of one buffer: zeros, numbers from the command line, or the contents of a file.
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

// Returns zeros of the buffer's element type and stored_shape() (interp/memory/layout.h), the shape
// used in files. Adds an error to `diags` and returns an empty tensor if the allocation fails.
Tensor zeros(const Buffer& buffer, Diags& diags);
// Parses a list of numbers such as "100,150,50" to a tensor of the buffer's stored shape. None if
// the text is not a list of numbers, for example a file name.
// type: the buffer's type or a wider one. Floats are rounded to nearest. A number that `type`
// cannot represent is an error, like an integer of 2^53 or more in absolute value, and another
// count of numbers than the buffer's elements. After an error the tensor is incomplete. `diags`
// must be empty.
// option: the option with this value, without its dashes, for error messages.
std::optional<Tensor> given_in_words(const Buffer& buffer, DType type, const std::string& text,
                                     std::string_view option, Diags& diags);

// Reader for the files named by --in and --expect. A file for all devices may have a leading axis
// of devices: it is read once, and each device gets its part.
class OperandFiles {
 public:
  OperandFiles(int devices, Files* files) : devices_(devices), files_(files) {}

  // Returns the values of an operand on this device. The file must have the buffer's type and its
  // stored shape, or this shape with a leading axis for all devices. Else adds an error and returns
  // an empty tensor.
  Tensor operand(const Buffer& buffer, const Assignment& from, int device, Diags& diags);
  // Like operand(), for the expected values of a result. The file may have any element type of the
  // buffer's family, floats or integers. Use one object per option: files are cached by buffer.
  Tensor expected(const Buffer& buffer, const Assignment& from, int device, Diags& diags);

 private:
  Tensor read(const Buffer& buffer, DType type, const Assignment& from, int device, bool any_width,
              Diags& diags);

  int devices_;
  Files* files_;
  std::map<const Buffer*, Tensor> wholes_;
};

}  // namespace tessera::cli
