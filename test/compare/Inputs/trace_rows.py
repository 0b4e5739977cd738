"""The rows of a trace in Chrome's format, predicted or measured, and what holds for each of them."""
import re

ROUNDING = 2e-3  # us: traces are written to a thousandth


class Row:
    def __init__(self, process):
        self.process = process
        self.name = ""
        self.compute = []
        self.network = []
        self.threads = {}

    def of_stage(self, stage):
        """Whether the row's name says that the rank has this stage; without a pipeline there is none but 0."""
        said = re.fullmatch(r"stages? ([\d, ]+): .*", self.name)
        return str(stage) in said[1].split(", ") if said else stage == 0

    def plain_name(self):
        """Without the number of ranks that it stands for."""
        return re.sub(r" \(of \d+ alike\)$", "", self.name)

    def runs(self, step=None):
        return [event for event in self.compute if event["args"]["event"] == "run" and event["args"].get("step") == step]


def rows(trace):
    found = {}
    for event in trace["traceEvents"]:
        row = found.setdefault(event["pid"], Row(event["pid"]))
        if event["ph"] == "M":
            if event["name"] == "process_name":
                row.name = event["args"]["name"]
            else:
                row.threads[event["tid"]] = event["args"]["name"]
            continue
        assert event["ph"] == "X", event
        assert (event["args"]["event"] == "transfer") == (event["tid"] > 0), event
        (row.network if event["tid"] else row.compute).append(event)
    return found


def check_nested(events):
    """Each event lies within the last one that has not ended, or follows it. Returns the depth."""
    open_ones, depth = [], 0
    for event in events:
        begin, end = event["ts"], event["ts"] + event["dur"]
        rounding = ROUNDING + 1e-9 * end
        assert event["dur"] >= 0, event
        while open_ones and open_ones[-1] <= begin + rounding:
            open_ones.pop()
        assert not open_ones or end <= open_ones[-1] + rounding, (event, open_ones)
        open_ones.append(end)
        depth = max(depth, len(open_ones))
    return depth


def check_row(row):
    """Runs lie beside each other, and all else within them or between them; transfers of a lane do not overlap."""
    assert row.name and row.threads.get(0) == "compute", row.process
    assert check_nested(row.compute) <= 2, row.name
    runs = [event for event in row.compute if event["args"]["event"] == "run"]
    assert check_nested(runs) <= 1, row.name
    lanes = {}
    for event in row.network:
        lanes.setdefault(event["tid"], []).append(event)
    assert {thread for thread, name in row.threads.items() if name == "network"} == set(lanes), row.name
    for events in lanes.values():
        assert check_nested(events) <= 1, row.name
