"""Writes samples.csv, 43 samples to train on and 13 to test on, and asked.csv, 7 samples to predict."""

import random

random.seed(5)
with open("samples.csv", "w") as samples, open("asked.csv", "w") as asked:
    for number in range(63):
        x = [f"{random.uniform(-1, 1):.6f}" for _ in range(12)]
        if number < 56:
            print(0 if number < 43 else 1, *x, random.randrange(5), sep=",", file=samples)
        else:
            print(0, *x, sep=",", file=asked)
