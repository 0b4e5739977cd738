"""check_formats.py PLANC FILE [OPTION...]: checks that the picture is XML with a tooltip on every bar, that the trace is
JSON in which the events of a lane lie within each other or follow each other, and that both show the same ranks."""
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "compare" / "Inputs"))
import trace_rows


def run(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def check_trace(text):
    rows = trace_rows.rows(json.loads(text))
    assert rows
    for row in rows.values():
        trace_rows.check_row(row)
        for event in row.compute + row.network:
            args = event["args"]
            if args["event"] == "run":
                assert row.of_stage(args["stage"]), (row.name, event)
            elif args["phase"] != "transfer":
                assert event["name"].startswith(args["layer"] + ": "), event
    return {process: row.name for process, row in rows.items()}


def check_picture(text, names):
    svg = "{http://www.w3.org/2000/svg}"
    root = xml.etree.ElementTree.fromstring(text)
    width = float(root.get("width"))
    bars = [rect for rect in root.iter(svg + "rect") if rect.find(svg + "title") is not None]
    assert len(bars) > 10
    for bar in bars:
        assert 0 <= float(bar.get("x")) <= float(bar.get("x")) + float(bar.get("width")) <= width, bar.attrib
    words = [text.text for text in root.iter(svg + "text")]
    for process, name in names.items():
        stage, _, rank = name.rpartition(": ")
        assert rank in words and (not stage or stage in words), (process, name)


names = check_trace(run(*sys.argv[1:2], "timeline", *sys.argv[2:], "--format=chrome"))
check_picture(run(*sys.argv[1:2], "timeline", *sys.argv[2:], "--format=svg"), names)
