"""check_formats.py PLANC FILE [OPTION...]: checks that the picture is XML with a tooltip on every bar, that the trace is
JSON with at most one event at a time in each lane, and that both show the same ranks."""
import json
import subprocess
import sys
import xml.etree.ElementTree


def run(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def check_trace(text):
    lanes = {}
    names = {}
    for event in json.loads(text)["traceEvents"]:
        if event["ph"] == "M":
            names.setdefault(event["pid"], []).append((event["name"], event["args"]["name"]))
            continue
        assert event["ph"] == "X" and event["name"].startswith(event["args"]["layer"] + ": "), event
        lanes.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["dur"]))
    assert lanes
    for (process, thread), events in lanes.items():
        assert ("thread_name", "network" if thread else "compute") in names[process], (process, thread)
        for (begin, seconds), (after, _) in zip(events, events[1:]):
            assert seconds >= 0 and begin + seconds <= after + 1e-6 * (1 + after), (process, thread, begin, after)
    return names


def check_picture(text, names):
    svg = "{http://www.w3.org/2000/svg}"
    root = xml.etree.ElementTree.fromstring(text)
    width = float(root.get("width"))
    bars = [rect for rect in root.iter(svg + "rect") if rect.find(svg + "title") is not None]
    assert len(bars) > 10
    for bar in bars:
        assert 0 <= float(bar.get("x")) <= float(bar.get("x")) + float(bar.get("width")) <= width, bar.attrib
    words = [text.text for text in root.iter(svg + "text")]
    for process in names:
        assert any(each == f"rank {process}" or each.startswith(f"rank {process} (of ") for each in words), process


names = check_trace(run(*sys.argv[1:2], "timeline", *sys.argv[2:], "--format=chrome"))
check_picture(run(*sys.argv[1:2], "timeline", *sys.argv[2:], "--format=svg"), names)
