# One tree, built and installed alike, so that planc looks in one place only, beside its own executable:
#
#   bin/planc, bin/plan-opt
#   lib/libplanrt.a              archives of planrt* targets
#   include/planrt/planrt.h      public headers of the runtime
#   share/planc/stdlib/          what `import "std/…"` reads
#
# In the build tree, the last two are links into the source tree.

set(PLANC_TREE ${PROJECT_BINARY_DIR})
file(MAKE_DIRECTORY ${PLANC_TREE}/include ${PLANC_TREE}/share/planc ${PLANC_TREE}/lib)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/runtime/include/planrt ${PLANC_TREE}/include/planrt SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/stdlib ${PLANC_TREE}/share/planc/stdlib SYMBOLIC)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/planrt DESTINATION include)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/stdlib DESTINATION share/planc)

# planc_tree(TARGETS planc planrt …): puts targets at their place in the build tree and installs them there
function(planc_tree)
  cmake_parse_arguments(ARG "" "" "TARGETS" ${ARGN})
  set_target_properties(${ARG_TARGETS} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PLANC_TREE}/bin
    ARCHIVE_OUTPUT_DIRECTORY ${PLANC_TREE}/lib)
  install(TARGETS ${ARG_TARGETS} RUNTIME DESTINATION bin ARCHIVE DESTINATION lib)
endfunction()
