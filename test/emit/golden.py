"""Compares an emitted program with the pinned one.

  golden.py EMITTED PINNED

Exit code 0 if they are equal. With PLANC_REFRESH set the pinned one is written anew. Numbers that the cost model predicts
and the directory of the plan are masked.
"""

import difflib
import os
import pathlib
import re
import sys


def masked(text):
    text = re.sub(r"predicted [0-9.e+-]+ (us|ms)", "predicted TIME", text)
    text = re.sub(r"(, predicted_\d+|(?:forward|backward|update)\"), [0-9.e+-]+\}", r"\1, TIME}", text)
    text = re.sub(r"(\{\{[-0-9, {}]+\}\}), [0-9.e+-]+\);", r"\1, TIME);", text)
    text = re.sub(r'"/[^"]*/(examples|test/emit/Inputs)"', '"DIRECTORY"', text)
    # The length of the directory determines where this line is broken.
    return re.sub(r"    \.data = .*?\},\n", lambda line: "    " + " ".join(line.group().split()) + "\n", text, flags=re.DOTALL)


def main():
    emitted, pinned = sys.argv[1], pathlib.Path(sys.argv[2])
    text = masked(pathlib.Path(emitted).read_text())
    if os.environ.get("PLANC_REFRESH"):
        pinned.write_text(text)
    if text == pinned.read_text():
        return 0
    sys.stdout.writelines(difflib.unified_diff(
        pinned.read_text().splitlines(keepends=True), text.splitlines(keepends=True), str(pinned), "emitted"))
    print("PLANC_REFRESH=1 pins the emitted program, if the change is meant")
    return 1


if __name__ == "__main__":
    sys.exit(main())
