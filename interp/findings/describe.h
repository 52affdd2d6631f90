// How findings and traces name things: as the source writes them.
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
std::string element_text(const Program& program, BufferId buffer, const Index& index);
std::string cell_text(const Program& program, SemaphoreId semaphore,
                      std::int64_t cell);  // "recv[1]"
std::string line_text(const Program& program,
                      StmtId statement);  // "gmm.tsr:20", or "statement 7"
std::string_view mnemonic(const Program& program, StmtId statement);
// The innermost trace region around a statement, in quotation marks; empty when there is none.
std::string region_text(const Program& program, StmtId statement);
// One note for each call that the place was inlined from.
void add_call_chain(const Program& program, PlaceId place, std::vector<FindingPlace>& notes);
// Where the kernel's own text has the place: of what a function of the library has, its call.
PlaceId own_place(const Program& program, PlaceId place);
// The operand of a tile op in the text of the statement, by the name of its buffer; the statement
// where it does not stand there once.
Loc operand_loc(const Program& program, StmtId statement, BufferId buffer);
std::string counted(std::int64_t n, std::string_view singular);  // "1 byte", "2 bytes"

}  // namespace tessera
