# cmake -DFILES=a.tsr,b.tsr -DHEADER=kernels/programs/embedded.h -DNAMESPACE=tessera -DTABLE=embedded_programs
#       -DCOUNT=embedded_program_count [-DKEEP_EXTENSION=ON] -DOUTPUT=file.cpp -P embed.cmake
# Writes the table that HEADER declares, with one string literal per line of text, because compilers limit the length of
# a literal.

string(REPLACE "," ";" files "${FILES}")
list(SORT files)
list(LENGTH files count)

set(code "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
string(APPEND code "const EmbeddedText ${TABLE}[] = {\n")
foreach(path IN LISTS files)
  if(KEEP_EXTENSION)
    get_filename_component(name "${path}" NAME)
  else()
    get_filename_component(name "${path}" NAME_WLE)
  endif()
  file(READ "${path}" text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
  string(APPEND code "    {\"${name}\",\n     \"${text}\"},\n")
endforeach()
# An additional row that is not counted, because an array must not be empty.
string(APPEND code "    {nullptr, nullptr},\n};\n")
string(APPEND code "const std::size_t ${COUNT} = ${count};\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${code}")
