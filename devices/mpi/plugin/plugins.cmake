# One plug-in for each MPI library with installed headers. The folders are as on Debian, where both can be installed.
function(tessera_mpi_plugin name library)
  set(folders /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/${name} /usr/lib64/${name})
  find_path(TESSERA_${name}_INCLUDE mpi.h PATHS ${folders} /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/${name}
            PATH_SUFFIXES include NO_DEFAULT_PATH)
  find_library(TESSERA_${name}_LIBRARY ${library} PATHS ${folders} ${ARGN} PATH_SUFFIXES lib NO_DEFAULT_PATH)
  if(NOT TESSERA_${name}_INCLUDE OR NOT TESSERA_${name}_LIBRARY)
    message(STATUS "lib${name}-dev is not here: no plug-in for --device mpi on it")
    return()
  endif()
  add_library(tessera_${name} MODULE ${CMAKE_CURRENT_LIST_DIR}/plugin.cpp)
  target_include_directories(tessera_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(tessera_${name} SYSTEM PRIVATE ${TESSERA_${name}_INCLUDE})
  target_compile_definitions(tessera_${name} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(tessera_${name} PRIVATE tessera_flags ${TESSERA_${name}_LIBRARY})
  set_target_properties(tessera_${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} CXX_VISIBILITY_PRESET hidden)
  install(TARGETS tessera_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tessera)
endfunction()

tessera_mpi_plugin(openmpi mpi)
tessera_mpi_plugin(mpich mpich /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
