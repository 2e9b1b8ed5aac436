"""Tuning parameters of CK's contractions: its own instances are valid, each rule has a counterexample; and a kernel."""

from dataclasses import replace
from typing import Any

import pytest

from layoutalg.ck.contraction import RULES, ContractionTuning, instances, plan_of, reasons
from layoutalg.device.constants import constants
from layoutalg.errors import LayoutError
from layoutalg.formats.cpp import CppUnit
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.einsum import merged, parse_einsum
from layoutalg.kernel.verify import verify
from tests.composable_kernel import composable_kernel

ELEMENT = "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
TEXT = """
using One = ck::tensor_operation::device::  // a comment, with <
    DeviceContractionMultipleD_Xdl_CShuffle<2, 2, 2, F32, F32, F32, F32, ck::Tuple<F32>, F32, P, P, Bilinear, GemmSpec,
        1, 256, 128, 128, 16, 4, 4, 32, 32, 2, 2, S<4, 64, 1>, S<1, 0, 2>, S<1, 0, 2>, 2, 4, 4, true,
        S<4, 64, 1>, S<1, 0, 2>, S<1, 0, 2>, 2, 4, 4, 1, 1, 1, S<1, 16, 1, 16>, 4, F32>;
"""
ONE = instances(TEXT)["One"]


def why(t: ContractionTuning, dtype: str = "f32", target: str = "gfx942") -> str:
    return next(reasons(t, dtype, target), "")


def test_all_of_example_26_is_valid() -> None:
    text = (composable_kernel() / "example" / "26_contraction" / "common_instances.hpp").read_text(encoding="utf-8")
    found = instances(text)
    assert len(found) == 8
    for name, tuning in found.items():
        dtype = "f64" if name.endswith("FP64") else "f32"
        assert list(reasons(tuning, dtype)) == []
        assert list(reasons(tuning, dtype, "gfx90a")) == []


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"num_gemm_k_prefetch_stage": 3}, "NumGemmKPrefetchStage"),
    ({"ak1": 3}, "KPerBlock must be divisible by AK1 and BK1"),
    ({"m_per_block": 96}, "MPerBlock is no multiple"),
    ({"n_per_block": 96}, "NPerBlock is no multiple"),
    ({"block_size": 128}, "CK computes another NXdlPerWave"),
    ({"n_xdl_per_wave": 1}, "CK computes another NXdlPerWave"),
    ({"a_src_vector_dim": 3}, "ABlockTransferSrcVectorDim is neither 1 nor 2"),
    ({"a_thread_cluster_lengths": (3, 64, 1)}, "the threads of A's cluster do not cover its tile"),
    ({"a_thread_cluster_lengths": (4, 128, 1)}, "A's cluster has more threads than the block"),
    ({"b_thread_cluster_arrange_order": (1, 1, 2)}, "an order of B is no permutation"),
    ({"b_src_access_order": (0, 1, 3)}, "an order of B is no permutation"),
    ({"b_src_scalar_per_vector": 8}, "what a thread loads of B"),
    ({"b_dst_scalar_per_vector_bk1": 8}, "what a thread stores of B along BK1"),
    ({"c_shuffle_m_xdl_per_wave_per_shuffle": 3}, "no multiple of what is shuffled"),
    ({"cde_cluster_lengths": (1, 48, 1, 4)}, "the C shuffle's cluster do not cover"),
    ({"cde_cluster_lengths": (1, 64, 1, 8)}, "the C shuffle's cluster has more threads"),
    ({"cde_scalar_per_vector": 8}, "what a thread stores along n"),
    ({"m_per_xdl": 64, "m_xdl_per_wave": 1}, "no f32 instruction of 64×32 on gfx942"),
    ({"k_per_block": 8, "a_thread_cluster_lengths": (2, 128, 1), "b_thread_cluster_lengths": (2, 128, 1)}, ""),
    ({"k_per_block": 4, "a_thread_cluster_lengths": (1, 128, 1), "b_thread_cluster_lengths": (1, 128, 1)}, "KPack 4"),
]


@pytest.mark.parametrize(("change", "reason"), WRONG, ids=lambda value: str(value))
def test_each_reason_is_that_of_the_change(change: dict[str, Any], reason: str) -> None:
    assert why(ONE) == ""
    found = why(replace(ONE, **change))
    assert (reason in found) if reason else not found
    assert not reason or ".hpp" in found


def test_every_rule_has_a_counterexample() -> None:
    broken = {next((r.reason for r in RULES if not r.holds(replace(ONE, **change))), "") for change, _ in WRONG}
    sides = str.maketrans("ABMN", "XXYY")  # a rule of A is one of B
    assert {r.reason.translate(sides) for r in RULES} <= {reason.translate(sides) for reason in broken}


@pytest.mark.slow
def test_lds_bytes_and_waves_are_what_ck_computes() -> None:
    folder = composable_kernel()
    header = folder / "example" / "26_contraction" / "common_instances.hpp"
    found = instances(header.read_text(encoding="utf-8"))
    generic = {name: tuning for name, tuning in found.items() if name.endswith("_Generic")}
    passed = "2, 2, 2, float, float, float, float, ck::Tuple<float>, float, float, Pass, Pass, Pass"
    unit = CppUnit(
        "gfx942", (str(header),), (folder / "include",),
        f'#include "{ELEMENT}"\nusing Pass = ck::tensor_operation::element_wise::PassThrough;\n'
        + "".join(f"using My{name} = {name}<{passed}>;\n" for name in generic),
    )  # fmt: skip
    asked = {f"{name} lds": f"My{name}::GridwiseGemm64::GetSharedMemoryNumberOfByte()" for name in generic}
    asked |= {f"{name} repeats": f"My{name}::NXdlPerWave64" for name in generic}
    computed = constants(unit, asked)
    for name, tuning in generic.items():
        assert computed[f"{name} lds"] == tuning.lds_bytes("f32", "f32")
        assert computed[f"{name} repeats"] == tuning.n_xdl_per_wave


def test_lds_is_limited_by_the_target() -> None:
    deep = replace(ONE, k_per_block=64, a_thread_cluster_lengths=(16, 16, 1), b_thread_cluster_lengths=(16, 16, 1))
    assert deep.lds_bytes("f32", "f32") == 2 * (15 * 129 + 128) * 4 * 4
    assert f"{deep.lds_bytes('f32', 'f32')} bytes of LDS, of which gfx942 has 65536" in why(deep)
    assert "bytes of LDS" not in why(deep, target="gfx950")


def test_a_tile_becomes_a_proved_kernel() -> None:
    plan = plan_of(ONE, "f32", "gfx942")
    assert (plan.m, plan.n, plan.k, plan.threads) == (128, 128, 16, 256)
    program = contraction(merged(parse_einsum("abef,cdef->abcd")), "f32", target="gfx942", plan=plan)
    assert verify(program).proved
    with pytest.raises(LayoutError, match="CK computes another NXdlPerWave"):
        plan_of(replace(ONE, block_size=512), "f32", "gfx942")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("256, 128", "Block, 128", "'Block' is neither a number nor a sequence"),
        ("S<4, 64, 1>", "4", "a_thread_cluster_lengths is 4; it takes a list"),
        (", S<1, 16, 1, 16>, 4, F32>", ">", "the tuning parameters are not all there"),
        (", F32>;", ";", "is not closed"),
        ("16, 4, 4", "16, 0, 4", "ak1 is 0; its least is 1"),
    ],
)
def test_bad_text_is_told(old: str, new: str, reason: str) -> None:
    with pytest.raises(LayoutError, match=reason):
        instances(TEXT.replace(old, new, 1))
