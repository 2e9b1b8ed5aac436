"""Descriptors that production kernels really use, as builders over their parameters.

Lengths and strides are those of AMD's Composable Kernel; each builder names the file, below CK's `include/`.  A size
may be an integer or an expression over symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from layoutalg.index import Expr, Term, as_expr, prod
from layoutalg.index.normal import simplify
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


def _pass(*lengths: Term) -> list[Transform]:
    return [PassThrough(as_expr(n)) for n in lengths]


def _merge(*lengths: Term) -> Merge:
    return Merge(tuple(map(as_expr, lengths)))


def _unmerge(*lengths: Term) -> Unmerge:
    return Unmerge(tuple(map(as_expr, lengths)))


def _over(n: Term, d: Term) -> Expr:
    """n / d, for a divisor of n (symbols cancel by the normal form)."""
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
