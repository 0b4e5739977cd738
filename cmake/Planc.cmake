# Functions that make planc's own targets. A folder compiler/<name> is one library planc_<name>; headers are included as
# "<name>/<file>.h".

option(PLANC_SANITIZE "Build with address and undefined-behaviour sanitizers" OFF)
# g++ 12 warns without reason about "a" + string (restrict; GCC PR 105329) and about copies of empty optionals
# (maybe-uninitialized); where std::string comes from a precompiled header, also about its copies (the others).
set(PLANC_PRECOMPILED
  $<OR:$<BOOL:$<TARGET_PROPERTY:PRECOMPILE_HEADERS>>,$<BOOL:$<TARGET_PROPERTY:PRECOMPILE_HEADERS_REUSE_FROM>>>)
set(PLANC_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-restrict
  -Wno-maybe-uninitialized "$<${PLANC_PRECOMPILED}:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>" -Werror)

function(planc_options target)
  target_compile_options(${target} PRIVATE ${PLANC_WARNINGS})
  if(PLANC_SANITIZE)
    target_compile_options(${target} PRIVATE -O1 -g1 -fsanitize=address,undefined
      -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
endfunction()

# Headers of other projects are most of what a source reads, so they are compiled once for all sources that are compiled
# with the same options. The group `test` is for GoogleTests; `…mlir` has MLIR's headers too. Sources still include what
# they use: clang-tidy reads them without precompiled headers (in ./check, those without MLIR).
set(PLANC_STD_HEADERS <algorithm> <array> <cmath> <filesystem> <fstream> <functional> <map> <memory> <numeric> <optional>
  <random> <set> <span> <sstream> <string> <vector>)
set(PLANC_MLIR_HEADERS <llvm/ADT/MapVector.h> <llvm/ADT/SetVector.h> <mlir/Dialect/Func/IR/FuncOps.h> <mlir/IR/BuiltinOps.h>
  <mlir/IR/OwningOpRef.h> <mlir/IR/SymbolTable.h> <mlir/IR/Verifier.h> <mlir/Interfaces/SideEffectInterfaces.h>
  <mlir/Parser/Parser.h> <mlir/Pass/PassManager.h>)

function(planc_precompile target group)
  set(owner planc_${group}_headers)
  if(NOT TARGET ${owner})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${owner}.cpp CONTENT "// Only owns the precompiled headers.\n")
    add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/${owner}.cpp)
    planc_options(${owner})
    set(headers ${PLANC_STD_HEADERS})
    if(group MATCHES test)
      list(APPEND headers <gtest/gtest.h>)
      target_link_libraries(${owner} PRIVATE GTest::gtest Threads::Threads)
      planc_test_options(${owner})
      target_compile_options(${owner} PRIVATE -fPIE)  # as executables have it
    endif()
    if(group MATCHES mlir)
      list(APPEND headers ${PLANC_MLIR_HEADERS})
      target_include_directories(${owner} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    endif()
    target_precompile_headers(${owner} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
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
    planc_precompile(planc_${name} mlir)
  else()
    planc_precompile(planc_${name} std)
  endif()
endfunction()

# planc_executable(planc SOURCES main.cpp LINK …)
function(planc_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  planc_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

# The assertions of tests take longer to optimise than to run.
function(planc_test_options target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
endfunction()

# planc_gtest(sharding_test SOURCES … LINK planc_sharding [MLIR] [OPTIMIZED]): built with everything, run by ctest
#   MLIR: the test uses LLVM and MLIR headers
#   OPTIMIZED: the test's own code takes long, as an exhaustive search, or has kernels of the runtime's headers
function(planc_gtest name)
  cmake_parse_arguments(ARG "MLIR;OPTIMIZED" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  planc_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main Threads::Threads)
  if(NOT ARG_OPTIMIZED)
    planc_test_options(${name})
    if(ARG_MLIR)
      planc_precompile(${name} test_mlir)
    else()
      planc_precompile(${name} test)
    endif()
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()
