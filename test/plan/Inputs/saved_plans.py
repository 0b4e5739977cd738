"""A plan that is saved and read back gives the same program to the byte.

saved_plans.py planc DIRECTORY [--layouts a,b] [--ranks 1,2] [--machine NAME] FILE...

Files that planc refuses, or cannot plan on a number of ranks, are passed over, but not all.
"""
import argparse
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("planc")
parser.add_argument("directory")
parser.add_argument("--layouts", default="")
parser.add_argument("--ranks", default="")
parser.add_argument("--machine", default="")
parser.add_argument("files", nargs="+")
arguments = parser.parse_args()


def run(*words):
    return subprocess.run([arguments.planc, *words], capture_output=True, text=True)


saved = f"{arguments.directory}/saved.plan"
compared = refused = 0
for file in arguments.files:
    for layout in arguments.layouts.split(","):
        for ranks in arguments.ranks.split(","):
            options = ["--layout", layout] * bool(layout) + ["--ranks", ranks] * bool(ranks)
            options += ["--machine", arguments.machine] * bool(arguments.machine)
            program = run(file, *options, "--emit=cpp")
            if program.returncode != 0:
                refused += 1
                continue
            where = f"{file} {' '.join(options)}"
            for words in (["plan", file, *options, "-o", saved], ["fmt", "--check", saved]):
                done = run(*words)
                if done.returncode != 0:
                    sys.exit(f"{where}: planc {' '.join(words)}: {done.stderr}")
            again = run(file, "--layout", saved, "--emit=cpp")
            if again.returncode != 0 or again.stdout != program.stdout:
                text = open(saved).read()
                sys.exit(f"{where}: another program from\n{text}\n{again.stderr}")
            compared += 1
print(f"{compared} programs are the same, {refused} refused")
sys.exit(0 if compared > 3 * refused else 1)
