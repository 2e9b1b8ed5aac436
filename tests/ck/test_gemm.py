"""Whole GEMMs of CK: sizes of a launch are those that CK's host code admits and gives to that kernel, and no others."""

from itertools import product

import pytest

from layoutalg.ck.gemm import Gemm, GemmAnswers, Turns, asked, turns_alike
from layoutalg.ck.launched import APART, Launched, gemm_source
from layoutalg.ck.space import LAYOUTS, Configuration, Tile
from layoutalg.errors import LayoutError
from layoutalg.formats import loads
from layoutalg.index import value
from tests.composable_kernel import composable_kernel

TILE = Tile.parse("64x96x32_2x1x1_32x32x16")
VECTORS = (8, 4, 16)
#: Of compv3, a pipeline of two stages.
V3 = (Turns(1), Turns(2), Turns(3, 1, 125))
MEM = (Turns(1), Turns(2), Turns(3, 2, 60), Turns(4, 2, 60))


def supported(gemm, vectors, m, n, k):
    """`IsSupportedArgument` of universal_gemm_kernel.hpp, k_batch = 1, line by line."""
    tile_m, tile_n, tile_k = gemm.configuration.tile.block
    pad_m, pad_n, pad_k = gemm.padded
    a, b, _ = gemm.configuration.layout
    vector_a, vector_b, vector_c = vectors
    of_a = (k % tile_k == 0 or pad_k) and k % vector_a == 0
    if a == "c":
        of_a = (m % tile_m == 0 or pad_m) and m % vector_a == 0
    of_b = (k % tile_k == 0 or pad_k) and k % vector_b == 0
    if b == "r":
        of_b = (n % tile_n == 0 or pad_n) and n % vector_b == 0
    return of_a and of_b and (n % tile_n == 0 or pad_n) and n % vector_c == 0


def sizes_of(file):
    """What M and N may be, and K of all that it is made of."""
    lengths = file.descriptor("a").descriptor.lengths, file.descriptor("b").descriptor.lengths
    made = {name: range(v.value.lo, v.value.hi + 1, v.value.multiple_of) for name, v in file.symbols.items()}
    (k,) = {str(one): one for each in lengths for one in each if str(one) not in ("M", "N")}.values()
    of_k = {
        value(k, {file.symbols[name]: at for name, at in (("J", j), ("R", r)) if name in made})
        for j in made.get("J", [0]) for r in made.get("R", [0])
    }  # fmt: skip
    return set(made["M"]), set(made["N"]), of_k


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("padded", [(False,) * 3, (True,) * 3, (True, False, False), (False, False, True)])
def test_a_launch_has_all_sizes_that_ck_admits_and_no_others(layout, padded):
    """In each direction by itself, since no condition of CK's is of two."""
    gemm = Gemm(Configuration("fp16", layout, TILE), padded=padded)
    for turns in MEM:
        source = gemm_source(gemm, GemmAnswers(VECTORS, 128, MEM), turns.first, Launched(200))
        found = sizes_of(loads(source.launches[turns.kernel]))
        good_m, good_n, good_k = 64 * 8, 96 * 16, 32
        wanted = (
            {m for m in range(1, 201) if supported(gemm, VECTORS, m, good_n, good_k)},
            {n for n in range(1, 8193) if supported(gemm, VECTORS, good_m, n, good_k)},
            {k for k in range(1, 32 * 124 + 1)
             if -(-k // 32) in turns.counts and supported(gemm, VECTORS, good_m, good_n, k)},
        )  # fmt: skip
        assert found == wanted


def test_rows_may_lie_further_apart_by_vectors():
    gemm = Gemm(Configuration("fp16", "ccr", TILE))
    file = loads(gemm_source(gemm, GemmAnswers(VECTORS, 128, V3), 1, Launched(apart=True)).launches["gemm_1"])
    a, c = (file.descriptor(name).descriptor for name in "ac")
    at = {file.symbols[name]: size for name, size in {"M": 64, "N": 192, "Pa": 3, "Pc": APART}.items()}
    assert value(a.offset((1, 0)), at) == 64 + 8 * 3
    assert value(c.offset((1, 0)), at) == 192 + 16 * APART


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("padded", [(False,) * 3, (True,) * 3])
def test_a_launch_may_be_of_some_sizes_alone(layout, padded):
    gemm = Gemm(Configuration("fp16", layout, TILE), padded=padded)
    said = GemmAnswers(VECTORS, 128, MEM)
    for sizes in product((1, 64, 136), (96, 192, 208), (32, 40, 64, 96, 128, 160)):
        if not supported(gemm, VECTORS, *sizes):
            with pytest.raises(LayoutError, match="does not admit"):
                gemm_source(gemm, said, launched=Launched(sizes=sizes))
            continue
        ((name, text),) = gemm_source(gemm, said, launched=Launched(sizes=sizes)).launches.items()
        assert -(-sizes[2] // 32) in next(one for one in MEM if one.kernel == name).counts
        assert sizes_of(loads(text)) == tuple({size} for size in sizes)


def test_counts_of_one_kernel_lie_a_step_apart():
    assert list(turns_alike([9, 7, 8, 7, 8, 7])) == [Turns(1), Turns(2, 2, 2), Turns(3, 2, 1)]
    assert [*Turns(3, 2, 2).counts] == [3, 5, 7]
    with pytest.raises(LayoutError, match="no step apart"):
        list(turns_alike([7, 7, 8, 7]))


def test_one_kernel_is_chosen_by_its_turns():
    gemm = Gemm(Configuration("fp16", "rcr", TILE))
    assert list(gemm_source(gemm, GemmAnswers(VECTORS, 128, V3)).launches) == ["gemm_1", "gemm_2", "gemm_3"]
    assert list(gemm_source(gemm, GemmAnswers(VECTORS, 128, V3), 77).launches) == ["gemm_3"]
    with pytest.raises(LayoutError, match="129 turns"):
        gemm_source(gemm, GemmAnswers(VECTORS, 128, V3), 129)


def test_an_instance_is_named_as_tile_engine_does():
    one = Gemm.named("gemm_fp8_crr_compv4_default_intrawave_True_False_True_False_64x96x32_2x1x1_32x32x16", "", "")
    assert one == Gemm(Configuration("fp8", "crr", TILE, "compv4", "default"), "intrawave", (True, False, True))
    assert Gemm.named(str(one), "", "") == one
    assert Gemm.named(str(TILE), "bf16", "rcr", "mem", "nk").padded == (False, True, True)


@pytest.mark.parametrize(("text", "pads", "why"), [
    ("64x64", "", "no tile"), (str(TILE), "z", "pads 'z'"),
    (f"gemm_fp16_rcr_compv3_cshuffle_intrawave_False_False_False_True_{TILE}", "", "persistent"),
])  # fmt: skip
def test_what_names_no_gemm_is_refused(text, pads, why):
    with pytest.raises(LayoutError, match=why):
        Gemm.named(text, "fp16", "rcr", pads=pads)


@pytest.mark.slow
def test_ck_says_which_counts_are_of_a_kernel():
    """Of the mem pipeline, whose stages are of the tile: 16 KiB in flight, 10 KiB a turn are two."""
    include = (composable_kernel() / "include",)
    found = asked(Gemm(Configuration("fp16", "rcr", TILE, "mem")), "gfx942", include)
    assert (found.threads, found.vectors) == (128, (8, 8, 8))
    assert found.turns == (Turns(1), Turns(2), Turns(3, 2, 62), Turns(4, 2, 62))


@pytest.mark.parametrize(("kind", "lengths", "equation"), [
    ("batched_gemm", 3, "c[n, i, j] = f16(sum[k] f32(a[n, i, k]) * f32(b[n, j, k]))"),
    ("batched_contraction", 3, "c[n, i, j] = f16(sum[k] f32(a[n, i, k]) * f32(b[n, j, k]))"),
    ("gemm_multi_d", 2, "c[i, j] = f16((sum[k] f32(a[i, k]) * f32(b[j, k])) + f32(d[i, j]))"),
    ("gemm_multi_abd", 2, "c[i, j] = f16((sum[k] f32(f16(f32(a0[i, k]) + f32(a1[i, k]))) *"
                          " f32(f16(f32(b0[j, k]) + f32(b1[j, k])))) * f32(d0[i, j]) * f32(d1[i, j]))"),
])  # fmt: skip
def test_products_of_each_kind_have_their_tensors_and_equation(kind, lengths, equation):
    gemm = Gemm.named(f"{kind}_{TILE}", "fp16", "rcr")
    assert Gemm.named(str(gemm), "", "") == gemm
    source = gemm_source(gemm, GemmAnswers(VECTORS, 128, V3), 3)
    assert "Arguments = typename Kernel::GEMM_ARGUMENTS" in source.text
    file = loads(source.launches["gemm_3"])
    assert len(file.descriptor("a0" if kind == "gemm_multi_abd" else "a").descriptor.lengths) == lengths
    assert [one.text for one in file.launch.tried] == [equation]
