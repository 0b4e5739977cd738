# How lit runs the tests of this folder: files with RUN lines. See README.md.
import os
import platform
import shutil
import subprocess

import lit
import lit.formats

config.name = "planc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".plan", ".mlir", ".test"]
config.excludes = ["Inputs", "bench"]
config.test_source_root = os.path.join(config.planc_source, "test")
config.test_exec_root = os.path.join(config.planc_build, "test")

examples = os.path.join(config.planc_source, "examples")
shared_data = os.path.join(os.path.dirname(config.planc_source), "shared", "data")
shared_networks = os.path.join(os.path.dirname(config.planc_source), "shared", "networks")
mpirun = os.path.join(config.planc_source, "scripts", "mpirun")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.planc_build, "bin"), config.llvm_tools, os.environ["PATH"]]
)
for name in ["HOME", "CCACHE_DIR", "TMPDIR", "PLANC_REFRESH", "ASAN_OPTIONS", "UBSAN_OPTIONS"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

# %mpirun N PROGRAM …: on N ranks of this machine, under a timeout
config.substitutions += [
    ("%mpirun", mpirun),
    ("%planc_build", config.planc_build),
    ("%examples", examples),
    ("%shared_data", shared_data),
    ("%shared_networks", shared_networks),
    ("%python", "/usr/bin/python3"),
    ("%lit", os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(lit.__file__))), "lit.py")),
]

if os.path.exists(os.path.join(config.planc_build, "lib", "libplanrt_smpi.a")) and shutil.which("smpirun"):
    config.available_features.add("simgrid")
if "Open MPI" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout:
    config.available_features.add("open-mpi")
if os.path.isdir(shared_data):
    config.available_features.add("shared-data")
if os.path.isdir(shared_networks):
    config.available_features.add("shared-networks")
config.available_features.add("metis" if config.metis else "no-metis")
if subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True).returncode == 0:
    config.available_features.add("torch")
if "fast" not in lit_config.params:
    config.available_features.add("long")
# A test that hangs is ended after so many seconds, and fails; the others go on. lit needs psutil for that.
can_end_tests, _ = lit_config.maxIndividualTestTimeIsSupported
if can_end_tests:
    config.available_features.add("time-limit")
    if lit_config.maxIndividualTestTime == 0:
        lit_config.maxIndividualTestTime = int(lit_config.params.get("time-limit", 900))
if platform.machine() == "x86_64":
    config.available_features.add("x86_64")
if config.sanitized:
    config.available_features.add("sanitized")
    config.environment["PLANC_SANITIZED"] = "1"
