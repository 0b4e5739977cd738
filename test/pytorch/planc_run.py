"""Compiles and runs planc's programs, and reads their losses and weights."""

import json
import pathlib
import struct
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def read_safetensors(torch, path):
    """{name: tensor}. The format: 8 bytes little-endian length, a JSON header of that length, the data."""
    content = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    types = {"F32": torch.float32, "F64": torch.float64}
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        data = bytearray(content[8 + length + begin : 8 + length + end])
        tensors[name] = torch.frombuffer(data, dtype=types[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def run(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


class Training:
    """A run of `steps` steps: `losses`, one a step, and the files of the weights before and after them."""

    def __init__(self, plan, work, steps, options, data=None):
        """`options` of planc, as text: "--mesh rows=2,cols=2 --layout hybrid". Files are left in `work`."""
        name = "".join(c if c.isalnum() else "_" for c in " ".join([plan.stem, *options.split()]))
        program, log = work / name, work / f"{name}.jsonl"
        self.initial, self.final = work / f"{name}.initial.safetensors", work / f"{name}.final.safetensors"
        where = ["--data", data] if data else []
        run("planc", plan, *options.split(), *where, "-o", program)
        ranks = self._ranks(plan, options, where)
        run(ROOT / "scripts/mpirun", ranks, program, "--save-init", self.initial, "--save", self.final, "--log", log,
            "--comm-report", work / f"{name}.comm.json", "--steps", steps, "--quiet", *where)
        entries = [json.loads(line) for line in log.read_text().splitlines()]
        self.losses = [entry["loss"] for entry in entries if "step" in entry]
        if len(self.losses) != steps:
            raise SystemExit(f"{log}: {len(self.losses)} losses instead of {steps}")

    @staticmethod
    def _ranks(plan, options, where):
        return json.loads(run("planc", "cost", plan, *options.split(), *where, "--format=json"))["ranks"]
