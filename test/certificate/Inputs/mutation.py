"""mutation.py TREE FOLDER [--only WORD] [--jobs N]: copies the tree to the folder and builds planc there; then, for
each mutant (mutants.py), builds it again and lets it plan small networks. The planc that was built first verifies their
certificates.

  refused    one of them is refused
  honest     no certificate claims more than is true: equally good plans, a gap that the search states, or other
             micro-batches, about which a certificate claims nothing
  fails      the same, and for some network the mutant finds no plan or ends with an error
  unnoticed  a certificate claims a bound above the plan that planc finds, and is not refused
  unbuilt    it does not compile

At least 20 must be refused, and none may go unnoticed or unbuilt."""
import argparse
import filecmp
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import mutants

FEWEST = 20
LEFT_OUT = {".git", ".cache", "__pycache__"}


def copy_tree(source, target):
    """Files that are the same keep their times, so that they are not built again."""
    for folder, folders, files in os.walk(source):
        folders[:] = [name for name in folders if name not in LEFT_OUT and not name.startswith("build")]
        to = target / pathlib.Path(folder).relative_to(source)
        to.mkdir(parents=True, exist_ok=True)
        for name in files:
            file = pathlib.Path(folder) / name
            if not (to / name).exists() or not filecmp.cmp(file, to / name, shallow=False):
                shutil.copyfile(file, to / name)
                shutil.copymode(file, to / name)


def build_planc(tree, jobs):
    """What is wrong, or nothing."""
    run = subprocess.run(["cmake", "--build", "build", "-j", str(jobs), "--target", "planc"], cwd=tree,
                         capture_output=True, text=True)
    return next((line for line in run.stdout.splitlines() if "error:" in line), "?") if run.returncode != 0 else ""


def mutated(text, changes, file):
    for old, new in changes:
        if text.count(old) != 1:
            sys.exit(f"{file}: this stands in it {text.count(old)} times, not once:\n{old}")
        text = text.replace(old, new)
    return text


class Case:
    def __init__(self, tree, words):
        name, *self.options = words.split()
        self.file = tree / "examples" / f"{name}.plan"
        self.words = words

    def certificate(self, planc, work):
        """None: planc failed or took too long."""
        path = work / "of.certificate"
        try:
            run = subprocess.run([planc, "plan", self.file, *self.options, "--certificate", path,
                                  "-o", work / "a.plan"], capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            return None
        return path if run.returncode == 0 else None

    def refusal(self, planc, path):
        """The line with which planc refuses the certificate; empty: it accepts."""
        run = subprocess.run([planc, "verify", path, self.file], capture_output=True, text=True)
        return run.stderr.strip().splitlines()[-1].split(": ", 2)[-1] if run.returncode != 0 else ""


def judge(cases, honest, planc, broken, work):
    """What became of a mutant, as (kind, words)."""
    failed = None
    for case in cases:
        path = case.certificate(broken, work)
        if path is None:
            failed = failed or case.words
            continue
        if line := case.refusal(planc, path):
            return "refused", f"{line} [{case.words}]"
        claim = json.loads(path.read_text())
        itself = honest[case.words]
        bound = claim["search_lower_bound_seconds"] / itself["cost"]["seconds"] - 1
        if claim["question"] == itself["question"] and bound > 1e-9:
            return "unnoticed", f"claims a bound {bound:.2g} above a plan [{case.words}]"
    return ("fails", f"[{failed}]") if failed else ("honest", "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", help="where they are built; none: whether each could be")
    parser.add_argument("--only", default="", help="of the mutants whose names contain this")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    for mutant in mutants.MUTANTS:
        mutated((given.tree / "compiler/plan" / mutant.file).read_text(), mutant.changes, mutant.file)
    if given.folder is None:
        return
    tree = given.folder
    copy_tree(given.tree, tree)
    if not (tree / "build" / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=tree, check=True, capture_output=True)
    if line := build_planc(tree, given.jobs):
        sys.exit(line)
    broken = tree / "build" / "bin" / "planc"
    planc = shutil.copy2(broken, broken.with_name("planc_itself"))
    cases = [Case(given.tree, words) for words in mutants.CASES]
    counted = {}
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        honest = {}
        for case in cases: # an honest certificate is accepted
            path = case.certificate(broken, work)
            if path is None or (line := case.refusal(planc, path)):
                sys.exit(f"planc itself on {case.words}: {'no plan' if path is None else line}")
            honest[case.words] = json.loads(path.read_text())
        for mutant in mutants.MUTANTS:
            if given.only not in mutant.name:
                continue
            file = tree / "compiler/plan" / mutant.file
            original = file.read_text()
            try:
                file.write_text(mutated(original, mutant.changes, mutant.file))
                line = build_planc(tree, given.jobs)
                kind, words = ("unbuilt", line) if line else judge(cases, honest, planc, broken, work)
            finally:
                file.write_text(original)
            counted[kind] = counted.get(kind, 0) + 1
            print(f"{kind:9} {mutant.file}: {mutant.name}{': ' + words if words else ''}", flush=True)
    print(", ".join(f"{number} {kind}" for kind, number in sorted(counted.items())))
    if counted.keys() & {"unnoticed", "unbuilt"} or (not given.only and counted.get("refused", 0) < FEWEST):
        sys.exit(1)


if __name__ == "__main__":
    main()
