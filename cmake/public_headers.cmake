# tessera_public_headers(<root> <public> <installed>): sets <public> to the public headers, and <installed> to these and all
# headers that they include. A public header is marked in this line:
#   #pragma once  // public
# Public headers are installed and are part of the API reference. Headers that they include are also installed, but not part
# of the reference: other code should not include them, and they may change in any version.
cmake_policy(VERSION 3.25)
function(tessera_public_headers root public installed)
  file(GLOB_RECURSE headers RELATIVE ${root} ${root}/core/*.h ${root}/devices/*.h ${root}/kernels/*.h)
  set(marked)
  foreach(header IN LISTS headers)
    file(STRINGS ${root}/${header} mark REGEX "^#pragma once  // public$")
    if(mark)
      list(APPEND marked ${header})
    endif()
  endforeach()

  set(reached ${marked})
  set(open ${marked})
  while(open)
    list(POP_FRONT open header)
    file(STRINGS ${root}/${header} lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
      if(NOT included IN_LIST reached)
        list(APPEND reached ${included})
        list(APPEND open ${included})
      endif()
    endforeach()
  endwhile()
  set(${public} ${marked} PARENT_SCOPE)
  set(${installed} ${reached} PARENT_SCOPE)
endfunction()
