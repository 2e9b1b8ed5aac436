"""Kernels that read the block's and the grid's sizes from the dispatch packet, as code objects before version 5 do."""

import pytest

from layoutalg.audit.audit import audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from tests.matrix import each

SOURCE = """#include <hip/hip_runtime.h>
struct Packet { unsigned short header, setup, x, y, z, reserved; unsigned int gx, gy, gz; };
#define PACKET ((const __attribute__((address_space(4))) Packet*)__builtin_amdgcn_dispatch_ptr())
extern "C" __global__ void tiles(const float* x, float* o, int n, int m) {
  int i = blockIdx.x * PACKET->x + threadIdx.x, j = blockIdx.y * PACKET->y + threadIdx.y;
  if (i < n && j < m) o[j * n + i] = x[j * n + i];
}
extern "C" __global__ void strides(const float* x, float* o, int n, int m) {
  for (int i = blockIdx.x * PACKET->x + threadIdx.x; i < n * m; i += PACKET->gx) o[i] = x[i];
}
extern "C" __global__ void beyond(const float* x, float* o, int n, int m) {
  int i = blockIdx.x * PACKET->x + threadIdx.x;
  if (i < n * m) o[i] = x[((const __attribute__((address_space(4))) int*)PACKET)[20]];
}
"""
LAUNCH = """symbols = {{ N = {{ min = 1, max = 2000 }}, M = {{ min = 1, max = 2000 }} }}
[[descriptor]]
name = "x"
dtype = "f32"
base = {{ kind = "packed", lengths = ["M", "N"] }}
[[descriptor]]
name = "o"
dtype = "f32"
base = {{ kind = "packed", lengths = ["M", "N"] }}
[launch]
kernel = "{}"
grid = {}
block = {}
arguments = ["x", "o", "N", "M"]
writes = ["o"]
computes = ["o[j, i] = x[j, i]"]
"""
TILES = '["(N + 15) // 16", "(M + 7) // 8"]'


def audited(target, kernel, grid, block, edit=("", "")):
    code = read_kernels(compile_source(SOURCE.replace(*edit), target).payload)[kernel]
    return audit(decode_kernel(code), loads(LAUNCH.format(kernel, grid, block)), 20)


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"], "gfx90a"))
@pytest.mark.parametrize(("kernel", "grid", "block"), [("tiles", TILES, "[16, 8]"), ("strides", "[120]", "[256]")])
def test_what_the_packet_says_is_known(target, kernel, grid, block):
    found = audited(target, kernel, grid, block)
    assert found.proved, found.failures


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "grid", "block", "edit"), [
    ("tiles", TILES, "[16, 4]", ("", "")),
    ("tiles", TILES, "[8, 16]", ("", "")),
    ("tiles", TILES, "[16, 8]", ("PACKET->y", "PACKET->x")),
    ("tiles", TILES, "[16, 8]", ("j < m", "j <= m")),
    ("strides", "[120]", "[256]", ("PACKET->gx", "PACKET->x")),
    ("strides", "[120]", "[256]", ("PACKET->gx", "PACKET->gy")),
    ("beyond", "[120]", "[256]", ("", "")),
])  # fmt: skip
def test_other_sizes_are_not_proved(kernel, grid, block, edit):
    assert not audited("gfx942", kernel, grid, block, edit).proved
