# cmake -DFILES=a.tsr,b.tsr -DHEADER=kernels/programs/embedded.h -DNAMESPACE=tessera -DTABLE=embedded_programs
#       -DCOUNT=embedded_program_count [-DKEEP_EXTENSION=ON] -DOUTPUT=file.cpp -P embed.cmake
# Writes the table that HEADER declares: one string literal for each line of a text, since compilers limit
# the length of one literal.

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
# The last row keeps the array from being empty and is not counted.
string(APPEND code "    {nullptr, nullptr},\n};\n")
string(APPEND code "const std::size_t ${COUNT} = ${count};\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${code}")
