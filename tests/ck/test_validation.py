"""Tile Engine's own check, read as data: it admits what AMD's Python admits, and a wrong file is one line."""

import importlib.util
import json
import random
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest

from layoutalg.ck.space import LAYOUTS, named, space
from layoutalg.ck.validation import Validation
from layoutalg.errors import LayoutError
from tests.composable_kernel import composable_kernel

ENGINE = composable_kernel() / "tile_engine" / "ops"
FILE = ENGINE / "commons" / "validation_utils.py"


@pytest.fixture(scope="module")
def amds() -> ModuleType:
    """AMD's own module, run: the oracle."""
    spec = importlib.util.spec_from_file_location("validation_utils", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_admitted_is_what_amds_python_admits(amds: ModuleType) -> None:
    """Of Tile Engine's default space, five thousand drawn over types, layouts and targets."""
    data, known = json.loads((ENGINE / "gemm" / "configs" / "default_config.json").read_text()), Validation.read(FILE)
    drawn, refused = random.Random(7), list[str]()
    every = list(space(data, "fp16", "rcr"))
    kinds = list(
        product(("fp16", "bf16", "fp8", "bf8", "int8", "fp32"), LAYOUTS, ("gfx90a", "gfx942", "gfx950", "gfx1201"))
    )
    for one in drawn.sample(every, 5000):
        dtype, layout, target = drawn.choice(kinds)
        of = named(f"{dtype}_{layout}_{one.pipeline}_{one.epilogue}_intrawave_{one.tile}", "", "")
        result = "fp16" if dtype in ("fp8", "bf8") else dtype
        sides = (*one.tile.block, *one.tile.warps, *one.tile.warp)
        theirs = amds.is_tile_config_valid(*sides, dtype, dtype, result, one.pipeline, layout, target)
        refused.append(known.refusal(of, target))
        assert theirs == (not refused[-1]), (of, target, refused[-1])
    assert set(refused) == {"", "warps", "tile", "lds", "cover", "warp tile"}
    assert refused.count("") > 100


@pytest.mark.parametrize(("text", "why"), [
    ("", "no table WARP_SUPPORTED_COMBINATIONS"), ("x = (", "cannot be read"),
    ("WARP_SUPPORTED_COMBINATIONS = f()", "cannot be read"),
    ("WARP_SUPPORTED_COMBINATIONS = {}\n", "no table WARP_TILE_SUPPORTED"), ("[" * 3000, "cannot be read"),
    ("WARP_SUPPORTED_COMBINATIONS = {'gfx942': [[1, 2]]}\nWARP_TILE_SUPPORTED_COMBINATIONS = {}", "three sides each"),
    ("WARP_SUPPORTED_COMBINATIONS = {}\nWARP_TILE_SUPPORTED_COMBINATIONS = {'gfx942': [1]}", "three sides each"),
])  # fmt: skip
def test_what_is_no_such_file_is_one_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "validation_utils.py"
    path.write_text(text)
    with pytest.raises(LayoutError, match=why):
        Validation.read(path)
    with pytest.raises(LayoutError, match="cannot be read"):
        Validation.read(tmp_path)


def test_nothing_of_the_file_is_run(tmp_path: Path) -> None:
    path = tmp_path / "validation_utils.py"
    path.write_text(f"import os\nos.remove({str(path)!r})\n" + FILE.read_text())
    assert Validation.read(path) == Validation.read(FILE)
    assert path.is_file()
