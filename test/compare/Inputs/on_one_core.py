"""on_one_core.py PROGRAM ARGUMENT...: runs it where it has one core, whatever the machine has."""
import os
import sys

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.execvp(sys.argv[1], sys.argv[1:])
