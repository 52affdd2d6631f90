# cmake -DFILE=... -DNAME=... -P json_field.cmake: prints a field of the JSON that is all of the file.
file(READ "${FILE}" text)
string(JSON value ERROR_VARIABLE problem GET "${text}" "${NAME}")
if(problem)
  message(FATAL_ERROR "${FILE}: ${problem}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${value}")
