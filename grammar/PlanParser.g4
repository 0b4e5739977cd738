// The grammar of .plan files. Labels such as L4 are rules of grammar/reference.md. Choices are decided by the next token,
// seldom by two: this keeps parsing fast and lets an error say what was expected. Line ends that do not separate and
// commas before a closing bracket do not arrive here (compiler/syntax/tokens.cpp).
parser grammar PlanParser;

options { tokenVocab = PlanLexer; }

file : (declaration (separator declaration)*)? EOF;

separator : LINE_END | SEMICOLON; // L3

declaration
    : importDeclaration
    | dimDeclaration
    | callableDeclaration
    | dataDeclaration
    | machineDeclaration
    | meshDeclaration
    | layoutDeclaration
    | trainDeclaration
    ;

importDeclaration : IMPORT STRING;

dimDeclaration : DIM name ASSIGN expression; // D1

// --- names: every word but those of statements and expressions (L4) ---

name
    : NAME | IMPORT | DIM | NETWORK | LAYER | DATA | MACHINE | MESH | LAYOUT | TRAIN | PARAM | STATE | SHARED | AS | IN | ON | AUTO
    | STORE | PIPELINE | CUT | BEFORE | AFTER | RECOMPUTE | FORBID
    ;

// --- networks and layers (N, Y) ---

callableDeclaration
    : (NETWORK | LAYER) name LEFT_PARENTHESIS (parameter (COMMA parameter)*)? RIGHT_PARENTHESIS ARROW results block
    ;

results : type | LEFT_PARENTHESIS type (COMMA type)+ RIGHT_PARENTHESIS; // X9

parameter : name COLON type (ASSIGN expression)?;

type : name dimensionList? | dimensionList; // D3

dimensionList : LEFT_BRACKET (dimension (COMMA dimension)*)? RIGHT_BRACKET;

dimension : DOTS name? | name (COLON expression)?;

block : LEFT_BRACE (statement (separator statement)*)? RIGHT_BRACE;

statement
    : conditional
    | RETURN expression
    | YIELD expression
    | parameterDeclaration
    | sharedLayer
    | binding
    ;

parameterDeclaration : (PARAM | STATE) name COLON type ASSIGN expression;

sharedLayer : SHARED name ASSIGN name arguments; // N8

binding : name (COMMA name)* ASSIGN expression; // N2, X9

conditional : IF expression block (ELSE (conditional | block))?;

// --- expressions; the order of the alternatives is the order of binding strength (X1) ---

expression
    : primary
    | expression LEFT_BRACKET expression RIGHT_BRACKET // X9
    | operation=MINUS expression
    | expression operation=(STAR | SLASH | REMAINDER) expression
    | expression operation=(PLUS | MINUS) expression
    | expression operation=DOTS expression
    | expression operation=(EQUAL | NOT_EQUAL | LESS | LESS_EQUAL | GREATER | GREATER_EQUAL) expression
    | operation=NOT expression
    | expression operation=AND expression
    | expression operation=OR expression
    ;

primary
    : number
    | STRING
    | TRUE
    | FALSE
    | call
    | list
    | choice
    | fold
    | LEFT_PARENTHESIS expression (COMMA expression)* RIGHT_PARENTHESIS // several: X9
    ;

// L6: a unit follows its number on the same line; `/ s` belongs to it, `/ x` divides.
number : (INTEGER | DECIMAL) (PERCENT | unit)?;

unit : NAME ({_input->LT(2)->getText() == "s"}? SLASH NAME)?;

call : name arguments?; // without brackets: a reference

arguments : LEFT_PARENTHESIS (argument (COMMA argument)*)? RIGHT_PARENTHESIS;

// X6: `:` an extent, `=` a value, `->` a mapping. What stands before `:` and `=` is a name: checked on the tree.
argument : expression ((COLON | ASSIGN | ARROW) expression)?;

list : LEFT_BRACKET (item (COMMA item)*)? RIGHT_BRACKET;

item : DOTS name? | expression (COLON expression)?;

choice : IF expression LEFT_BRACE expression RIGHT_BRACE ELSE (choice | LEFT_BRACE expression RIGHT_BRACE);

fold
    : FOLD (accumulators+=name | LEFT_PARENTHESIS accumulators+=name (COMMA accumulators+=name)* RIGHT_PARENTHESIS)
      ASSIGN initial=expression
      FOR (variables+=name | LEFT_PARENTHESIS variables+=name (COMMA variables+=name)* RIGHT_PARENTHESIS)
      IN values=expression (AS label=name)? block
    ;

// --- data, machines, training: settings (T, M, R) ---

dataDeclaration : DATA name ASSIGN expression settings?;

machineDeclaration : MACHINE name settings;

trainDeclaration : TRAIN name ON name settings;

settings : LEFT_BRACE (setting (separator setting)*)? RIGHT_BRACE;

setting : name ASSIGN (share (COMMA share)* | expression (groups | table)?);

groups : LEFT_BRACE (group (separator group)*)? RIGHT_BRACE; // R5

group : selector settings;

table : LEFT_BRACE row (separator row)* RIGHT_BRACE; // P8

row : rank=INTEGER COLON action*;

action : NAME (DOT INTEGER)?;

share : name number;

// --- meshes and layouts (H, P) ---

meshDeclaration : MESH name (ON name)? ASSIGN (AUTO | axes);

axes : LEFT_BRACKET axis (COMMA axis)* RIGHT_BRACKET;

axis : name (COLON expression)?;

layoutDeclaration : LAYOUT name ON (name | axes) (ASSIGN AUTO layoutBody? | layoutBody);

layoutBody : LEFT_BRACE (layoutItem (separator layoutItem)*)? RIGHT_BRACE;

// P3: what stands before `->`, `<=` and `=` is a plain name: checked on the tree.
layoutItem
    : STORE name ARROW target
    | PIPELINE ARROW target pipelineBody?
    | FORBID name
    | RECOMPUTE
    | selector (ARROW target | LESS_EQUAL expression | ASSIGN expression | layoutBody)
    ;

target : name | LEFT_BRACKET (name (COMMA name)*)? RIGHT_BRACKET; // the name `none`: no axis

pipelineBody : LEFT_BRACE (pipelineItem (separator pipelineItem)*)? RIGHT_BRACE;

pipelineItem : CUT (BEFORE | AFTER) selector (COMMA selector)* | setting;

selector : pattern (DOT pattern)*;

// P4: written without spaces: checked on the tree.
pattern : (name | wildcard) wildcard* (LEFT_BRACKET (INTEGER | STAR) RIGHT_BRACKET)?;

wildcard : STAR (name | INTEGER)?;
