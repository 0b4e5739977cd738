"""Sums up the results of ./check in its folder, each test once; lists the failed and the slow tests.

  ctest.xml    every ctest test with its output; a GoogleTest counts as its cases
  lit.json     every lit test
  single.txt   "exit-code seconds name" of the stages that are one test; 77: skipped

The last line is "N passed, N failed", with ", N skipped" where some were.
"""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

LINES_OF_A_FAILURE = 60
SLOW_SECONDS = 5.0

# Ranks of one test print interleaved, so a case is looked for anywhere in a line, and once by its name.
CASE = re.compile(r"\[\s+(OK|FAILED|SKIPPED)\s+\] ([\w/]+\.[\w/]+)")


class Tally:
    def __init__(self):
        self.passed, self.failed, self.skipped = [], [], []  # (name, output)
        self.seconds = []  # (seconds, name)

    def add(self, outcome, name, output=""):
        getattr(self, outcome).append((name, output))


def read_google_test(tally, binary, output, failed):
    """A GoogleTest's cases; the worst outcome of any rank counts. Returns whether there were any."""
    outcomes = {}
    worst = {"OK": 0, "SKIPPED": 1, "FAILED": 2}
    for outcome, case in CASE.findall(output):
        if case not in outcomes or worst[outcome] > worst[outcomes[case]]:
            outcomes[case] = outcome
    for case, outcome in outcomes.items():
        kind = {"OK": "passed", "SKIPPED": "skipped", "FAILED": "failed"}[outcome]
        begin = max(output.find(f"] {case}\n"), 0)  # where it says that it runs
        end = output.find("\n", output.find(f"  FAILED  ] {case}", begin))
        tally.add(kind, f"{binary}: {case}", output[begin:end] if kind == "failed" else "")
    if outcomes and failed and "FAILED" not in outcomes.values():
        tally.add("failed", f"{binary}: ended before its last case or with an error", output)
    return bool(outcomes)


def read_ctest(tally, path):
    for case in xml.parse(path).getroot().iter("testcase"):
        name, status = case.get("name"), case.get("status")
        output = case.findtext("system-out") or ""
        tally.seconds.append((float(case.get("time", 0)), name))
        if read_google_test(tally, name, output, status == "fail"):
            continue
        kind = {"run": "passed", "fail": "failed"}.get(status, "skipped")
        tally.add(kind, name, output)


def read_lit(tally, path):
    kinds = {"PASS": "passed", "XFAIL": "passed", "FLAKYPASS": "passed", "UNSUPPORTED": "skipped", "SKIPPED": "skipped"}
    for test in json.loads(path.read_text())["tests"]:
        if test["code"] == "EXCLUDED":
            continue
        name = test["name"].replace(" :: ", ": ")
        tally.seconds.append((test.get("elapsed") or 0.0, name))
        tally.add(kinds.get(test["code"], "failed"), name, test.get("output", ""))


def read_singles(tally, folder):
    for line in (folder / "single.txt").read_text().splitlines():
        code, seconds, name = line.split(maxsplit=2)
        tally.seconds.append((float(seconds), name))
        kind = {"0": "passed", "77": "skipped"}.get(code, "failed")
        tally.add(kind, name, (folder / f"{name}.log").read_text(errors="replace"))


def main():
    folder = pathlib.Path(sys.argv[1])
    tally = Tally()
    for read, name in [(read_ctest, "ctest.xml"), (read_lit, "lit.json")]:
        try:
            read(tally, folder / name)
        except (OSError, xml.ParseError, json.JSONDecodeError) as error:
            log = folder / (name.split(".")[0] + ".log")
            tally.add("failed", f"{name}: no results ({error})", log.read_text(errors="replace") if log.exists() else "")
    read_singles(tally, folder)

    shown = set()
    for name, output in tally.failed:
        print(f"\nFAILED {name}")
        lines = output.rstrip().splitlines()
        if output not in shown:
            print("\n".join(lines[-LINES_OF_A_FAILURE:]))
        shown.add(output)
    for name, _ in tally.skipped:
        print(f"skipped {name}")
    slow = sorted((entry for entry in tally.seconds if entry[0] >= SLOW_SECONDS), reverse=True)[:10]
    if slow:
        print("slowest: " + ", ".join(f"{name} {seconds:.0f} s" for seconds, name in slow))
    sums = f"{len(tally.passed)} passed, {len(tally.failed)} failed"
    if tally.skipped:
        sums += f", {len(tally.skipped)} skipped"
    print(sums)
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
