# Finds libedit, which edits lines on a terminal. It has no package file for CMake.
if(NOT TARGET Libedit::libedit)
  find_path(LIBEDIT_INCLUDE_DIR histedit.h REQUIRED)
  find_library(LIBEDIT_LIBRARY edit REQUIRED)
  mark_as_advanced(LIBEDIT_INCLUDE_DIR LIBEDIT_LIBRARY)
  add_library(Libedit::libedit UNKNOWN IMPORTED)
  set_target_properties(Libedit::libedit PROPERTIES
    IMPORTED_LOCATION ${LIBEDIT_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LIBEDIT_INCLUDE_DIR})
endif()
