"""The same initial weights give PyTorch's losses: 10 steps of SGD with momentum, to 1e-4 relative.

  compare.py --work DIR [--ranks 1 4]

planc's program writes its initial weights with --save-init; PyTorch reads them and trains the same network on the same
data. Exit code 77, with a line that says so, where PyTorch is not installed.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STEPS, RATE, MOMENTUM, TOLERANCE = 10, 0.2, 0.9, 1e-4  # as in Inputs/full_batch.plan


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


def planc_losses(work, ranks):
    """Trains with planc's program; returns the losses and the file of the initial weights."""
    program = work / f"full_batch_{ranks}"
    initial, log = work / f"initial_{ranks}.safetensors", work / f"full_batch_{ranks}.jsonl"
    subprocess.run(["planc", HERE / "Inputs/full_batch.plan", "--ranks", str(ranks), "-o", program], check=True)
    options = ["--save-init", initial, "--log", log, "--steps", str(STEPS), "--quiet"]
    subprocess.run([ROOT / "scripts/mpirun", str(ranks), program, *options], check=True)
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    return [entry["loss"] for entry in entries if "step" in entry], initial


def torch_losses(torch, initial):
    rows = [[int(field) for field in line.split(",")] for line in (ROOT / "examples/data/optdigits.csv").open()]
    table = torch.tensor(rows)
    image, label = table[:, :64].float() / 16, table[:, 64]
    weights = {name: tensor.clone().requires_grad_() for name, tensor in read_safetensors(torch, initial).items()}
    optimizer = torch.optim.SGD(weights.values(), lr=RATE, momentum=MOMENTUM)

    def dense(x, layer):
        return x @ weights[f"{layer}.w"] + weights[f"{layer}.b"]

    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        hidden = torch.relu(dense(torch.tanh(dense(image, "h1")), "h2"))
        loss = torch.nn.functional.cross_entropy(dense(hidden, "logits"), label)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 4])
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("skipped: PyTorch is not installed (Debian: python3-torch)")
        return 77
    options.work.mkdir(parents=True, exist_ok=True)

    failed = False
    for ranks in options.ranks:
        ours, initial = planc_losses(options.work, ranks)
        theirs = torch_losses(torch, initial)
        if len(ours) != STEPS:
            raise SystemExit(f"{len(ours)} losses logged instead of {STEPS}")
        difference = max(abs(a - b) / abs(b) for a, b in zip(ours, theirs))
        failed |= difference > TOLERANCE
        print(f"{ranks} ranks: loss {ours[0]:.6f} to {ours[-1]:.6f}, PyTorch {theirs[0]:.6f} to {theirs[-1]:.6f}, "
              f"largest relative difference {difference:.1e}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
