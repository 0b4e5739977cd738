"""macros.py PLAN INCLUDE WORK: writes a plan whose dimensions and parameters have the names of macros, and checks
that the program that planc emits for it has no identifier that is a macro. The macros are those of the headers that
programs include (PLAN's program, and planrt/simulate.h) and of headers of C and POSIX."""
import pathlib
import re
import subprocess
import sys

plan, include, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
work.mkdir(parents=True, exist_ok=True)
EVERY = 25  # only every 25th of the thousands of macros that begin with a capital letter is tested
HEADERS = ["planrt/simulate.h", "assert.h", "complex", "fcntl.h", "inttypes.h", "netinet/in.h", "pthread.h", "sched.h",
           "setjmp.h", "signal.h", "stdarg.h", "stddef.h", "stdio.h", "sys/mman.h", "sys/stat.h", "sys/sysmacros.h",
           "sys/time.h", "unistd.h"]


def run(*command, text=""):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout


def emitted(path):
    return run("planc", str(path), "--ranks", "1", "--emit=cpp")


def identifiers(program):
    """The identifiers outside of comments, strings and directives."""
    code = re.sub(r'//[^\n]*|"(\\.|[^"\\])*"|^#[^\n]*', " ", program, flags=re.M)
    return set(re.findall(r"\b[A-Za-z_]\w*", code))


includes = re.findall(r"^#include <[^>]+>", emitted(plan), re.M) + [f"#include <{header}>" for header in HEADERS]
definitions = run("c++", "-std=c++20", "-I", include, "-dM", "-E", "-x", "c++", "-", text="\n".join(includes))
macros = set(re.findall(r"^#define (\w+)", definitions, re.M))
plain = sorted(macro for macro in macros if not macro.startswith("_"))
small = [macro for macro in plain if macro[0].islower()]
capital = [macro for macro in plain if macro[0].isupper()]
ends = [macro for macro in plain if macro.endswith("_") and "__" not in macro]
if ends or len(small) < 20 or len(capital) < 500:
    sys.exit(f"macros with the form of changed names: {ends}; {len(small)} begin with a small letter, {len(capital)} do not")

names = small + capital[::EVERY] + ["EOF", "M_PI", "M_PI_2", "INT8_MAX", "RAND_MAX"]
names = sorted(set(names) - {"batch", "first"})
lines, before = [], "first"
for i, name in enumerate(names):
    lines.append(f"    param {name}: [{before}, {name}] = ones\n    y{i} = tanh(einsum({f'y{i - 1}' if i else 'x'}, {name} -> "
                 f"[batch, {name}]))\n")
    before = name
odd = work / "macros.plan"
odd.write_text(f"""dim batch = 2; dim first = 2
{"".join(f"dim {name} = 2; " for name in names)}
network n(x: f32[batch, first]) -> f32[batch, {before}] {{
{"".join(lines)}    return y{len(names) - 1}
}}
data noise = synthetic(seed = 1)
mesh grid = [rows]
layout all on grid {{ batch -> rows }}
train n on noise {{ loss = mean_square_error(n(x), y); optimizer = sgd(rate = 0.1); steps = 2; layout = all }}
""")
met = sorted(identifiers(emitted(odd)) & macros)
if met:
    sys.exit(f"names of the program that are macros: {met}")
print(f"{len(names)} names of {len(plain)} macros: none is met")
