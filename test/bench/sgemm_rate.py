"""Gflop/s of one thread in OpenBLAS' sgemm at the shapes of wide_mlp: what a step on this machine could reach.

Prints one number. OPENBLAS_CORETYPE is to be set by the caller: it counts before the library is loaded.
"""

import ctypes
import statistics
import time

ROW_MAJOR, PLAIN = 101, 111


def main():
    blas = ctypes.CDLL("libopenblas.so.0")
    blas.openblas_set_num_threads(1)
    m, n, k = 128, 4096, 4096
    floats = ctypes.c_float
    a, b, c = (floats * (m * k))(*([0.5] * (m * k))), (floats * (k * n))(), (floats * (m * n))()

    def seconds():
        start = time.perf_counter()
        blas.cblas_sgemm(ROW_MAJOR, PLAIN, PLAIN, m, n, k, floats(1), a, k, b, n, floats(0), c, n)
        return time.perf_counter() - start

    for _ in range(3):
        seconds()
    print(2 * m * n * k / statistics.median(seconds() for _ in range(15)) / 1e9)


if __name__ == "__main__":
    main()
