# cmake -DSOURCE=<checkout> -DOUTPUT=<folder> -DVERSION=<number> -P api_reference.cmake
# Writes the API reference of the public headers as HTML: OUTPUT/html/index.html. Fails if Doxygen reports a warning, for
# example for a public declaration without a comment.
cmake_policy(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake)

find_program(DOXYGEN doxygen)
if(NOT DOXYGEN)
  message("api_reference: Skipped\nDoxygen is not here (the package doxygen)")
  return()
endif()
tessera_public_headers(${SOURCE} public installed)
list(JOIN public " " public)
file(MAKE_DIRECTORY ${OUTPUT})
file(WRITE ${OUTPUT}/Doxyfile
  "@INCLUDE = docs/api/Doxyfile\nINPUT = docs/api/index.md ${public}\n"
  "PROJECT_NUMBER = ${VERSION}\nOUTPUT_DIRECTORY = \"${OUTPUT}\"\nSTRIP_FROM_INC_PATH = \"${SOURCE}\"\n")
file(REMOVE_RECURSE ${OUTPUT}/html)
execute_process(COMMAND ${DOXYGEN} ${OUTPUT}/Doxyfile WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE status)
if(status)
  message(FATAL_ERROR "the headers' comments are not whole: see the lines above")
endif()
