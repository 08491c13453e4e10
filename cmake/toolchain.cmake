# Language level, warnings, sanitizers, ccache and where binaries land.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
# Line tables are enough for backtraces; full debug data doubles compile time.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

find_program(BATON_CCACHE ccache)
if(BATON_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers are cached only with this sloppiness (ccache manual).
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 "${BATON_CCACHE}")
endif()

add_library(baton_flags INTERFACE)
add_library(baton::flags ALIAS baton_flags)
target_compile_options(baton_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wold-style-cast -Wcast-qual -Wextra-semi -Wundef -Werror)
target_include_directories(baton_flags INTERFACE
  "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>" "$<BUILD_INTERFACE:${CMAKE_BINARY_DIR}>")

if(BATON_SANITIZE STREQUAL "address")
  # null and vptr report CAF's own headers (init_fun_factory, task_queue).
  set(_sanitize -fsanitize=address,undefined -fno-sanitize=null,vptr
                -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # GCC 12 with -O1 does not see that Asio's awaitable frames free with free()
  # what they took with aligned_alloc().
  list(APPEND _sanitize -Wno-mismatched-new-delete)
elseif(BATON_SANITIZE STREQUAL "thread")
  set(_sanitize -fsanitize=thread -Wno-error=tsan)
elseif(BATON_SANITIZE)
  message(FATAL_ERROR "BATON_SANITIZE is '${BATON_SANITIZE}', expected 'address' or 'thread'")
endif()
if(_sanitize)
  # Sanitized code at -O2 takes a third longer to compile and finds no more.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
  target_compile_options(baton_flags INTERFACE ${_sanitize})
  target_link_options(baton_flags INTERFACE ${_sanitize})
endif()
