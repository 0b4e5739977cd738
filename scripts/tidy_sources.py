"""Prints the sources that clang-tidy checks, and writes BUILD/tidy/compile_commands.json, by which it reads them.

  scripts/tidy_sources.py BUILD [--all]

The sources are those of the compiler and of the runtime, with `--all` also those that include a header of MLIR. In the
file each source has one command, though the runtime's belong to several libraries, and no precompiled headers, so that a
source which includes too little is found.
"""

import functools
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PRECOMPILED = re.compile(r" -Winvalid-pch -include \S*cmake_pch\.hxx")


@functools.cache
def sees_mlir(file):
    for name in re.findall(r'^#include ["<](.*)[">]', file.read_text(), re.MULTILINE):
        if name.startswith("mlir/"):
            return True
        header = next((folder / name for folder in (ROOT / "compiler", file.parent) if (folder / name).is_file()), None)
        if header and sees_mlir(header):
            return True
    return False


def main():
    build = pathlib.Path(sys.argv[1])
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if source.is_relative_to(ROOT / "compiler") or source.is_relative_to(ROOT / "runtime/src"):
            commands.setdefault(source, {**entry, "command": PRECOMPILED.sub("", entry["command"])})
    (build / "tidy").mkdir(exist_ok=True)
    (build / "tidy/compile_commands.json").write_text(json.dumps(list(commands.values()), indent=1))
    for source in sorted(commands):
        if "--all" in sys.argv or not sees_mlir(source):
            print(source.relative_to(ROOT))


if __name__ == "__main__":
    main()
