"""write_inputs.py DIRECTORY: writes 5 samples of two inputs: each input in a .csv and in a .npy
file, both in one file, and both in a file with further columns."""
import pathlib
import struct
import sys

directory = pathlib.Path(sys.argv[1])
samples = range(5)
x = [[i, i + 1, i + 2] for i in samples]
context = [[i, 1] for i in samples]


def csv(name, rows):
    (directory / name).write_text("".join(",".join(str(number) for number in row) + "\n" for row in rows))


def npy(name, rows):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    head = head.ljust(117) + "\n"
    numbers = [number for row in rows for number in row]
    (directory / name).write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(numbers)}d", *numbers)
    )


csv("x.csv", x)
csv("context.csv", context)
csv("both.csv", [a + b for a, b in zip(x, context)])
csv("x_and_more.csv", [a + [7, 7] for a in x])
npy("x.npy", x)
npy("context.npy", context)
