"""The corpus: claims on what production kernels really use, which tests and benchmarks share.

`concrete()` gives every entry at the parameter sets that its kernel allows, `symbolic()` families for all sizes,
`defective()` what is known to be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.builders import (
    AsyncK,
    Window,
    batched_transpose_lds,
    contraction,
    conv_1x1,
    conv_backward_data,
    conv_to_gemm,
    cshuffle_v3,
    fmha_qk_lds,
    fmha_v_lds,
    gemm_v1_distribution,
    gemm_v1_lds,
    offset_rows,
    padded_gemm,
    permutation,
    replicated_distribution,
    shifted,
    universal_column_major,
    universal_padded,
    universal_row_major,
    wrapped,
)
from layoutalg.index import symbol
from layoutalg.layout import make_naive_tensor_descriptor
from layoutalg.prove import (
    Agree,
    Bijective,
    Claim,
    Contiguous,
    Covers,
    FitsIndexType,
    InBounds,
    Injective,
    default_claims,
)


@dataclass(frozen=True)
class Entry:
    """Claims on one layout of the corpus; `holds` says whether all of them do."""

    name: str
    claims: tuple[Claim, ...]
    holds: bool = True


TILES = [(m, k) for m in (32, 64, 128, 256) for k in (16, 32, 64, 128)]
CONVOLUTIONS = (
    (8, 64, (Window(56, 3, 1, 1, 1, 1), Window(56, 3, 1, 1, 1, 1))),
    (1, 3, (Window(224, 7, 2, 1, 3, 3), Window(224, 7, 2, 1, 3, 3))),
    (2, 32, (Window(28, 3, 2, 1, 1, 1), Window(28, 3, 2, 1, 1, 1))),
    (2, 16, (Window(30, 3, 1, 2, 2, 2), Window(14, 5, 1, 2, 4, 4))),
    (4, 8, (Window(71, 5, 3, 2, 4, 4),)),
    (1, 8, (Window(9, 3, 1, 1, 1, 1), Window(10, 3, 2, 1, 1, 1), Window(11, 3, 1, 2, 2, 2))),
)


def concrete() -> Iterator[Entry]:
    """Every entry at the parameter sets of its kernel: more than a hundred descriptors."""
    for m, k in TILES:
        d = gemm_v1_lds(m, k)
        yield Entry(f"gemm v1 LDS {m}x{k}", (*default_claims(d), Contiguous(d, 1, 8)))
        e = fmha_qk_lds(m, k, 4)
        yield Entry(f"fmha QK LDS {m}x{k}", (*default_claims(e), Contiguous(e, 1, 4)))
    for m, k in ((m, k) for m in (64, 128, 256) for k in (32, 64, 128)):
        for size, pack in ((2, 8), (1, 16)):
            d = universal_row_major(m, k, size, pack)
            claims = (*default_claims(d), Bijective(d), Contiguous(d, 1, pack))
            yield Entry(f"universal row-major {m}x{k} of {size} bytes", claims)
        d = universal_padded(m, k)
        yield Entry(f"universal padded {m}x{k}", (*default_claims(d), Contiguous(d, 1, 8)))
        d = cshuffle_v3(m, k, 8)
        yield Entry(f"cshuffle v3 xor {m}x{k}", (*default_claims(d), Bijective(d), Contiguous(d, 2, 8)))
        d = cshuffle_v3(m, k, 8, extra=8)
        yield Entry(f"cshuffle v3 extra {m}x{k}", (*default_claims(d), Contiguous(d, 2, 8)))
    for given in (
        (8, 1, 1, 8, 2, 16, 2, 8),
        (16, 2, 2, 4, 1, 32, 1, 8),
        (8, 1, 2, 8, 4, 16, 4, 4),
        (4, 4, 1, 16, 1, 8, 2, 8),
    ):
        d = universal_column_major(*given)
        yield Entry(f"universal column-major {given}", (*default_claims(d), Bijective(d)))
    for issues, warps, k in ((4, 4, 32), (2, 4, 64), (8, 2, 32), (4, 4, 128), (1, 4, 64)):
        a = AsyncK(issues, warps, k)
        yield Entry(f"fmha K store {issues}x{warps}x{k}", default_claims(a.store(a.wave)))
        load = a.load()
        claims = (*default_claims(load), Agree(load, a.stored()), Contiguous(load, 1, 8))
        yield Entry(f"fmha K load {issues}x{warps}x{k}", claims)
        yield Entry(f"fmha K load {issues}x{warps}x{k}, 3 buffers", default_claims(a.load(3)))
    for n, k in ((128, 32), (64, 32), (256, 64), (128, 128)):
        d = fmha_v_lds(n, k)
        yield Entry(f"fmha V LDS {n}x{k}", (*default_claims(d), Contiguous(d, 1, 8)))
    for n, c, windows in CONVOLUTIONS:
        d = conv_to_gemm(n, c, windows)
        yield Entry(f"conv {n}x{c} {[w.size for w in windows]}", (InBounds(d), FitsIndexType(d)))
    for stride in (1, 2):
        d = conv_1x1(8, 56, 56, 64, stride)
        yield Entry(f"conv 1x1 stride {stride}", (*default_claims(d), Contiguous(d, 1, 8)))
    for tilde in (0, 1):
        d = conv_backward_data(2, 28, 8, 3, 2, 1, tilde)
        yield Entry(f"conv backward data {tilde}", default_claims(d))
    for s, length in ((64, 32), (32, 64), (128, 64), (64, 128)):
        for vector in (8, 4):
            d = batched_transpose_lds(s, length, vector)
            yield Entry(f"batched transpose LDS {s}x{length} by {vector}", (*default_claims(d), Bijective(d)))
    for ms, ks, pad in (((3, 5, 7), (11, 13), 0), ((4, 8), (16, 8), 0), ((3, 5), (7, 9), 4), ((2, 3, 4, 5), (6, 7), 8)):
        d = contraction(ms, ks, pad)
        yield Entry(f"contraction {ms} {ks} pad {pad}", (*default_claims(d), Bijective(d)))
    for order in ((0, 1, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0)):
        d = permutation((6, 7, 8, 9), order)
        yield Entry(f"permutation {order}", (*default_claims(d), Bijective(d)))
    d = permutation((1, 1, 8, 3, 5, 7, 64, 32), (0, 1, 7, 2, 6, 4, 3, 5))
    yield Entry("permutation of rank 8", (*default_claims(d), Bijective(d)))
    for m, k in ((1000, 120), (127, 65)):
        d = padded_gemm(m, k, -m % 128, -k % 32)
        yield Entry(f"padded gemm {m}x{k}", (*default_claims(d), Bijective(d)))
    for m0, m1, k0, k1 in ((2, 16, 4, 8), (4, 8, 8, 8), (1, 64, 1, 8)):
        t = gemm_v1_distribution(m0, m1, k0, k1)
        yield Entry(f"distribution {m0} {m1} {k0} {k1}", (Covers(t),))
    yield Entry("distribution with copies", (Covers(replicated_distribution(4, 2, 2), 4),))
    yield Entry("shifted", default_claims(shifted(100, 3, 17)))
    yield Entry("offset rows", default_claims(offset_rows(16, 64, 48)))


def symbolic() -> Iterator[Entry]:
    """Families for all sizes at once."""
    m, n, k = (symbol(name) for name in "MNK")
    m8, k8 = symbol("M", multiple_of=8), symbol("K", max=4096, multiple_of=8, power_of_two=True)
    lds = gemm_v1_lds(m8, k8)
    yield Entry(
        "gemm v1 LDS, M a multiple of 8, K a power of two", (InBounds(lds), Injective(lds), Contiguous(lds, 1, 8))
    )
    any_k = gemm_v1_lds(m, symbol("K", multiple_of=8))
    yield Entry("gemm v1 LDS, all M, K a multiple of 8", (InBounds(any_k), Injective(any_k), Contiguous(any_k, 1, 8)))
    for width in (32, 64, 128):
        d = universal_row_major(symbol("M", multiple_of=8), width)
        claims = (InBounds(d), Injective(d), Bijective(d), Contiguous(d, 1, 8))
        yield Entry(f"universal row-major, M a multiple of 8, K = {width}", claims)
        d = universal_padded(symbol("M", multiple_of=8), width)
        yield Entry(
            f"universal padded, M a multiple of 8, K = {width}", (InBounds(d), Injective(d), Contiguous(d, 1, 8))
        )
    a = AsyncK(symbol("I"), symbol("W"), 64)
    yield Entry("fmha K, all issues and warps", (InBounds(a.load()), Injective(a.load()), Agree(a.load(), a.stored())))
    v = fmha_v_lds(symbol("N", multiple_of=8), 32)
    yield Entry("fmha V, N a multiple of 8", (InBounds(v), Injective(v), Contiguous(v, 1, 8)))
    sizes = [symbol(name) for name in ("Ho", "Wo")]
    filters = [symbol(name) for name in "YX"]
    steps = [symbol(name) for name in ("sh", "sw", "dh", "dw")]
    pads = [symbol(name, min=0) for name in ("top", "left", "bottom", "right")]
    windows = [Window.of_output(sizes[i], filters[i], steps[i], steps[2 + i], pads[i], pads[2 + i]) for i in range(2)]
    yield Entry("conv 2-D, all sizes, filters, strides, dilations, pads",
                (InBounds(conv_to_gemm(n, symbol("C"), windows)),))  # fmt: skip
    yield Entry("conv 1-D, all sizes, filters, strides, dilations, pads",
                (InBounds(conv_to_gemm(n, symbol("C"), windows[:1])),))  # fmt: skip
    one = conv_1x1(n, sizes[0], sizes[1], symbol("C"))
    yield Entry("conv 1x1, all sizes", (InBounds(one), Injective(one), Bijective(one)))
    two = conv_1x1(n, sizes[0], sizes[1], symbol("C"), 2)
    yield Entry("conv 1x1 stride 2, all sizes", (InBounds(two), Injective(two)))
    t = batched_transpose_lds(symbol("S"), symbol("L", multiple_of=8), 8)
    yield Entry(
        "batched transpose LDS, all S, L a multiple of 8",
        (InBounds(t), Injective(t), Bijective(t), Contiguous(t, 1, 8)),
    )
    c = contraction([m, symbol("M1")], [k, symbol("K1")])
    yield Entry("contraction 2+2, all sizes", (InBounds(c), Injective(c), Bijective(c)))
    padded = contraction([m, symbol("M1")], [k], 8)
    yield Entry("contraction 2+1 padded, all sizes", (InBounds(padded), Injective(padded), Bijective(padded)))
    p = permutation([m, n, k, symbol("L")], (3, 1, 0, 2))
    yield Entry("permutation of rank 4, all sizes", (InBounds(p), Injective(p), Bijective(p)))
    g = padded_gemm(m, k, symbol("right_m", min=0), symbol("right_k", min=0))
    yield Entry("padded gemm, all sizes", (InBounds(g), Injective(g), Bijective(g)))
    covers = gemm_v1_distribution(symbol("M0"), 16, symbol("K0"), 8, symbol("W"))
    yield Entry("distribution, all M0, K0, warps", (Covers(covers),))
    f = gemm_v1_lds(symbol("M", max=4096, multiple_of=8), symbol("K", max=4096, multiple_of=8))
    yield Entry("gemm v1 LDS up to 4096 fits 32 bits", (FitsIndexType(f),))


def defective() -> Iterator[Entry]:
    """What must be refuted, with a witness."""
    for m, k in ((64, 96), (64, 48)):
        d = universal_row_major(m, k)
        yield Entry(f"universal row-major {m}x{k}: xor with a length that is no power of two", (Injective(d),), False)
    d = universal_row_major(64, 48)
    yield Entry("universal row-major 64x48 leaves its memory", (InBounds(d),), False)
    m = symbol("M")
    short = make_naive_tensor_descriptor((8, m, 8), (m * 8 - 8, 8, 1))
    yield Entry("rows that overlap, for all M", (Injective(short),), False)
    big = make_naive_tensor_descriptor((70000, 40000), (40000, 1))
    yield Entry("70000 x 40000 leaves int32", (FitsIndexType(big),), False)
    conv = conv_to_gemm(1, 1, [Window(5, 3, 1, 1, 1, 1)])
    yield Entry("im2col reads an element more than once", (Injective(conv),), False)
    pad = padded_gemm(13, 13, 3, 3)
    yield Entry("a vector that straddles the padding", (Contiguous(pad, 1, 8),), False)
    a = AsyncK(4, 4, 64)
    yield Entry("store and load with another pad", (Agree(a.load(), AsyncK(4, 4, 64, pad=0).stored()),), False)
    yield Entry("round and round", (Injective(wrapped(12, 8)),), False)
    yield Entry("a tile that is held twice, said to be held once", (Covers(replicated_distribution(2, 2, 2)),), False)
