// Names of program objects in findings and traces, as in the source text.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/program/program.h"
#include "core/report/finding.h"
#include "interp/memory/view.h"

namespace tessera {

std::string slice_text(const Program& program, BufferId buffer,
                       const Box& box);                           // "a[0 .. 128, 3]"
std::string shape_text(const Program& program, BufferId buffer);  // "a[100, 64]"
std::string element_text(const Program& program, BufferId buffer,
                         const Index& index);  // "a[5, 3]"
std::string cell_text(const Program& program, SemaphoreId semaphore,
                      std::int64_t cell);  // "recv[1]"
std::string line_text(const Program& program,
                      StmtId statement);  // "gmm.tsr:20", or "statement 7"
std::string_view mnemonic(const Program& program, StmtId statement);
// Name of the innermost trace region around a statement, in quotation marks; empty if there is
// none.
std::string region_text(const Program& program, StmtId statement);
// Adds one note for each call through which the place was inlined.
void add_call_chain(const Program& program, PlaceId place, std::vector<FindingPlace>& notes);
// Place in the kernel's own text; for a place in a library function, the place of its call.
PlaceId own_place(const Program& program, PlaceId place);
// Location of an operand of a tile op within the statement's text, found by the name of its buffer.
// The whole statement if the name does not occur there exactly once.
Loc operand_loc(const Program& program, StmtId statement, BufferId buffer);
std::string counted(std::int64_t n, std::string_view singular);  // "1 byte", "2 bytes"

}  // namespace tessera
