// Words and signs of the .plan language. Rules of grammar/reference.md: L1 to L9.
lexer grammar PlanLexer;

channels { COMMENTS }

// L6: a '%' with an operand on both sides, told apart from that of `80%` by compiler/syntax/tokens.cpp.
tokens { REMAINDER }

// Heads of declarations (L4: plain names everywhere else).
IMPORT  : 'import';
DIM     : 'dim';
NETWORK : 'network';
LAYER   : 'layer';
DATA    : 'data';
MACHINE : 'machine';
MESH    : 'mesh';
LAYOUT  : 'layout';
TRAIN   : 'train';

// Words with a meaning in one place only, plain names elsewhere.
PARAM     : 'param';
STATE     : 'state';
SHARED    : 'shared';
AS        : 'as';
IN        : 'in';
ON        : 'on';
AUTO      : 'auto';
STORE     : 'store';
PIPELINE  : 'pipeline';
CUT       : 'cut';
BEFORE    : 'before';
AFTER     : 'after';
RECOMPUTE : 'recompute';
FORBID    : 'forbid';

// Words of statements and expressions, never names (L4).
IF     : 'if';
ELSE   : 'else';
FOLD   : 'fold';
FOR    : 'for';
RETURN : 'return';
YIELD  : 'yield';
AND    : 'and';
OR     : 'or';
NOT    : 'not';
TRUE   : 'true';
FALSE  : 'false';

// The apostrophe marks the input side of a weight whose two sides bear one role: hidden' (D4).
NAME : [A-Za-z_] [A-Za-z0-9_]* '\''?;

// `0..64` is a range: a fraction needs a digit on both sides of its point.
INTEGER : DIGIT+;
DECIMAL : DIGIT+ '.' DIGIT+ EXPONENT? | DIGIT+ EXPONENT;
STRING  : '"' (~["\\\r\n] | '\\' ~[\r\n])* '"';
OPEN_STRING : '"' (~["\\\r\n] | '\\' ~[\r\n])* '\\'?; // the closing quote is missing

LEFT_PARENTHESIS  : '(';
RIGHT_PARENTHESIS : ')';
LEFT_BRACKET      : '[';
RIGHT_BRACKET     : ']';
LEFT_BRACE        : '{';
RIGHT_BRACE       : '}';

COMMA     : ',';
SEMICOLON : ';';
COLON     : ':';
ARROW     : '->';
ASSIGN    : '=';
DOTS      : '..';
DOT       : '.';
PERCENT   : '%';

PLUS          : '+';
MINUS         : '-';
STAR          : '*';
SLASH         : '/';
EQUAL         : '==';
NOT_EQUAL     : '!=';
LESS_EQUAL    : '<=';
GREATER_EQUAL : '>=';
LESS          : '<';
GREATER       : '>';

// Separates statements, except inside ( ) and [ ] and next to an operator (L3, compiler/syntax/tokens.cpp).
LINE_END : ('\r'? '\n' | '\r');
BLANK    : [ \t\f]+ -> skip;
COMMENT  : '//' ~[\r\n]* -> channel(COMMENTS);

UNKNOWN : .; // anything else: one error of the parser's, in its place

fragment DIGIT    : [0-9];
fragment EXPONENT : [eE] [+-]? DIGIT+;
