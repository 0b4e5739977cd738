"""check_trace.py PREDICTED MEASURED STEPS: checks that a measured trace has the rows, runs and names of the predicted one.

For each row of the prediction: the same rank, stage and lanes; in each step the same runs, of the same stage, kind and
micro-batch, in the same order; all communication that the prediction names. Each rank runs each micro-batch forward once on
each of its stages, and has a backward pass of it. The sums: runs take no longer than the step. On the common clock nothing is
received before it is sent.
"""
import json
import re
import sys

import trace_rows


def identity(trace):
    other = trace["otherData"]
    return {key: other[key] for key in ("network", "layout", "mesh", "micro_batches")}


def words(run):
    return run["name"], run["cat"], run["args"]["stage"], run["args"]["micro_batch"]


def communication(events, kinds):
    """The names of collectives and transfers, without what the rank does for them."""
    names = set()
    for event in events:
        if event["args"]["event"] in kinds:
            names.add(event["name"].replace("waits for ", "").replace("works for ", ""))
    return names


def check_runs(row, predicted, step):
    runs = row.runs(step)
    assert [words(run) for run in runs] == [words(run) for run in predicted.runs()], (row.name, step)
    for run in runs:
        assert row.of_stage(run["args"]["stage"]), (row.name, run)


def check_micro_batches(rows, step, micro_batches):
    done = {}
    for row in rows:
        for run in row.runs(step):
            done.setdefault((row.name, run["args"]["stage"]), []).append((run["cat"], run["args"]["micro_batch"]))
    for stage, runs in done.items():
        forward = [micro_batch for kind, micro_batch in runs if kind == "forward"]
        backward = {micro_batch for kind, micro_batch in runs if kind in ("backward", "input gradient", "weight gradient")}
        assert sorted(forward) == list(range(micro_batches)), (stage, forward)
        assert backward == set(range(micro_batches)), (stage, backward)


def check_sums(rows, step):
    events = [event for row in rows for event in row.compute if event["args"]["step"] == step]
    begin, end = min(e["ts"] for e in events), max(e["ts"] + e["dur"] for e in events)
    for row in rows:
        busy = sum(run["dur"] for run in row.runs(step))
        assert 0 < busy <= end - begin + trace_rows.ROUNDING, (row.name, step, busy, end - begin)


def check_order(rows, step, error):
    """A wait for a transfer ends on the receiving stage after the first sender has begun to send it."""
    sent, received = {}, {}
    for row in rows:
        for event in row.compute:
            args = event["args"]
            to = re.search(r" for transfer of .* to stage (\d+)", event["name"])
            if not to or args["step"] != step:
                continue
            key = args["layer"], args["micro_batch"]
            if row.of_stage(int(to[1])) and args["event"] == "wait":
                received.setdefault(key, []).append(event["ts"] + event["dur"])
            elif not row.of_stage(int(to[1])) and args["event"] == "work":
                sent.setdefault(key, []).append(event["ts"])
    for key, begins in sent.items():
        assert min(received[key]) >= min(begins) - error, (step, key)
    return len(sent)


def main():
    predicted, measured = (json.load(open(path)) for path in sys.argv[1:3])
    steps = int(sys.argv[3])
    assert predicted["otherData"]["source"] == "predicted" and measured["otherData"]["source"] == "measured"
    assert identity(predicted) == identity(measured), (identity(predicted), identity(measured))
    assert 0 <= measured["otherData"]["clock_error_us"] < 1e5
    expected, found = trace_rows.rows(predicted), trace_rows.rows(measured)
    numbers = {event["args"]["step"] for row in found.values() for event in row.compute + row.network}
    assert len(numbers) == steps and max(numbers) - min(numbers) == steps - 1, numbers
    for row in found.values():
        trace_rows.check_row(row)
    for process, row in expected.items():
        trace_rows.check_row(row)
        same = found[process]
        assert same.plain_name() == row.plain_name(), (same.name, row.name)
        assert communication(row.network, ["transfer"]) <= communication(same.network, ["transfer"]), same.name
        assert communication(row.compute, ["wait"]) <= communication(same.compute, ["wait"]), same.name
        for step in numbers:
            check_runs(same, row, step)
    for step in numbers:
        check_micro_batches(found.values(), step, measured["otherData"]["micro_batches"])
        check_sums(found.values(), step)
        sent = check_order(found.values(), step, 2 * measured["otherData"]["clock_error_us"] + trace_rows.ROUNDING)
        assert bool(sent) == any(" to stage " in event["name"] for row in expected.values() for event in row.network)


main()
