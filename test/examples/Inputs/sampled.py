"""sampled.py PLANC FILE WORK: where a batch is all vertices and the fan-outs are above every degree, 20 steps have the losses
of the network on the whole graph; with a part of them they have not."""
import json
import pathlib
import re
import subprocess
import sys

planc, file, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
text = file.read_text(encoding="utf-8")
work.mkdir(parents=True, exist_ok=True)
hops = re.search(r"fanout *= \[(.*)\]", text)[1].count(",") + 1


def losses(name, batch, fanout):
    plan, program, log = work / f"{name}.plan", work / name, work / f"{name}.jsonl"
    changed = re.sub(r"\n *batch .*\n *fanout .*", f"\n    batch = {batch}\n    fanout = {fanout}" if batch else "", text)
    assert changed != text
    plan.write_text(changed, encoding="utf-8")
    subprocess.run([planc, plan, "--ranks", "1", "-o", program], check=True)
    subprocess.run([program, "--log", log, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return [line["loss"] for line in lines if "step" in line]


full = losses("full", 0, [])
every = losses("every", 61, [40] * hops)
some = losses("some", 61, [2] + [40] * (hops - 1))
assert len(full) == len(every) == 20
assert max(abs(a / b - 1) for a, b in zip(full, every)) < 1e-12, (full, every)
assert max(abs(a / b - 1) for a, b in zip(full, some)) > 1e-3, (full, some)
