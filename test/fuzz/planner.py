#!/usr/bin/env python3
"""Asks planc for plans of mutated networks: other extents, kernels, strides, meshes, machines, limits and ranks.

Prints each case that ends other than by a plan or an error, or that takes more than --seconds of processor time or --gigabytes:
  test/fuzz/planner.py --count 400 --seed 1 examples/*.plan
"""
import argparse
import os
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile

MACHINES = ["local", "summit", "skylake", "skylake_cores", "cori", "ethernet_10", "ethernet_100"]
RANKS = [2, 3, 4, 6, 7, 8, 12, 16, 24, 30, 36, 60, 64, 72, 96, 128, 210, 256, 450, 512, 720, 1000, 1024, 1080, 4096]
EXTENTS = [1, 2, 3, 5, 7, 8, 31, 64, 67, 127, 1000, 1024, 4096, 65537, 2**20, 2**28, 2**31]
SMALL = [1, 2, 3, 4, 5, 7, 11]
FIGURES = {"memory": ["1 B", "1MiB", "16MiB", "64MiB", "333MiB", "2GiB", "8GiB", "1TiB"],
           "latency": ["1ns", "2us", "1ms", "100ms"],
           "bandwidth": ["1Mbit/s", "1Gbit/s", "100Gbit/s"],
           "peak": ["1Mflop/s", "1Gflop/s", "100Tflop/s"]}


def mutated_text(text, dice):
    """The network with up to three of its whole numbers changed."""
    for _ in range(dice.randrange(4)):
        numbers = list(re.finditer(r"(?<![\w.])\d+(?![\w.%])", re.sub(r"//.*", lambda m: " " * len(m[0]), text)))
        if not numbers:
            break
        at = dice.choice(numbers)
        old = int(at[0])
        # A graph that is drawn takes memory for each vertex, however it is planned.
        most = 2**20 if "synthetic_graph" in text else 2**31
        new = dice.choice(SMALL if old <= 12 else [extent for extent in EXTENTS if extent <= most])
        if dice.random() < 0.3:
            new = max(0, old + dice.choice([-1, 1]))
        text = text[:at.start()] + str(new) + text[at.end():]
    return text


def mutated_mesh(text, dice):
    """The mesh with up to six axes, given or open, in place of the one of two axes; layouts but `auto` may then not fit."""
    names = ["rows", "cols", "third", "fourth", "fifth", "sixth"][:dice.choice([1, 2, 2, 2, 3, 4, 6])]
    if "mesh grid = [rows, cols]" in text and len(names) >= 2:
        text = text.replace("mesh grid = [rows, cols]", f"mesh grid = [{', '.join(names)}]")
    return text, names


def options(names, dice):
    ranks = dice.choice(RANKS)
    result = ["--ranks", str(ranks)]
    if dice.random() < 0.2:
        sizes = {}
        left = ranks
        for name in names:
            sizes[name] = dice.choice([d for d in range(1, left + 1) if left % d == 0])
            left //= sizes[name]
        sizes[names[-1]] *= left
        result = ["--mesh", ",".join(f"{name}={size}" for name, size in sizes.items())]
    result += ["--machine", dice.choice(MACHINES)]
    if dice.random() < 0.4:
        figure = dice.choice(list(FIGURES))
        result += ["--machine-set", f"{figure}={dice.choice(FIGURES[figure])}"]
    return result


def run(command, seconds):
    """Processor time, bytes at the peak, exit code (None: killed after `seconds`), messages."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        errors.seek(0)
        message = errors.read().decode(errors="replace").strip()
    code = None if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (9, 24) else os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, code, message


def ends_with_error(message):
    return re.search(r"(^|: )error: |^planc: ", message, re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", help="networks with a layout `auto`")
    parser.add_argument("--planc", default="build/bin/planc")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--gigabytes", type=float, default=2)
    parser.add_argument("--keep", default=".", help="where the networks of faults are written")
    arguments = parser.parse_args()
    os.makedirs(arguments.keep, exist_ok=True)
    passed = failed = errors = 0
    for case in range(arguments.first, arguments.first + arguments.count):
        dice = random.Random(f"{arguments.seed}:{case}")
        source = dice.choice(arguments.files)
        with open(source, encoding="utf-8") as file:
            text, names = mutated_mesh(mutated_text(file.read(), dice), dice)
        path = os.path.join(arguments.keep, f"mutant_{arguments.seed}_{case}.plan")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        command = [arguments.planc, "plan", path, *options(names, dice)]
        seconds, memory, code, message = run(command, int(6 * arguments.seconds) + 1)
        is_answer = code == 0 or (code in (1, 2) and ends_with_error(message))
        if not is_answer or seconds > arguments.seconds or memory > arguments.gigabytes * 1e9:
            failed += 1
            print(f"{seconds:6.1f} s {memory / 1e9:5.2f} GB exit {code} {source}: {shlex.join(command)}", flush=True)
            if not is_answer:
                print(f"    {message[-300:]}", flush=True)
        else:
            os.remove(path)
            passed += 1
            errors += code != 0
    print(f"{passed} passed ({errors} with an error), {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
