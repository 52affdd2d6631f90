# The harnesses of tests/fuzz: fuzz_NAME.cpp each, with the inputs that were worth keeping in corpus/NAME.zip. The preset `fuzz`
# makes them programs of libFuzzer (scripts/fuzz.sh runs them); elsewhere they are programs that take inputs and folders of
# inputs, and ctest gives them theirs, unpacked into the build tree: what was once a report stays a test.
file(GLOB harnesses CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz_*.cpp)
file(GLOB harness_parts CONFIGURE_DEPENDS fuzz/harness/*.cpp)
list(FILTER harness_parts EXCLUDE REGEX "/(replay|coverage|mutate_command)\\.cpp$")
add_library(fuzz_parts STATIC EXCLUDE_FROM_ALL ${harness_parts})
target_link_libraries(fuzz_parts PUBLIC tessera_flags tessera_mutation tessera_kernels)
# Allocations are counted, and may be refused (memory_budget.h).
target_link_options(fuzz_parts INTERFACE -Wl,--wrap=malloc,--wrap=calloc,--wrap=aligned_alloc,--wrap=free)

# libFuzzer brings templates of the standard library that were compiled without exceptions, and where it comes first those are
# taken: what they hold when memory is refused is lost. So it comes last.
if(TESSERA_FUZZ)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} --print-runtime-dir OUTPUT_VARIABLE runtimes
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB libfuzzer ${runtimes}/libclang_rt.fuzzer.a ${runtimes}/libclang_rt.fuzzer-${CMAKE_SYSTEM_PROCESSOR}.a)
  if(NOT libfuzzer)
    message(FATAL_ERROR "libFuzzer is not in ${runtimes}: on Debian it is in the package libclang-rt-14-dev")
  endif()
endif()

add_custom_target(fuzz_harnesses)
set(harness_list "")
set(harness_objects "")
foreach(source IN LISTS harnesses)
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" stem ${name})
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE fuzz_parts)
  if(stem STREQUAL "command_line")
    target_link_libraries(${name} PRIVATE tessera_cli)
    target_sources(${name} PRIVATE fuzz/harness/mutate_command.cpp)
  endif()
  if(TESSERA_FUZZ)
    target_compile_definitions(${name} PRIVATE TESSERA_FUZZ)
    target_link_libraries(${name} PRIVATE tessera_mutation tessera_kernels tessera_devices tessera_analysis tessera_interp tessera_core
                          -Wl,--whole-archive ${libfuzzer} -Wl,--no-whole-archive)
  else()
    target_sources(${name} PRIVATE fuzz/harness/replay.cpp)
    set(archive ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${stem}.zip)
    set(inputs ${CMAKE_CURRENT_BINARY_DIR}/corpus/${stem})
    add_custom_command(OUTPUT ${inputs}.unpacked DEPENDS ${archive}
      COMMAND ${CMAKE_COMMAND} -E rm -rf ${inputs}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${inputs}
      COMMAND ${CMAKE_COMMAND} -E chdir ${inputs} ${CMAKE_COMMAND} -E tar xf ${archive}
      COMMAND ${CMAKE_COMMAND} -E touch ${inputs}.unpacked VERBATIM)
    add_custom_target(${name}_inputs DEPENDS ${inputs}.unpacked)
    add_dependencies(${name} ${name}_inputs)
    add_test(NAME ${name}_corpus COMMAND ${name} ${inputs})
  endif()
  add_dependencies(fuzz_harnesses ${name})

  # The same sources, all in one program that counts.
  if(TESSERA_COVERAGE)
    add_library(${name}_counted OBJECT ${source})
    target_link_libraries(${name}_counted PRIVATE fuzz_parts tessera_cli)
    target_compile_definitions(${name}_counted PRIVATE LLVMFuzzerTestOneInput=${stem}_one_input
                               LLVMFuzzerInitialize=${stem}_initialize)
    list(APPEND harness_objects $<TARGET_OBJECTS:${name}_counted>)
    string(APPEND harness_list "HARNESS(${stem}) ")
  endif()
endforeach()

if(TESSERA_COVERAGE)
  add_executable(fuzz_coverage fuzz/harness/coverage.cpp ${harness_objects})
  # What counts is not counted.
  set_source_files_properties(fuzz/harness/coverage.cpp PROPERTIES COMPILE_OPTIONS -fno-sanitize-coverage=edge,inline-8bit-counters,pc-table)
  target_compile_definitions(fuzz_coverage PRIVATE "TESSERA_HARNESSES=${harness_list}")
  target_link_libraries(fuzz_coverage PRIVATE fuzz_parts tessera_cli)
endif()
