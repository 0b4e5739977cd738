"""Writes small files in the binary formats of CIFAR: write_photos.py DIR

DIR/photos has the six files of CIFAR-10, DIR/fine the two of CIFAR-100, with the same images and, as fine labels, the same
labels; DIR/twin.npy the images of the test file as [image, height, width, channel]. An image is noise with a bright
spot whose place determines the class.
"""

import pathlib
import random
import struct
import sys

SIDE = 32
PLACES = SIDE * SIDE


def image(source, label):
    """Bytes, channel-major: red, green, blue."""
    planes = bytearray(source.randbytes(3 * PLACES))
    top, left = 3 * label, 28 - 3 * label
    for channel in range(3):
        for y in range(top, top + 4):
            begin = channel * PLACES + y * SIDE + left
            planes[begin : begin + 4] = bytes([255 - 60 * channel] * 4)
    return bytes(planes)


def npy(images):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(images)}, {SIDE}, {SIDE}, 3), }}\n".encode()
    content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    for planes in images:
        content += bytes(planes[channel * PLACES + place] for place in range(PLACES) for channel in range(3))
    return content


def main():
    directory = pathlib.Path(sys.argv[1])
    (directory / "photos").mkdir(parents=True, exist_ok=True)
    (directory / "fine").mkdir(exist_ok=True)
    source = random.Random(4)
    labels = [number % 10 for number in range(113)]
    samples = [(label, image(source, label)) for label in labels]
    parts = [(f"data_batch_{i + 1}.bin", samples[20 * i : 20 * i + 20]) for i in range(5)]
    for name, part in parts + [("test_batch.bin", samples[100:])]:
        (directory / "photos" / name).write_bytes(b"".join(bytes([label]) + planes for label, planes in part))
    for name, part in [("train.bin", samples[:100]), ("test.bin", samples[100:])]:
        records = (bytes([label // 5, label]) + planes for label, planes in part)
        (directory / "fine" / name).write_bytes(b"".join(records))
    (directory / "twin.npy").write_bytes(npy([planes for _, planes in samples[100:]]))


if __name__ == "__main__":
    main()
