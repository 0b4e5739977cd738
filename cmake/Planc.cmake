# Functions that make planc's own targets. A folder compiler/<name> is one library planc_<name>; headers are included as
# "<name>/<file>.h".

option(PLANC_SANITIZE "Build with address and undefined-behaviour sanitizers" OFF)
# -Wno-restrict, -Wno-maybe-uninitialized: g++ 12 warns without reason about "a" + string (GCC PR 105329) and about
# copies of empty optionals.
set(PLANC_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-restrict
  -Wno-maybe-uninitialized -Werror)

function(planc_options target)
  target_compile_options(${target} PRIVATE ${PLANC_WARNINGS})
  if(PLANC_SANITIZE)
    target_compile_options(${target} PRIVATE -O1 -g1 -fsanitize=address,undefined
      -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
endfunction()

# planc_library(sharding SOURCES a.cpp b.cpp LINK planrt_layout [MLIR])
#   MLIR: the library uses LLVM and MLIR headers
function(planc_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_library(planc_${name} STATIC ${ARG_SOURCES})
  planc_options(planc_${name})
  target_include_directories(planc_${name} PUBLIC ${PROJECT_SOURCE_DIR}/compiler)
  target_include_directories(planc_${name} SYSTEM PUBLIC ${PROJECT_BINARY_DIR}/compiler)  # generated headers: no warnings
  target_link_libraries(planc_${name} PUBLIC ${ARG_LINK})
  if(ARG_MLIR)
    target_include_directories(planc_${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    target_link_libraries(planc_${name} PUBLIC MLIR LLVM)
  endif()
endfunction()

# planc_executable(planc SOURCES main.cpp LINK …)
function(planc_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  planc_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

# planc_gtest(sharding_test SOURCES … LINK planc_sharding): built with everything, run by ctest
function(planc_gtest name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  planc_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main Threads::Threads)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
