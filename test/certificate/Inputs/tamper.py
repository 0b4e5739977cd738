"""tamper.py FROM TO PATH VALUE: one value of a certificate changed; the value is JSON, or what to multiply a number by, "*0.99"."""
import json
import sys

source, target, path, value = sys.argv[1:]
certificate = json.load(open(source))
steps = [int(step) if step.isdigit() else step for step in path.split(".")]
place = certificate
for step in steps[:-1]:
    place = place[step]
if value == "delete":
    del place[steps[-1]]
elif value.startswith("*"):
    place[steps[-1]] *= float(value[1:])
else:
    place[steps[-1]] = json.loads(value)
json.dump(certificate, open(target, "w"))
