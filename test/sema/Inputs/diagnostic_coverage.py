"""Compares the catalogue of diagnostics (name<TAB>severity<TAB>format a line) with the `DIAGNOSTIC: kind` lines of the
tests. Fails for a kind without a test, and for a test of a kind that does not exist."""
import pathlib
import re
import sys

catalogue = {line.split("\t")[0] for line in open(sys.argv[1], encoding="utf-8") if line.strip()}
tests = {}
for path in sorted(pathlib.Path(sys.argv[2]).rglob("fail_*")):
    for kind in re.findall(r"DIAGNOSTIC: (\w+)", path.read_text(encoding="utf-8", errors="replace")):
        tests.setdefault(kind, []).append(path.name)

missing = sorted(catalogue - tests.keys())
unknown = sorted(tests.keys() - catalogue)
for kind in missing:
    print(f"diagnostic '{kind}' is in no test")
for kind in unknown:
    print(f"{', '.join(tests[kind])}: there is no diagnostic '{kind}'")
print(f"{len(catalogue)} kinds, {len(missing)} without a test")
sys.exit(1 if missing or unknown or not catalogue else 0)
