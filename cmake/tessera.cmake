# Common settings of all targets: flags, dependencies, and a function for the library of a folder.

# Versions of Debian 12. Older versions are not tested, and some lack features that are used.
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/dnnl.cmake)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Boost 1.74 REQUIRED)
find_package(CUDAToolkit QUIET)

# Headers of the CUDA toolkit (fp8 conversions on the host). TESSERA_HAS_CUDA_HEADERS is always defined, as 0 or 1.
add_library(tessera_cuda_headers INTERFACE)
if(CUDAToolkit_FOUND)
  target_include_directories(tessera_cuda_headers SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  target_compile_definitions(tessera_cuda_headers INTERFACE TESSERA_HAS_CUDA_HEADERS=1)
else()
  target_compile_definitions(tessera_cuda_headers INTERFACE TESSERA_HAS_CUDA_HEADERS=0)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)

foreach(least IN ITEMS "GNU g++ 12" "Clang clang++ 14")
  string(REPLACE " " ";" least "${least}")
  list(GET least 0 id)
  list(GET least 1 tool)
  list(GET least 2 version)
  if(CMAKE_CXX_COMPILER_ID STREQUAL id AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS version)
    message(FATAL_ERROR "${tool} ${CMAKE_CXX_COMPILER_VERSION} is here, ${version} is needed")
  endif()
endforeach()

# Used only by the targets of this project, not by programs that use the package.
add_library(tessera_flags INTERFACE)
target_compile_features(tessera_flags INTERFACE cxx_std_20)
# No contraction to fused multiply-add: results are bitwise equal on every machine.
# Fields that a designated initialiser omits have their defaults.
# GCC 12 has false positives with std::string in several warnings: -Wrestrict, -Wmaybe-uninitialized for initialisers that
# may throw, and others that a precompiled header no longer suppresses.
target_compile_options(tessera_flags INTERFACE -ffp-contract=off -Wall -Wextra -Wno-missing-field-initializers
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
# All symbols are bound at program start. The tables that contain them are read-only afterwards.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(tessera_flags INTERFACE -Wl,-z,relro,-z,now)
endif()
if(TESSERA_SANITIZE)
  target_compile_options(tessera_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_definitions(tessera_flags INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(tessera_flags INTERFACE -fsanitize=address,undefined)
endif()
# Edge counters for libFuzzer. Only the harnesses are linked with its main().
if(TESSERA_FUZZ)
  target_compile_options(tessera_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Regions and branches of the sources for llvm-cov, and the edges for libFuzzer (tests/fuzz/harness/coverage.cpp).
if(TESSERA_COVERAGE)
  target_compile_options(tessera_flags INTERFACE -fprofile-instr-generate -fcoverage-mapping
                         -fsanitize-coverage=edge,inline-8bit-counters,pc-table)
  target_link_options(tessera_flags INTERFACE -fprofile-instr-generate)
endif()

# Precompiles headers that most sources of a target include, which saves a fifth of the time of a first build. Not used
# with a compiler cache, which saves more but cannot share precompiled headers between checkouts.
function(tessera_precompile name)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${name} PRIVATE <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <span>
                              <string> <string_view> <variant> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()

# tessera_compile_quickly(<name> [EXCEPT file...]): compiles with -O1 code that runs once per command. Files after
# EXCEPT are compiled with -O3 and without precompiled headers, because GCC 12 crashes on a precompiled header of
# another optimisation level.
function(tessera_compile_quickly name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "EXCEPT")
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(arg_EXCEPT)
    set_property(SOURCE ${arg_EXCEPT} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
    set_property(SOURCE ${arg_EXCEPT} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# tessera_embed(<variable> <HEADER header> <NAMESPACE name> <TABLE stem> FILES file... [KEEP_EXTENSION]): sets the
# variable to the path of a generated source. It defines the table declared in the header, <stem>s and <stem>_count,
# with the texts of the files as string literals. The build regenerates it if a file is changed or added.
function(tessera_embed variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "KEEP_EXTENSION" "HEADER;NAMESPACE;TABLE" "FILES")
  set(output ${PROJECT_BINARY_DIR}/generated/${arg_TABLE}s.cpp)
  list(JOIN arg_FILES "," files)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DHEADER=${arg_HEADER} -DNAMESPACE=${arg_NAMESPACE}
            -DTABLE=${arg_TABLE}s -DCOUNT=${arg_TABLE}_count
            -DKEEP_EXTENSION=${arg_KEEP_EXTENSION} -DOUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${arg_FILES} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding for ${arg_HEADER}"
    VERBATIM)
  set(${variable} ${output} PARENT_SCOPE)
endfunction()

# tessera_library(<name> [EXCLUDE file...] [GENERATED file...] [PRECOMPILE header...] [DEPENDS target...]): a static
# library of the sources in the current folder, or an interface library of its dependencies if the folder has no
# sources.
function(tessera_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "EXCLUDE;GENERATED;PRECOMPILE;DEPENDS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(path IN LISTS arg_EXCLUDE)
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${path})
  endforeach()
  list(APPEND sources ${arg_GENERATED})
  if(sources)
    add_library(${name} STATIC ${sources})
    set(scope PUBLIC)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${TESSERA_UNITY} UNITY_BUILD_BATCH_SIZE 8)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:tessera_flags>)
    list(TRANSFORM arg_PRECOMPILE PREPEND ${PROJECT_SOURCE_DIR}/)
    tessera_precompile(${name} ${arg_PRECOMPILE})
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  string(REPLACE "tessera_" "" export_name ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name})
  target_compile_features(${name} ${scope} cxx_std_20)
  target_include_directories(${name} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tessera>)
  target_link_libraries(${name} ${scope} ${arg_DEPENDS})
endfunction()

# Links `name` to a library that only its sources use, not its headers.
function(tessera_private_dependency name)
  get_target_property(type ${name} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    target_link_libraries(${name} PRIVATE ${ARGN})
  endif()
endfunction()
