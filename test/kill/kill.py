"""Kills a training program again and again, and checks that it resumes from its checkpoints.

  kill.py RANKS:PROGRAM … --kills N --work DIR [--seed S] [--steps N] [--every N]

The first program runs once unbroken. Then a run starts with one of the programs, drawn anew each time, and a SIGKILL
hits one of its ranks, at a moment drawn from the whole time of a run or while a checkpoint is being written; the next
start continues with --resume. After each kill

- every file under the name of a checkpoint is intact: its size and its checksum agree with its header;
- no checkpoint that was complete is lost: the newest is at least as new as before, and if step k has been logged, as the
  last one due before k.

Where a run reaches its end, its losses must be those of the unbroken run, and its weights: to the last bit where there is
one program only, to 1e-9 relative where other layouts continue. Then the next run begins, until N kills have hit.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

MPIRUN = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "mpirun"
TOLERANCE = 1e-9  # relative; of f64
KEEP = 3


def fail(message):
    sys.exit(f"kill.py: {message}")


class Program:
    def __init__(self, words):
        ranks, path = words.split(":", 1)
        self.ranks, self.path = int(ranks), os.path.realpath(path)

    def start(self, arguments, output):
        command = [str(MPIRUN), str(self.ranks), self.path, "--quiet", *map(str, arguments)]
        environment = dict(os.environ, PLANC_TIMEOUT="100", PLANRT_TEST_RANKS=str(self.ranks))
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)


def checkpoints(directory):
    return sorted(directory.glob("step-*.safetensors")) if directory.is_dir() else []


def check_whole(path):
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    end = max((entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"), default=0)
    if len(content) != 8 + length + end:
        fail(f"{path} is not whole: {len(content)} bytes, its header says {8 + length + end}")
    checksum = header["__metadata__"]["planc.crc32"].encode()
    zeroed = content[: 8 + length].replace(b'"planc.crc32":"' + checksum, b'"planc.crc32":"00000000') + content[8 + length :]
    if b"%08x" % zlib.crc32(zeroed) != checksum:
        fail(f"{path} is not what was written")


def newest_step(directory):
    files = checkpoints(directory)
    for path in files:
        check_whole(path)
    if len(files) > KEEP + 1:  # there is one more until the oldest is removed
        fail(f"{directory} holds {len(files)} checkpoints")
    return int(files[-1].name[5:13]) if files else 0


def step_losses(log):
    """The losses of complete lines only, because the last line may have been cut."""
    if not log.exists():
        return []
    lines = log.read_text().split("\n")[:-1]
    return [entry["loss"] for entry in map(json.loads, lines) if "step" in entry]


def ranks_of(root, program):
    """Processes of the program among the descendants of `root`."""
    parents, found = {}, []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                parents[int(entry.name)] = int(words[1])
                if os.readlink(entry / "exe") == program.path:
                    found.append(int(entry.name))
            except OSError:  # it has ended, or is not ours
                pass

    def descends(process):
        while process in parents and process != root:
            process = parents[process]
        return process == root

    return sorted(process for process in found if descends(process))


class Trial:
    def __init__(self, options, programs):
        self.options, self.programs = options, programs
        self.random = random.Random(options.seed)
        self.work = options.work
        self.kills = 0

    def arguments(self, run):
        result = ["--log", run / "log", "--save", run / "weights"]
        return result + (["--steps", self.options.steps] if self.options.steps else [])

    def unbroken(self):
        run = self.work / "unbroken"
        run.mkdir()
        begin = time.monotonic()
        with open(run / "output", "wb") as output:
            if self.programs[0].start(self.arguments(run), output).wait() != 0:
                fail("the unbroken run failed: " + (run / "output").read_text())
        self.seconds = time.monotonic() - begin
        self.losses = step_losses(run / "log")
        self.weights = (run / "weights").read_bytes()

    def wait_for_the_moment(self, process, directory):
        """False where the run ended before."""
        end = time.monotonic() + self.random.uniform(0, 1.2 * self.seconds)
        in_writing = self.random.random() < 0.5
        while time.monotonic() < end or in_writing:
            if process.poll() is not None:
                return False
            if in_writing and directory.is_dir() and any(name.endswith(".tmp") for name in os.listdir(directory)):
                time.sleep(self.random.uniform(0, 0.004))
                return True
            time.sleep(0.0005)
        return True

    def kill(self, process, program):
        """False where the run ended before."""
        while process.poll() is None:
            ranks = ranks_of(process.pid, program)
            if ranks:
                try:
                    os.kill(self.random.choice(ranks), signal.SIGKILL)
                    return True
                except ProcessLookupError:
                    pass
            time.sleep(0.002)
        return False

    def start_and_kill(self, run):
        """True where the run came to its end."""
        directory, log = run / "checkpoints", run / "log"
        program = self.random.choice(self.programs)
        before = newest_step(directory)
        arguments = ["--checkpoint", directory, "--checkpoint-every", self.options.every, "--keep", KEEP, "--resume"]
        with open(run / "output", "wb") as output:
            process = program.start(self.arguments(run) + arguments, output)
            wanted = self.kills < self.options.kills
            hit = wanted and self.wait_for_the_moment(process, directory) and self.kill(process, program)
            code = process.wait()
        if code == 0:
            return True
        if not hit:
            fail(f"a run that was not killed failed: {(run / 'output').read_text()}")
        self.kills += 1
        after = newest_step(directory)
        logged = len(step_losses(log))
        due = (logged - 1) // self.options.every * self.options.every if logged else 0
        if after < max(before, due):
            fail(f"a checkpoint is lost: the newest is of step {after}, before it was {before}; {logged} steps are logged")
        return False

    def compare(self, run):
        losses = step_losses(run / "log")
        if len(losses) != len(self.losses):
            fail(f"{len(losses)} losses in the log, {len(self.losses)} in the unbroken run")
        exact = len(self.programs) == 1
        for step, (loss, wanted) in enumerate(zip(losses, self.losses), 1):
            if loss != wanted and (exact or abs(loss - wanted) > TOLERANCE * abs(wanted)):
                fail(f"step {step}: loss {loss}, in the unbroken run {wanted}")
        if exact and (run / "weights").read_bytes() != self.weights:
            fail("the weights are not those of the unbroken run")

    def run(self):
        self.unbroken()
        runs, starts = 0, 0
        while self.kills < self.options.kills or runs == 0:
            run = self.work / f"run{runs}"
            run.mkdir()
            starts += 1
            while not self.start_and_kill(run):
                starts += 1
            self.compare(run)
            shutil.rmtree(run)
            runs += 1
        print(f"{self.kills} kills in {starts} starts of {runs} runs: losses equal, no checkpoint lost")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", type=Program, metavar="RANKS:PROGRAM")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--every", type=int, default=20, help="steps from checkpoint to checkpoint")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    Trial(options, options.programs).run()


if __name__ == "__main__":
    main()
