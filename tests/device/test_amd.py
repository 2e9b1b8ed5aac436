"""What the AMD runtime is asked to do, through the real hip-python, by a stand-in for the runtime library.

The stand-in keeps device memory on the host and transposes in C, so these tests show that pointers, numbers, sizes and
copies arrive as the HIP interface wants them. They do not show that a real GPU runs the code objects.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from layoutalg.device import compile_source, find_compilers
from layoutalg.device.targets import targets_of
from tests.optional import needed

needed("hip", "test")

RUN = """
import gc, sys
import numpy as np
from layoutalg.device import CodeObject, choose_device
device = choose_device("amd")
print(device.name, device.target, device.max_threads, device.properties["processors"], device.properties["lds_bytes"])
module = device.load(CodeObject.read(open(sys.argv[1], "rb").read()))
values = np.arange(5 * 7, dtype=np.float32).reshape(5, 7)
out = device.empty((7, 5), np.float32)
start = device.event()
module.launch("lds_transpose_f32", (2, 3), (256, 1), (device.array(values), out, 5, 7))
print(device.event().milliseconds_since(start), np.array_equal(out.numpy(), values.T))
device.stream = 77
module.launch("lds_transpose_f32", 1, 64, (out, device.empty((5, 7), np.float32), 7, 5))
"""
FIND = "from layoutalg.device.amd import find; found = find(); print(found.devices, [a.reason for a in found.absent])"


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the stand-in library."""
    folder = tmp_path_factory.mktemp("hip")
    compiler = find_compilers()[-1]
    source = Path(__file__).parent / "sources" / "stand_in_hip.c"
    subprocess.run(
        [*compiler.clang, "-x", "c", "-w", "-fPIC", "-c", str(source), "-o", str(folder / "hip.o")], check=True
    )
    library = str(folder / "libamdhip64.so")
    subprocess.run([*compiler.linker, "-shared", str(folder / "hip.o"), "-o", library], check=True)
    return folder


def python(script: str, *arguments: str, **environment: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, **environment}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_a_launch_arrives_as_hip_wants_it(runtime: Path, tmp_path: Path, source: Callable[[str], str]) -> None:
    code = tmp_path / "code.co"
    compile_source(source("lds_transpose"), "gfx942").save(code)
    output = python(RUN, str(code), LD_LIBRARY_PATH=str(runtime), PYTHONUNBUFFERED="1")
    assert output.splitlines()[:6] == [
        "Stand-in gfx942 1024 304 65536",
        "copy 140 to device",
        "launch 2 3 1, 256 1 1, stream 0",
        "free",
        "copy 140 to host",
        "0.5 True",
    ]
    assert "launch 1 1 1, 64 1 1, stream 77" in output


def test_every_device_is_found(runtime: Path) -> None:
    output = python(FIND, LD_LIBRARY_PATH=str(runtime), STAND_IN_DEVICES="2")
    assert output.count("<amd device 'Stand-in', target gfx942>") == 2


def test_a_card_without_a_target_is_explained(runtime: Path) -> None:
    output = python(FIND, LD_LIBRARY_PATH=str(runtime), STAND_IN_ARCH="gfx803")
    known = ", ".join(targets_of("amd"))
    assert f"Stand-in is a gfx803, and kernels are compiled for {known}" in output


def test_no_device_is_explained(runtime: Path) -> None:
    output = python(FIND, LD_LIBRARY_PATH=str(runtime), STAND_IN_DEVICES="0")
    assert "the HIP runtime finds no GPU" in output


def test_no_runtime_is_explained(tmp_path: Path) -> None:
    output = python(FIND, LD_LIBRARY_PATH=str(tmp_path))
    if "<amd device" in output:
        pytest.skip("this machine has an AMD GPU")
    assert "the HIP runtime" in output


def test_a_failed_call_names_itself_and_the_error(runtime: Path, tmp_path: Path) -> None:
    script = """
from layoutalg.device import DeviceError, choose_device
driver = choose_device("amd").driver
try:
    driver.load(b"no ELF file")
except DeviceError as error:
    print(error)
"""
    output = python(script, LD_LIBRARY_PATH=str(runtime))
    assert output == "hipModuleLoadData failed: hipErrorInvalidImage\n"
