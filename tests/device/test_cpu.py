"""The CPU runs a kernel as a GPU would, exactly, and refuses what does not fit."""

import platform
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest

from layoutalg.device import LaunchError, Module, NoDeviceError, choose_device, compile_source, devices
from layoutalg.device.cpu import CpuDevice
from layoutalg.device.runtime import Size, pack_number
from tests.matrix import each

Source = Callable[[str], str]

HEADER = '#include "layoutalg_device.h"\n'
SIZES = [(1, 1), (1, 1000), (1000, 1), (63, 65), (64, 64), (65, 63), (128, 64), (517, 301), (191, 640)]


@pytest.fixture(params=[False, True], ids=["in order", "reversed"])
def device(request: pytest.FixtureRequest) -> CpuDevice:
    return CpuDevice(reverse_threads=request.param)


@pytest.fixture(scope="module")
def transposition(source: Source) -> Module:
    return CpuDevice().load(compile_source(source("lds_transpose"), "cpu"))


def run(text: str, grid: Size, block: Size, *arguments: object, device: CpuDevice | None = None) -> None:
    code = compile_source(HEADER + text, "cpu")
    (name,) = code.kernels
    (device or CpuDevice()).load(code).launch(name, grid, block, arguments)


@pytest.mark.parametrize(("rows", "columns"), SIZES)
@pytest.mark.parametrize("dtype", each(["f4", "f2"], "f2"))
def test_lds_transposition_is_exact(device: CpuDevice, source: Source, rows: int, columns: int, dtype: str) -> None:
    values = np.random.default_rng(rows * columns).standard_normal((rows, columns)).astype(dtype)
    out = device.array(np.full((columns, rows), np.nan, dtype))
    module = device.load(compile_source(source("lds_transpose"), "cpu"))
    name = {"f4": "lds_transpose_f32", "f2": "lds_transpose_f16"}[dtype]
    module.launch(name, (-(-columns // 64), -(-rows // 64)), 256, (device.array(values), out, rows, columns))
    np.testing.assert_array_equal(out.numpy(), values.T)


@pytest.mark.parametrize(("rows", "columns"), [(32, 32), (2560, 32), (96, 160)])
def test_register_transposition_is_exact(device: CpuDevice, source: Source, rows: int, columns: int) -> None:
    values = np.random.default_rng(rows).standard_normal((rows, columns)).astype(np.float32)
    out = device.array(np.full((columns, rows), np.nan, np.float32))
    module = device.load(compile_source(source("register_transpose"), "cpu"))
    module.launch("register_transpose", (columns // 32, rows // 32), (8, 8), (device.array(values), out, rows, columns))
    np.testing.assert_array_equal(out.numpy(), values.T)


@pytest.mark.slow
def test_large_transposition_is_exact(transposition: Module) -> None:
    device = transposition.device
    values = np.arange(4096 * 4096, dtype=np.float32).reshape(4096, 4096)
    out = device.array(np.full((4096, 4096), np.nan, np.float32))
    transposition.launch("lds_transpose_f32", (64, 64), 256, (values, out, 4096, 4096))
    np.testing.assert_array_equal(out.numpy(), values.T)


def test_threads_know_where_they_are(device: CpuDevice) -> None:
    text = """extern "C" __global__ void where(int* out) {
        int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        __syncthreads();
        int again = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        out[block * blockDim.x * blockDim.y * blockDim.z + thread] += 1000 * block + again + 1;
    }"""
    out = device.array(np.zeros(30 * 24, np.int32))
    run(text, (2, 3, 5), (4, 3, 2), out, device=device)
    block, thread = np.divmod(np.arange(30 * 24), 24)
    np.testing.assert_array_equal(out.numpy(), 1000 * block + thread + 1)


def test_a_barrier_separates_writes_from_reads(device: CpuDevice) -> None:
    text = """extern "C" __global__ void rotate(int* out, int rounds) {
        __shared__ int ring[1024];
        const int n = blockDim.x, t = threadIdx.x;
        ring[t] = t;
        for (int r = 0; r < rounds; ++r) {
            __syncthreads();
            const int next = ring[(t + 1) % n];
            __syncthreads();
            ring[t] = next;
        }
        out[blockIdx.x * n + t] = ring[t];
    }"""
    for threads in (1, 2, 63, 1024):
        out = device.array(np.zeros((5, threads), np.int32))
        run(text, 5, threads, out, 7, device=device)
        expected = (np.arange(threads) + 7) % threads
        np.testing.assert_array_equal(out.numpy(), np.tile(expected, (5, 1)))


def test_a_missing_barrier_shows_in_one_order_of_threads() -> None:
    text = """extern "C" __global__ void race(int* out) {
        __shared__ int word[64];
        word[threadIdx.x] = 1 + threadIdx.x;
        out[threadIdx.x] = word[(threadIdx.x + 63) % 64];
    }"""
    results = []
    for reverse in (False, True):
        device = CpuDevice(reverse_threads=reverse)
        out = device.array(np.zeros(64, np.int32))
        run(text, 1, 64, out, device=device)
        results.append(out.numpy().tolist())
    assert results[0] != results[1]


def test_a_barrier_that_not_all_threads_reach_is_an_error() -> None:
    text = 'extern "C" __global__ void split() { if (threadIdx.x < 3 && blockIdx.x == 2) __syncthreads(); }'
    with pytest.raises(LaunchError, match="split: in block 2, 7 threads ended while 3 wait at a barrier"):
        run(text, 4, 10)


def test_an_overrun_stack_ends_the_process_and_spares_the_neighbour() -> None:
    script = f"""
import numpy as np
from layoutalg.device import choose_device, compile_source
text = '''{HEADER}
__attribute__((noinline)) int deep(volatile int* p, int n) {{ volatile int big[4096]; big[n % 4096] = n;
    return n == 0 ? 0 : deep(p, n - 1) + big[n % 4096]; }}
extern "C" __global__ void overrun(int* out, int n) {{ out[0] = deep(out, n); }}'''
device = choose_device("cpu")
module, out = device.load(compile_source(text, "cpu")), device.array(np.zeros(1, np.int32))
module.launch("overrun", 1, 2, (out, 3)); print(out.numpy()[0], flush=True)
module.launch("overrun", 1, 2, (out, 60)); print("survived")
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert result.stdout == "6\n"
    assert result.returncode == -11  # SIGSEGV: the guard below the stack was touched


def test_halves_are_rounded_after_each_operation() -> None:
    text = """extern "C" __global__ void cube(const _Float16* a, _Float16* out, int n) {
        const int i = blockIdx.x * 64 + threadIdx.x;
        if (i < n) { const _Float16 square = a[i] * a[i]; out[i] = square * a[i]; }
    }"""
    values = np.random.default_rng(3).standard_normal(1000).astype(np.float16)
    device = CpuDevice()
    out = device.empty(1000, np.float16)
    run(text, 16, 64, device.array(values), out, 1000, device=device)
    np.testing.assert_array_equal(out.numpy(), (values * values) * values)


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("flags", [(), ("-march=x86-64-v3",)], ids=["native", "without bfloat16 instructions"])
def test_conversions_round_to_nearest_even(flags: tuple[str, ...]) -> None:
    if flags and platform.machine() != "x86_64":
        pytest.skip("the flag is of x86-64")
    text = """extern "C" __global__ void convert(
        const float* a, const double* b, __bf16* ab, __bf16* bb, _Float16* bh, int n) {
        const int i = blockIdx.x * 256 + threadIdx.x;
        if (i < n) { ab[i] = (__bf16)a[i]; bb[i] = (__bf16)b[i]; bh[i] = (_Float16)b[i]; }
    }"""
    random = np.random.default_rng(11)
    halves = random.integers(0, 0x7C00, 3000).astype(np.uint16).view(np.float16).astype(np.float64)
    ties = (halves[:-1] + np.nextafter(halves[:-1].astype(np.float16), np.float16(np.inf)).astype(np.float64)) / 2
    b = np.concatenate(
        [halves, ties, np.nextafter(ties, 0), np.nextafter(ties, 1e9), -ties, [np.inf, 1e300, 0.0, -0.0]]
    )
    a = b.astype(np.float32)
    device = CpuDevice()
    out = [device.empty(b.size, kind) for kind in ("u2", "u2", "f2")]
    code = compile_source(HEADER + text, "cpu", flags=flags)
    device.load(code).launch("convert", -(-b.size // 256), 256, (device.array(a), device.array(b), *out, b.size))
    np.testing.assert_array_equal(out[2].numpy(), b.astype(np.float16))
    for result, exact in ((out[0], a.astype(np.float64)), (out[1], b)):
        assert [int(bits) for bits in result.numpy()] == [nearest_bfloat16(value) for value in exact]


def nearest_bfloat16(value: float) -> int:
    """The bits of the bfloat16 nearest to a double, ties to even, by exact comparison with both neighbours."""
    low = int(np.array(abs(value), np.float64).astype(np.float32).view(np.uint32)) >> 16
    low = min(low, 0x7F7F) if np.isfinite(value) else low
    if low and bfloat16_value(low) > abs(value):
        low -= 1
    gap_low, gap_high = abs(value) - bfloat16_value(low), bfloat16_value(low + 1) - abs(value)
    up = np.isfinite(value) and (gap_high < gap_low or (gap_high == gap_low and low % 2 == 1))
    return (low + bool(up)) | (0x8000 if np.signbit(value) else 0)


def bfloat16_value(bits: int) -> float:
    """What sixteen bits are worth; past the largest, the next power of two, as rounding to infinity wants it."""
    return 2.0**128 if bits == 0x7F80 else float(np.array(bits << 16, np.uint32).view(np.float32))


def test_host_arrays_go_in_and_out_without_a_copy(transposition: Module) -> None:
    device = transposition.device
    values = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    out = device.empty((64, 64), np.float32)
    assert device.view(values).pointer == values.ctypes.data
    transposition.launch("lds_transpose_f32", 1, 256, (values, out, 64, 64))
    assert np.asarray(out).ctypes.data == np.from_dlpack(out).ctypes.data == out.pointer  # type: ignore[arg-type]
    np.testing.assert_array_equal(np.asarray(out), values.T)


def test_misfits_are_refused_before_anything_runs(transposition: Module) -> None:
    device = transposition.device
    a, b = device.array(np.zeros((64, 64), "f4")), device.array(np.zeros((64, 64), "f4"))
    constant = np.zeros((64, 64), "f4")
    constant.flags.writeable = False
    shifted = np.zeros(64 * 64 + 1, "f4")[1:]
    name = "lds_transpose_f32"
    cases: list[tuple[str, Size, int, tuple[object, ...], str]] = [
        (
            "transpose",
            1,
            256,
            (a, b, 64, 64),
            r"no kernel 'transpose' in this code object: give one of lds_transpose_f32",
        ),
        (name, 1, 256, (a, b, 64), "3 arguments for 4 parameters"),
        (name, 0, 256, (a, b, 64, 64), "grid 0: give one to three integers"),
        (name, (1, 1, 1, 1), 256, (a, b, 64, 64), "give one to three integers"),
        (name, 1, 2048, (a, b, 64, 64), "a block of 2048 threads, and at most 1024 are allowed"),
        (name, 1, 256, (a, b, 64, 1.5), r"argument 3 is 1\.5, and the parameter is an integer"),
        (name, 1, 256, (a, b, 64, 2**32), "argument 3 is 4294967296, which does not fit"),
        (name, 1, 256, (a, b, 64, "64"), "argument 3 must be a number, not str"),
        (name, 1, 256, (a, b, 64, np.int64(64)), "argument 3 has 8 bytes, and the parameter 4"),
        (name, 1, 256, (7, b, 64, 64), "a int is no array"),
        (
            name,
            1,
            256,
            (np.zeros((64, 64)), b, 64, 64),
            "argument 0 has elements of float64, and the kernel expects f4",
        ),
        (name, 1, 256, (np.zeros((64, 64), "i4"), b, 64, 64), "argument 0 has elements of int32"),
        (name, 1, 256, (a, constant, 64, 64), "argument 1 is read-only, and the kernel may write to it"),
        (name, 1, 256, (np.zeros((64, 128), "f4")[:, ::2], b, 64, 64), "must be contiguous and row-major"),
        (name, 1, 256, (shifted, b, 64, 64), "must start at a multiple of 16 bytes"),
    ]
    for kernel, grid, block, arguments, message in cases:
        with pytest.raises(LaunchError, match=message) as caught:
            transposition.launch(kernel, grid, block, arguments)
        assert "\n" not in str(caught.value)
    assert not b.numpy().any()


def test_a_read_only_array_may_be_read(transposition: Module) -> None:
    constant = np.arange(64, dtype=np.float32).reshape(1, 64)
    constant.flags.writeable = False
    out = transposition.device.empty((64, 1), "f4")
    transposition.launch("lds_transpose_f32", 1, 256, (constant, out, 1, 64))
    np.testing.assert_array_equal(out.numpy(), constant.T)


def test_numbers_take_the_size_of_their_parameter() -> None:
    text = """extern "C" __global__ void numbers(
        double* out, char a, unsigned b, long c, float d, double e, _Float16 f) {
        const double all[6] = {(double)a, (double)b, (double)c, d, e, (float)f};
        for (int i = 0; i < 6; ++i) out[i] = all[i];
    }"""
    device = CpuDevice()
    out = device.empty(6, "f8")
    run(text, 1, 1, out, -7, 2**32 - 1, np.int64(-(2**40)), 0.25, 1e100, np.float16(1.5), device=device)
    assert out.numpy().tolist() == [-7, 2**32 - 1, -(2**40), 0.25, 1e100, 1.5]


def test_a_kernel_may_bear_the_name_of_a_c_function() -> None:
    device = CpuDevice()
    out = device.array(np.zeros(8, np.int32))
    run('extern "C" __global__ void read(int* out) { out[threadIdx.x] = threadIdx.x; }', 1, 8, out, device=device)
    assert out.numpy().tolist() == list(range(8))


def test_a_kernel_without_parameters_runs() -> None:
    run('extern "C" __global__ void nothing() {}', (3, 3), 32)


def test_code_for_another_target_is_refused(source: Source) -> None:
    with pytest.raises(LaunchError, match=r"the code object is for gfx942, and .* runs cpu"):
        CpuDevice().load(compile_source(source("lds_transpose"), "gfx942"))


def test_every_kind_of_device_is_found_or_explained() -> None:
    found = devices()
    assert {device.kind for device in found.devices} | {absent.kind for absent in found.absent} == {
        "amd",
        "nvidia",
        "cpu",
    }
    assert found.devices[-1].kind == "cpu"
    assert all(absent.reason and "\n" not in absent.reason for absent in found.absent)


def test_an_unknown_kind_of_device_is_refused() -> None:
    with pytest.raises(NoDeviceError, match="unknown device 'tpu': give one of auto, amd, nvidia, cpu"):
        choose_device("tpu")


def test_events_measure_a_launch(transposition: Module) -> None:
    device = transposition.device
    start = device.event()
    time.sleep(0.002)
    assert 2 <= device.event().milliseconds_since(start) < 2000


def test_pack_number_refuses_an_integer_for_a_float() -> None:
    from layoutalg.device import Parameter

    with pytest.raises(LaunchError, match="s is 1, and the parameter is a float"):
        pack_number("s", Parameter("value", 4, 0, "f4"), 1)


def test_cores_are_counted_where_no_affinity_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    assert CpuDevice().workers >= 1
