# cmake -DPROGRAMS=a.tsr,b.tsr -DOUTPUT=file.cpp -P embed.cmake
# Writes the table that kernels/programs.h declares: one string literal for each line of a text, since
# compilers limit the length of one literal.

string(REPLACE "," ";" programs "${PROGRAMS}")
list(SORT programs)
list(LENGTH programs count)

set(code "#include \"kernels/programs.h\"\n\nnamespace tessera {\n\n")
string(APPEND code "const EmbeddedProgram embedded_programs[] = {\n")
foreach(path IN LISTS programs)
  get_filename_component(name "${path}" NAME_WLE)
  file(READ "${path}" text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
  string(APPEND code "    {\"${name}\",\n     \"${text}\"},\n")
endforeach()
# The last row keeps the array from being empty and is not counted.
string(APPEND code "    {nullptr, nullptr},\n};\n")
string(APPEND code "const std::size_t embedded_program_count = ${count};\n\n}  // namespace tessera\n")
file(WRITE "${OUTPUT}" "${code}")
