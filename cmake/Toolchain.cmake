# Finds every package that planc needs, and works around defects of Debian 12.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")  # -O3 costs build time here and gains nothing: the time is in BLAS and MPI

find_program(CCACHE ccache)
if(CCACHE)
  # Clones share what they compile: paths are relative to the clone, and may not be in the hash. The sloppiness is what
  # ccache asks for with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

find_package(MLIR 19.1 REQUIRED CONFIG PATHS /usr/lib/llvm-19 NO_DEFAULT_PATH)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)  # not HandleLLVMOptions: it would forbid exceptions, which ANTLR needs

find_package(antlr4-runtime 4.9 REQUIRED CONFIG)
# Debian's config links libuuid without need.
set_property(TARGET antlr4_shared PROPERTY IMPORTED_LINK_INTERFACE_LIBRARIES_NONE "")
find_program(ANTLR4_TOOL antlr4 REQUIRED)

find_package(MPI REQUIRED COMPONENTS CXX)
set(BLA_VENDOR OpenBLAS)
find_package(BLAS REQUIRED)
find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas-pthread openblas REQUIRED)
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.h REQUIRED)  # types and numbers; the library is loaded at run time
find_library(MIMALLOC_LIBRARY mimalloc)  # its malloc is planc's; without it, planc uses the C library's
find_path(SMPI_INCLUDE_DIR smpi/smpi.h)  # SimGrid's, for `planc simulate`; without it, that command reports this
find_path(METIS_INCLUDE_DIR metis.h)  # for orders of vertices by METIS; without it, they are refused
find_library(METIS_LIBRARY metis)
find_package(ZLIB REQUIRED)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
