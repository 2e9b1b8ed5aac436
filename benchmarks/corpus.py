"""Descriptors that production kernels really use, as builders over their parameters: what tests and benchmarks share.

Lengths and strides are those of AMD's Composable Kernel; each builder names the file, below CK's `include/`.  A size
may be an integer or an expression over symbols.  `concrete()` gives every entry at the parameter sets that its kernel
allows, `symbolic()` families for all sizes at once, `defective()` what is known to be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from layoutalg.index import Expr, Term, as_expr, prod, symbol
from layoutalg.layout import (
    Embed,
    Freeze,
    LeftPad,
    Merge,
    Modulo,
    Offset,
    Pad,
    PassThrough,
    RightPad,
    Slice,
    TensorDescriptor,
    TileDistribution,
    TileDistributionEncoding,
    Transform,
    Unmerge,
    Xor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
    transform_tensor_descriptor,
)
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


def _pass(*lengths: Term) -> list[Transform]:
    return [PassThrough(as_expr(n)) for n in lengths]


def _merge(*lengths: Term) -> Merge:
    return Merge(tuple(map(as_expr, lengths)))


def _unmerge(*lengths: Term) -> Unmerge:
    return Unmerge(tuple(map(as_expr, lengths)))


def _over(n: Term, d: Term) -> Expr:
    """n / d, for a divisor of n (symbols cancel by the normal form)."""
    from layoutalg.index.normal import simplify

    return simplify(as_expr(n) // d)


def gemm_v1_lds(m: Term, k: Term, pack: int = 8) -> TensorDescriptor:
    """A and B in LDS, padded by one pack a row: ck_tile gemm_pipeline_agmem_bgmem_creg_v1_default_policy.hpp."""
    k0 = _over(k, pack)
    d = make_naive_tensor_descriptor((k0, m, pack), ((as_expr(m) + 1) * pack, pack, 1))
    return transform_tensor_descriptor(d, [*_pass(m), _merge(k0, pack)], [[1], [0, 2]], [[0], [1]])


def folds(k: int, bytes_per_element: int, banks: int = 32) -> int:
    """How many rows share a line of all banks."""
    return max(1, banks * 4 // k // bytes_per_element)


def universal_row_major(m: Term, k: int, size: int = 2, pack: int = 8) -> TensorDescriptor:
    """A row-major with xor: ck_tile gemm_universal_pipeline_ag_bg_cr_policy.hpp."""
    fold, k0 = folds(k, size), k // pack
    rows = _over(m, fold)
    d = make_naive_tensor_descriptor((k0 * fold, rows, pack), (pack, k * fold, 1))
    swizzle = Xor((as_expr(rows), as_expr(k0 * fold)))
    d = transform_tensor_descriptor(d, [swizzle, *_pass(pack)], [[1, 0], [2]], [[1, 0], [2]])
    return _fold_rows(d, rows, fold, k0, pack)


def universal_padded(m: Term, k: int, size: int = 2, pack: int = 8, pad: int = 8) -> TensorDescriptor:
    """The same policy for gfx1250: padding in the place of xor."""
    fold, k0 = folds(k, size), k // pack
    rows = _over(m, fold)
    d = make_naive_tensor_descriptor((rows, k0 * fold, pack), (k * fold + pad, pack, 1))
    d = transform_tensor_descriptor(d, _pass(rows, k0 * fold, pack), [[0], [1], [2]], [[1], [0], [2]])
    return _fold_rows(d, rows, fold, k0, pack)


def _fold_rows(d: TensorDescriptor, rows: Term, fold: int, k0: int, pack: int) -> TensorDescriptor:
    split = [_unmerge(fold, k0), *_pass(rows, pack)]
    d = transform_tensor_descriptor(d, split, [[0], [1], [2]], [[0, 2], [1], [3]])
    return transform_tensor_descriptor(d, [_merge(rows, fold), _merge(k0, pack)], [[1, 0], [2, 3]], [[0], [1]])


def universal_column_major(
    kw: int, kpw: int, krp: int, m1: int, kfold: int, m0: Term, mpair: int, k1: int
) -> TensorDescriptor:
    """A column-major: K in threads' write and read order, M in pairs, xor between (same file)."""
    lengths = (kw // kfold // krp, kpw, krp * m1, kfold * _over(m0, mpair), mpair, k1)
    d = make_naive_tensor_descriptor_packed(lengths)
    swizzle = Xor((as_expr(lengths[2]), as_expr(lengths[3])))
    d = transform_tensor_descriptor(
        d,
        [*_pass(*lengths[:2]), swizzle, *_pass(mpair, k1)],
        [[0], [1], [2, 3], [4], [5]],
        [[0], [1], [2, 3], [4], [5]],
    )
    pairs = _over(m0, mpair)
    d = transform_tensor_descriptor(
        d,
        [*_pass(*lengths[:2]), _unmerge(krp, m1), _unmerge(kfold, pairs), *_pass(mpair, k1)],
        [[0], [1], [2], [3], [4], [5]],
        [[1], [2], [0, 3], [4, 5], [6], [7]],
    )
    merges = [_merge(krp, lengths[0], kfold, kpw, k1), _merge(pairs, mpair, m1)]
    return transform_tensor_descriptor(d, merges, [[0, 1, 4, 2, 7], [5, 6, 3]], [[0], [1]])


def fmha_qk_lds(n: Term, k: Term, pack: int = 8) -> TensorDescriptor:
    """Q and K in LDS: ck_tile block_fmha_pipeline_qx_ks_vs_custom_policy.hpp."""
    return gemm_v1_lds(n, k, pack)


@dataclass(frozen=True)
class AsyncK:
    """K of attention in LDS, stored asynchronously and loaded: the same file."""

    issues: Term
    warps: Term
    k: int
    vector: int = 8
    pad: int = 8
    pack: int = 8
    lanes: int = 64

    @property
    def wave(self) -> int:
        """Elements from one wave's line to the next."""
        return self.lanes * self.vector + self.pad

    @property
    def per_k(self) -> int:
        """Lanes along K."""
        return self.k // self.vector

    @property
    def groups(self) -> int:
        """Rows that one wave stores at once."""
        return self.lanes // self.per_k

    def _stored(self, offset: int) -> TensorDescriptor:
        lengths = (self.issues, self.groups, self.warps, self.per_k, self.vector)
        strides = (as_expr(self.warps) * self.wave, self.k, self.wave, self.vector, 1)
        return make_naive_tensor_descriptor_with_offset(lengths, strides, offset)

    def store(self, offset: int = 0) -> TensorDescriptor:
        """Top (issue, warp, element of the wave)."""
        merges = [*_pass(self.issues, self.warps), _merge(self.groups, self.per_k, self.vector)]
        return transform_tensor_descriptor(self._stored(offset), merges, [[0], [2], [1, 3, 4]], [[0], [1], [2]])

    def stored(self) -> TensorDescriptor:
        """The store's map over (n, k)."""
        merges = [_merge(self.issues, self.groups, self.warps), _merge(self.per_k, self.vector)]
        return transform_tensor_descriptor(self._stored(0), merges, [[0, 1, 2], [3, 4]], [[0], [1]])

    def load(self, buffers: int = 1) -> TensorDescriptor:
        """Top (n, k)."""
        k0, single = self.k // self.pack, as_expr(self.issues) * self.warps * self.wave
        lengths = (buffers, self.issues, self.warps, self.groups, k0, self.pack)
        strides = (single, as_expr(self.warps) * self.wave, self.wave, self.k, self.pack, 1)
        d = make_naive_tensor_descriptor(lengths, strides)
        merges = [_merge(buffers, self.issues, self.groups, self.warps), _merge(k0, self.pack)]
        return transform_tensor_descriptor(d, merges, [[0, 1, 3, 2], [4, 5]], [[0], [1]])


def fmha_v_lds(n: Term, k: int, buffers: int = 1, size: int = 2, pack: int = 8) -> TensorDescriptor:
    """V in LDS, a pack of padding for every line of 32 banks (same file)."""
    line = 128 // size
    rows = line // pack
    single = _over(n, rows) * (line + pack) * (k // pack)
    lengths = (buffers, k // pack, _over(n, rows), rows, pack)
    d = make_naive_tensor_descriptor(lengths, (single, _over(n, rows) * (line + pack), line + pack, pack, 1))
    merges = [_merge(buffers, lengths[2], rows), _merge(k // pack, pack)]
    return transform_tensor_descriptor(d, merges, [[0, 2, 3], [1, 4]], [[0], [1]])


@dataclass(frozen=True)
class Window:
    """A filter along one spatial dimension."""

    size: Term
    filter: Term
    stride: Term = 1
    dilation: Term = 1
    left: Term = 0
    right: Term = 0
    outputs: Term | None = None

    @staticmethod
    def of_output(outputs: Term, filter: Term, stride: Term, dilation: Term, left: Term, right: Term) -> Window:
        """The window with this many outputs over the least input (or up to stride − 1 more: add it to `right`)."""
        reach = (as_expr(outputs) - 1) * stride + (as_expr(filter) - 1) * dilation + 1
        return Window(reach - left - right, filter, stride, dilation, left, right, outputs)

    @property
    def out(self) -> Expr:
        """The output's length."""
        if self.outputs is not None:
            return as_expr(self.outputs)
        padded = as_expr(self.size) + self.left + self.right
        return (padded - (as_expr(self.filter) - 1) * self.dilation - 1) // self.stride + 1


def conv_to_gemm(n: Term, c: Term, windows: Sequence[Window]) -> TensorDescriptor:
    """N, spatial…, C to (N·outputs, filters·C): ck_tile image_to_column, transform_conv_fwd_to_gemm.hpp."""
    rank = len(windows)
    d = make_naive_tensor_descriptor_packed((n, *(w.size for w in windows), c))
    dims = [[i] for i in range(rank + 2)]
    pads: list[Transform] = [Pad(as_expr(w.size), as_expr(w.left), as_expr(w.right)) for w in windows]
    d = transform_tensor_descriptor(d, [*_pass(n), *pads, *_pass(c)], dims, dims)
    embeds: list[Transform] = [
        Embed((as_expr(w.filter), w.out), (as_expr(w.dilation), as_expr(w.stride))) for w in windows
    ]
    upper = [[0], *([1 + 2 * i, 2 + 2 * i] for i in range(rank)), [2 * rank + 1]]
    d = transform_tensor_descriptor(d, [*_pass(n), *embeds, *_pass(c)], dims, upper)
    outputs, filters = _merge(n, *(w.out for w in windows)), _merge(*(w.filter for w in windows), c)
    rows = [0, *(2 + 2 * i for i in range(rank))]
    columns = [*(1 + 2 * i for i in range(rank)), 2 * rank + 1]
    return transform_tensor_descriptor(d, [outputs, filters], [rows, columns], [[0], [1]])


def conv_1x1(n: Term, h: Term, w: Term, c: Term, stride: int = 1) -> TensorDescriptor:
    """1×1 without padding: the merge only, or embed((Ho), (stride)) (same file)."""
    d = make_naive_tensor_descriptor_packed((n, h, w, c))
    if stride > 1:
        ho, wo = ((as_expr(x) - 1) // stride + 1 for x in (h, w))
        strided = [Embed((x,), (as_expr(stride),)) for x in (ho, wo)]
        d = transform_tensor_descriptor(d, [*_pass(n), *strided, *_pass(c)], [[0], [1], [2], [3]], [[0], [1], [2], [3]])
        h, w = ho, wo
    return transform_tensor_descriptor(d, [_merge(n, h, w), *_pass(c)], [[0, 1, 2], [3]], [[0], [1]])


def conv_backward_data(n: int, h: int, c: int, y: int, stride: int, dilation: int, tilde: int) -> TensorDescriptor:
    """One of the GEMMs of a backward convolution, input side, one spatial dimension (unit padding).

    pad, embed((YTilde, HTilde)), slice, freeze: ck transform_conv_bwd_data_to_gemm_v1.hpp.
    """
    left = right = dilation * (y - 1) // 2
    ho = (h + left + right - dilation * (y - 1) - 1) // stride + 1
    common = gcd(stride, dilation)
    y_tilde = stride // common
    h_tilde = ho + -(-dilation * (y - 1) // stride)
    begin = max(0, left - dilation * (y_tilde - 1)) // stride
    end = min(h_tilde, -(-(left + h - 1) // stride) + 1)
    reach = (y_tilde - 1) * dilation + (h_tilde - 1) * stride + 1
    d = make_naive_tensor_descriptor_packed((n, h, c))
    pad = Pad(as_expr(h), as_expr(left), as_expr(max(right, reach - h - left)))
    d = transform_tensor_descriptor(d, [*_pass(n), pad, *_pass(c)], [[0], [1], [2]], [[0], [1], [2]])
    embed = Embed((as_expr(y_tilde), as_expr(h_tilde)), (as_expr(dilation), as_expr(stride)))
    d = transform_tensor_descriptor(d, [*_pass(n), embed, *_pass(c)], [[0], [1], [2]], [[0], [1, 2], [3]])
    cut: list[Transform] = [Freeze(as_expr(tilde)), Slice(as_expr(h_tilde), as_expr(begin), as_expr(end))]
    d = transform_tensor_descriptor(d, [*_pass(n), *cut, *_pass(c)], [[0], [1], [2], [3]], [[0], [], [1], [2]])
    return transform_tensor_descriptor(d, [_merge(n, end - begin), *_pass(c)], [[0, 1], [2]], [[0], [1]])


def batched_transpose_lds(s: Term, length: Term, vector: int) -> TensorDescriptor:
    """(S, L/V, V) / (L, V, 1): ck_tile batched_transpose_lds_policy.hpp."""
    blocks = _over(length, vector)
    d = make_naive_tensor_descriptor((s, blocks, vector), (length, vector, 1))
    return transform_tensor_descriptor(d, [*_pass(s), _merge(blocks, vector)], [[0], [1, 2]], [[0], [1]])


def contraction(ms: Sequence[Term], ks: Sequence[Term], pad: int = 0) -> TensorDescriptor:
    """(Ms…, Ks…) to (M, K), padded to whole tiles: ck_tile batched_contraction tensor_descriptor_utils.hpp."""
    lengths = [*ms, *ks]
    strides = [prod(list(map(as_expr, lengths[i + 1 :]))) for i in range(len(lengths))]
    d = make_naive_tensor_descriptor(lengths, strides)
    first, second = list(range(len(ms))), list(range(len(ms), len(lengths)))
    d = transform_tensor_descriptor(d, [_merge(*ms), _merge(*ks)], [first, second], [[0], [1]])
    if not pad:
        return d
    padded: list[Transform] = [RightPad(n, as_expr(pad)) for n in d.lengths]
    return transform_tensor_descriptor(d, padded, [[0], [1]], [[0], [1]])


def permutation(lengths: Sequence[Term], order: Sequence[int]) -> TensorDescriptor:
    """The source of a permutation, read in the order of its destination: ck_tile generic_permute_kernel.hpp."""
    d = make_naive_tensor_descriptor_packed(lengths)
    moved = [lengths[i] for i in order]
    d = transform_tensor_descriptor(d, _pass(*moved), [[i] for i in order], [[i] for i in range(len(order))])
    return transform_tensor_descriptor(d, [_merge(*moved)], [list(range(len(order)))], [[0]])


def cshuffle_v3(m: Term, k: int, k1: int, extra: int = 0, size: int = 2) -> TensorDescriptor:
    """A of ck gridwise_gemm_xdl_cshuffle_v3.hpp, top (AK0, M, AK1): rows of `extra` more, or xor."""
    k0 = k // k1
    if extra:
        return make_naive_tensor_descriptor((k0, m, k1), (k1, k + extra, 1))
    fold = folds(k, size)
    rows = _over(m, fold)
    d = make_naive_tensor_descriptor((k0 * fold, rows, k1), (k1, k * fold, 1))
    swizzle = Xor((as_expr(rows), as_expr(k0 * fold)))
    d = transform_tensor_descriptor(d, [swizzle, *_pass(k1)], [[1, 0], [2]], [[1, 0], [2]])
    split = [_unmerge(fold, k0), *_pass(rows, k1)]
    d = transform_tensor_descriptor(d, split, [[0], [1], [2]], [[0, 2], [1], [3]])
    tops = [*_pass(k0), _merge(rows, fold), *_pass(k1)]
    return transform_tensor_descriptor(d, tops, [[2], [1, 0], [3]], [[0], [1], [2]])


def padded_gemm(m: Term, k: Term, right_m: Term, right_k: Term) -> TensorDescriptor:
    """A matrix in global memory padded to whole tiles, K in packs: gridwise GEMMs with MNKPadding."""
    d = make_naive_tensor_descriptor((m, k), (k, 1))
    pads: list[Transform] = [RightPad(as_expr(m), as_expr(right_m)), RightPad(as_expr(k), as_expr(right_k))]
    return transform_tensor_descriptor(d, pads, [[0], [1]], [[0], [1]])


def wrapped(length: Term, modulus: Term) -> TensorDescriptor:
    """A dimension that is read round and round."""
    d = make_naive_tensor_descriptor_packed((modulus,))
    return transform_tensor_descriptor(d, [Modulo(as_expr(modulus), as_expr(length))], [[0]], [[0]])


def gemm_v1_distribution(m0: Term, m1: Term, k0: Term, k1: Term, warps: Term = 4) -> TileDistribution:
    """Global memory of GEMM v1: R<1>, H (M0, M1, M2), (K0, K1), P ((1, 1)), ((1, 2), (2, 0)), Y (1, 0), (2, 1)."""
    return TileDistribution(
        TileDistributionEncoding(
            (as_expr(1),),
            (tuple(map(as_expr, (m0, warps, m1))), tuple(map(as_expr, (k0, k1)))),
            ((1,), (1, 2)),
            ((1,), (2, 0)),
            (1, 2),
            (0, 1),
        )
    )


def replicated_distribution(copies: Term, m0: Term, k0: Term) -> TileDistribution:
    """Each element in as many warps as there are copies: the B operand of a block GEMM."""
    return TileDistribution(
        TileDistributionEncoding(
            (as_expr(copies),),
            ((as_expr(m0), as_expr(16)), (as_expr(k0), as_expr(4), as_expr(8))),
            ((0,), (2, 1)),
            ((0,), (1, 1)),
            (1, 2, 2),
            (0, 0, 2),
        )
    )


def shifted(length: Term, left: Term, offset: Term) -> TensorDescriptor:
    """A row with `left` invalid indices before it, `offset` elements into memory."""
    d = make_naive_tensor_descriptor_with_offset((length,), (1,), offset)
    return transform_tensor_descriptor(d, [LeftPad(as_expr(length), as_expr(left))], [[0]], [[0]])


def offset_rows(rows: Term, length: Term, offset: Term) -> TensorDescriptor:
    """A block of rows within a packed tensor."""
    d = make_naive_tensor_descriptor_packed((as_expr(rows) + offset, length))
    part: list[Transform] = [Offset(as_expr(rows), as_expr(offset)), *_pass(length)]
    return transform_tensor_descriptor(d, part, [[0], [1]], [[0], [1]])


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
