"""on_one_core.py PROGRAM ARGUMENT...: runs PROGRAM on one core, whatever the machine has."""
import os
import sys

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.execvp(sys.argv[1], sys.argv[1:])
