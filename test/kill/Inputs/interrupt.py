"""interrupt.py MPIRUN SIGNAL TIMES: runs ranks that print "kept" when they are asked to stop, like ranks that train; with
TIMES = 2, ranks that ignore the request. Sends the launcher a signal that many times, and prints the outcome."""

import pathlib
import signal
import subprocess
import sys
import time

signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell cannot trap an ignored signal, such as after "&"
mpirun, name, times = sys.argv[1:]
ready = [pathlib.Path(f"ready.{rank}") for rank in range(2)]
for mark in ready:
    mark.unlink(missing_ok=True)
asked = 'echo kept; exit 138' if times == "1" else ""
rank = f"trap '{asked}' USR1; touch ready.$OMPI_COMM_WORLD_RANK; while :; do sleep 0.1; done"
run = subprocess.Popen([mpirun, "2", "bash", "-c", rank], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
while not all(mark.exists() for mark in ready):
    time.sleep(0.05)
begin = time.monotonic()
for _ in range(int(times)):
    run.send_signal(getattr(signal, name))
    time.sleep(1)
output, _ = run.communicate(timeout=60)
print(output.count("kept"), "kept; exit code", run.returncode, "" if time.monotonic() - begin < 30 else "late")
