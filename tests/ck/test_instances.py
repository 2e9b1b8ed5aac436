"""The C++ of configurations: what they share is one text, and CK takes it."""

from dataclasses import replace

import pytest

from layoutalg.ck import instances
from layoutalg.ck.space import named
from layoutalg.device.constants import constants
from tests.composable_kernel import composable_kernel

TILE = "64x64x64_2x2x1_16x16x16"


def test_pipelines_of_one_policy_ask_one_question() -> None:
    mem, v3, v4 = (named(f"fp16_rcr_{name}_default_intrawave_{TILE}", "", "") for name in ("mem", "compv3", "compv4"))
    assert instances.pipeline(mem) == instances.pipeline(v3) != instances.pipeline(v4)
    assert instances.epilogue(mem) == instances.epilogue(v4)


def test_an_epilogue_does_not_know_the_depth() -> None:
    shallow, deep = (named(f"64x64x{k}_2x2x1_16x16x16", "fp16", "rcr") for k in (32, 64))
    assert instances.epilogue(shallow) == instances.epilogue(deep)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [*instances.CPP_TYPES])
def test_every_type_is_one_of_cks(dtype: str) -> None:
    one = named("64x64x64_2x2x1_16x16x32" if dtype in ("fp8", "bf8", "int8") else TILE, dtype, "rcr")
    unit = instances.unit("gfx942", [composable_kernel() / "include"])
    found = constants(unit, {"warp": instances.warp(one)})["warp"]
    assert found is (dtype != "fp64")


@pytest.mark.slow
def test_a_scheduler_changes_no_layout() -> None:
    one = instances.pipeline(named(TILE, "fp16", "rcr"))
    unit = instances.unit("gfx942", [composable_kernel() / "include"])
    other = unit.prelude.replace("GemmPipelineScheduler::Intrawave", "GemmPipelineScheduler::Interwave")
    assert other != unit.prelude
    found = [constants(each, {"one": one})["one"] for each in (unit, replace(unit, prelude=other))]
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.parametrize("tile", ["64x64x32_2x2x1_32x32x16", "128x192x64_2x2x1_16x16x16"])
def test_a_d_changes_no_layout(tile: str) -> None:
    one = instances.epilogue(named(tile, "fp16", "rcr"))
    unit = instances.unit("gfx942", [composable_kernel() / "include"])
    other = unit.prelude.replace(
        "<T, T, tuple<>, Acc, Out, tuple<>, LayoutC, element_wise::PassThrough",
        "<T, T, tuple<Out>, Acc, Out, tuple<LayoutC>, LayoutC, element_wise::MultiDAdd",
    )
    assert other != unit.prelude
    found = [constants(each, {"one": one})["one"] for each in (unit, replace(unit, prelude=other))]
    assert found[0] == found[1]
