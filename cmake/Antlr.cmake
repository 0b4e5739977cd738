# planc_antlr(<variable> DIRECTORY <dir> GRAMMARS <lexer.g4> <parser.g4>): generates C++ sources into <dir> and sets
# <variable> to them. The lexer comes first: the parser reads its token vocabulary.
function(planc_antlr variable)
  cmake_parse_arguments(ARG "" "DIRECTORY" "GRAMMARS" ${ARGN})
  set(outputs)
  set(vocabulary)
  foreach(grammar ${ARG_GRAMMARS})
    get_filename_component(name ${grammar} NAME_WE)
    set(sources ${ARG_DIRECTORY}/${name}.cpp)
    set(products ${ARG_DIRECTORY}/${name}.h ${ARG_DIRECTORY}/${name}.tokens)
    add_custom_command(
      OUTPUT ${sources} ${products}
      COMMAND ${ANTLR4_TOOL} -Dlanguage=Cpp -Werror -no-visitor -no-listener -encoding UTF-8 -package planc::syntax::grammar
              -lib ${ARG_DIRECTORY} -o ${ARG_DIRECTORY} -Xexact-output-dir ${grammar}
      DEPENDS ${grammar} ${vocabulary}
      COMMENT "Generating ${name} with ANTLR"
      VERBATIM)
    list(APPEND outputs ${sources})
    set(vocabulary ${ARG_DIRECTORY}/${name}.tokens)
  endforeach()
  # In C++20, u8"" has another type. The generated code does not follow our style.
  set_source_files_properties(${outputs} PROPERTIES COMPILE_OPTIONS "-fno-char8_t;-w")
  set(${variable} ${outputs} PARENT_SCOPE)
endfunction()
