"""check_trace.py PREDICTED MEASURED STEPS: checks that a measured trace has the rows, runs and names of the predicted one.

For each row of the prediction: the same rank, stage and lanes; in each step the same runs, of the same stage, kind and
micro-batch, in the same order; no communication that the prediction does not name, and the other way round. Each stage
runs each micro-batch forward once, and has a backward pass of it. The sums: runs and waits take no longer than the step.
"""
import json
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


main()
