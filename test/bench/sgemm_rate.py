"""Gflop/s of one thread in sgemm at the shapes of wide_mlp, which is the limit for a step on this machine.

Prints one number: that of OpenBLAS or, if it is installed and faster, of oneDNN, because planc's programs use both. The
caller must set OPENBLAS_CORETYPE and OMP_NUM_THREADS, which have no effect after the libraries are loaded.
"""

import ctypes
import statistics
import time

ROW_MAJOR, PLAIN = 101, 111
M, N, K = 128, 4096, 4096


def openblas(a, b, c):
    blas = ctypes.CDLL("libopenblas.so.0")
    blas.openblas_set_num_threads(1)
    one, zero = ctypes.c_float(1), ctypes.c_float(0)
    return lambda: blas.cblas_sgemm(ROW_MAJOR, PLAIN, PLAIN, M, N, K, one, a, K, b, N, zero, c, N)


def onednn(a, b, c):
    sgemm = ctypes.CDLL("libdnnl.so.2").dnnl_sgemm
    sgemm.argtypes = [ctypes.c_char] * 2 + [ctypes.c_int64] * 3 + [ctypes.c_float, ctypes.c_void_p, ctypes.c_int64] + [
        ctypes.c_void_p, ctypes.c_int64, ctypes.c_float, ctypes.c_void_p, ctypes.c_int64]
    return lambda: sgemm(b"N", b"N", M, N, K, 1, a, K, b, N, 0, c, N)


def rate(product):
    def seconds():
        start = time.perf_counter()
        product()
        return time.perf_counter() - start

    for _ in range(3):
        seconds()
    return 2 * M * N * K / statistics.median(seconds() for _ in range(15)) / 1e9


def main():
    floats = ctypes.c_float
    operands = (floats * (M * K))(*([0.5] * (M * K))), (floats * (K * N))(), (floats * (M * N))()
    rates = [rate(openblas(*operands))]
    try:
        rates.append(rate(onednn(*operands)))
    except OSError:
        pass  # not installed
    print(max(rates))


if __name__ == "__main__":
    main()
