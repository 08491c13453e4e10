# CAF 0.17 as Debian packages it, which ships no CMake package files.
#   find_package(CAF 0.17.6 REQUIRED COMPONENTS core io openssl)
# gives CAF::core, CAF::io and CAF::openssl. CAF_ROOT names a private build.
include(FindPackageHandleStandardArgs)

find_path(CAF_INCLUDE_DIR caf/config.hpp HINTS "${CAF_ROOT}/include")
if(CAF_INCLUDE_DIR)
  # One integer: 1706 is 0.17.6.
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" _line
       REGEX "^#define CAF_VERSION [0-9]+")
  string(REGEX REPLACE "[^0-9]" "" _number "${_line}")
  math(EXPR _minor "(${_number} / 100) % 100")
  math(EXPR _patch "${_number} % 100")
  set(CAF_VERSION "0.${_minor}.${_patch}")
endif()

foreach(_part IN ITEMS core io openssl)
  find_library(CAF_${_part}_LIBRARY caf_${_part} HINTS "${CAF_ROOT}/lib")
  mark_as_advanced(CAF_${_part}_LIBRARY)
  if(CAF_${_part}_LIBRARY AND CAF_INCLUDE_DIR)
    set(CAF_${_part}_FOUND TRUE)
    if(NOT TARGET CAF::${_part})
      add_library(CAF::${_part} UNKNOWN IMPORTED)
      set_target_properties(CAF::${_part} PROPERTIES
        IMPORTED_LOCATION "${CAF_${_part}_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}")
    endif()
  endif()
endforeach()
mark_as_advanced(CAF_INCLUDE_DIR)

if(TARGET CAF::core)
  find_package(Threads REQUIRED)
  target_link_libraries(CAF::core INTERFACE Threads::Threads)
endif()
if(TARGET CAF::io)
  target_link_libraries(CAF::io INTERFACE CAF::core)
endif()
if(TARGET CAF::openssl)
  target_link_libraries(CAF::openssl INTERFACE CAF::io)
endif()

find_package_handle_standard_args(CAF
  REQUIRED_VARS CAF_INCLUDE_DIR CAF_core_LIBRARY
  VERSION_VAR CAF_VERSION
  HANDLE_COMPONENTS)
