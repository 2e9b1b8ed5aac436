"""Two kernels of Gluon whose tiles the Tensor Data Mover brings: `python make.py`, where Triton 3.9 is installed.

A copy of tiles, and a product of f16 by WMMA; each becomes a code object beside this file.  No GPU is needed.
"""

import os
from pathlib import Path

os.environ |= {"TRITON_DISABLE_LINE_INFO": "1", "TRITON_DEFAULT_FP_FUSION": "1"}

import triton
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource
from triton.experimental.gluon.language.amd import cdna5


@gluon.jit
def copy(a, b, M, N, BM: gl.constexpr, BN: gl.constexpr):
    shared: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [BM, BN], [1, 0])
    held: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    d = cdna5.tdm.make_tensor_descriptor(base=a, shape=(M, N), strides=(N, 1), block_shape=(BM, BN), layout=shared)
    tile = gl.allocate_shared_memory(a.dtype.element_ty, (BM, BN), shared)
    m, n = gl.program_id(0) * BM, gl.program_id(1) * BN
    cdna5.tdm.async_load(d, [m, n], tile)
    cdna5.tdm.async_wait(0)
    row = m + gl.arange(0, BM, gl.SliceLayout(1, held))
    column = n + gl.arange(0, BN, gl.SliceLayout(0, held))
    inside = (row[:, None] < M) & (column[None, :] < N)
    gl.store(b + row[:, None] * N + column[None, :], tile.load(held), mask=inside)


@gluon.jit
def product(a, b, c, M, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr):
    wmma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 32])
    shared_a: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[BK, 8]], [BM, BK], [1, 0])
    shared_b: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[BN, 16]], [BK, BN], [1, 0])
    m, n = gl.program_id(0) * BM, gl.program_id(1) * BN
    of_a = cdna5.tdm.make_tensor_descriptor(base=a, shape=(M, K), strides=(K, 1), block_shape=(BM, BK), layout=shared_a)
    of_b = cdna5.tdm.make_tensor_descriptor(base=b, shape=(K, N), strides=(N, 1), block_shape=(BK, BN), layout=shared_b)
    tile_a = gl.allocate_shared_memory(a.dtype.element_ty, (BM, BK), shared_a)
    tile_b = gl.allocate_shared_memory(b.dtype.element_ty, (BK, BN), shared_b)
    total = gl.zeros((BM, BN), gl.float32, wmma)
    for k in range(gl.cdiv(K, BK)):
        cdna5.tdm.async_load(of_a, [m, k * BK], tile_a)
        cdna5.tdm.async_load(of_b, [k * BK, n], tile_b)
        cdna5.tdm.async_wait(0)
        left, right = tile_a.load(gl.DotOperandLayout(0, wmma, 8)), tile_b.load(gl.DotOperandLayout(1, wmma, 8))
        total = cdna5.wmma(left, right, total)
    row = m + gl.arange(0, BM, gl.SliceLayout(1, wmma))
    column = n + gl.arange(0, BN, gl.SliceLayout(0, wmma))
    gl.store(c + row[:, None] * N + column[None, :], total, mask=(row[:, None] < M) & (column[None, :] < N))


#: Kernel → its signature, and the lengths of its tiles.
KERNELS = {
    copy: ({"a": "*fp32", "b": "*fp32", "M": "i32", "N": "i32"}, {"BM": 16, "BN": 32}),
    product: ({"a": "*fp16", "b": "*fp16", "c": "*fp32", "M": "i32", "N": "i32", "K": "i32"},
              dict.fromkeys(("BM", "BN", "BK"), 32)),
}  # fmt: skip

if __name__ == "__main__":
    for kernel, (signature, tiles) in KERNELS.items():
        constants = {(len(signature) + k,): length for k, length in enumerate(tiles.values())}
        source = GluonASTSource(kernel, signature | dict.fromkeys(tiles, "constexpr"), constants)
        built = triton.compile(source, GPUTarget("hip", "gfx1250", 32), {"num_warps": 4})
        Path(__file__).with_name(f"{built.metadata.name}.co").write_bytes(built.asm["hsaco"])
        print(built.metadata.name, built.metadata.shared)
