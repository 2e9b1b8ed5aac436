"""Spec files that are right: what they say comes out as layouts and claims."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from layoutalg.formats import (
    AccessItem,
    AgreeItem,
    LemmaItem,
    Refusal,
    SpecFile,
    TransformItem,
    load,
    loads,
)
from layoutalg.formats.grammar import transform_keys
from layoutalg.index import TRUE, const, symbol
from layoutalg.layout import TRANSFORMS

DATA = Path(__file__).parent / "data"
LDS = """
title = "GEMM A in LDS"
symbols = { M = { min = 1, max = 4096, multiple_of = 8 } }

[[descriptor]]
name  = "a_lds"
dtype = "f16"
base  = { kind = "naive", lengths = [8, "M", 8], strides = ["(M + 1) * 8", 8, 1] }
steps = [[
  { transform = "pass_through", length = "M",     lower = [1],    upper = [0] },
  { transform = "merge",        lengths = [8, 8], lower = [0, 2], upper = [1] },
]]
claims = ["in_bounds", "injective", { claim = "contiguous(16)", expect = "refuted" }]
examples = [{ index = [0, 8], offset = "8 * M + 8" }]
"""


def test_descriptor_with_symbols() -> None:
    file = loads(LDS)
    item = file.descriptor("a_lds")
    m = file.symbols["M"]
    assert m is symbol("M", min=1, max=4096, multiple_of=8)
    assert item.descriptor.lengths == (m, const(64))
    assert (item.dtype, item.line, item.stated) == ("f16", 5, True)
    assert [(str(c), c.expect) for c in item.claims] == [
        ("in_bounds", "proved"), ("injective", "proved"), ("contiguous(16)", "refuted"),
    ]  # fmt: skip
    (example,) = item.examples
    assert example.line == 14
    assert example.goal is not TRUE  # a formula over M, for the prover


def test_unstated_claims_are_the_usual_ones() -> None:
    item = loads('[[descriptor]]\nname = "d"\nbase = { kind = "packed", lengths = [2, 3] }').descriptor("d")
    assert [c.name for c in item.claims] == ["in_bounds", "injective", "fits_index"]
    assert not item.stated


def test_json_says_the_same_as_toml(tmp_path: object) -> None:
    text = '{"descriptor": [{"name": "d", "base": {"kind": "aligned", "lengths": [4, 5], "align": 8}}]}'
    assert (
        loads(text, is_json=True).descriptor("d").descriptor.element_space_size
        == loads('[[descriptor]]\nname = "d"\nbase = { kind = "aligned", lengths = [4, 5], align = 8 }')
        .descriptor("d")
        .descriptor.element_space_size
    )


def test_file_kind_follows_its_name(tmp_path) -> None:  # type: ignore[no-untyped-def]
    data = {"descriptor": [{"name": "d", "base": {"kind": "packed", "lengths": [4]}}]}
    (tmp_path / "d.json").write_text(json.dumps(data))
    assert load(tmp_path / "d.json").descriptor("d").descriptor.rank == 1


def test_the_guide_s_example() -> None:
    file = loads("""
    [[descriptor]]
    name = "tile"
    base = { kind = "naive", lengths = [256, 128], strides = [128, 1] }
    steps = [
      [{ transform = "unmerge", lengths = [4, 64], lower = [0], upper = [0, 1] },
       { transform = "pass_through", length = 128, lower = [1], upper = [2] }],
      [{ transform = "pass_through", length = 4, lower = [0], upper = [0] },
       { transform = "merge", lengths = [64, 128], lower = [1, 2], upper = [1] }],
    ]
    [[descriptor]]
    name = "three"
    base = { kind = "naive", lengths = [256, 128], strides = [128, 1] }
    steps = [[{ transform = "unmerge", lengths = [4, 64], lower = [0], upper = [0, 1] },
              { transform = "pass_through", length = 128, lower = [1], upper = [2] }]]
    examples = [{ index = [1, 3, 2], offset = 8578, hidden = [8578, 67, 2, 1, 3, 2] }]
    """)
    assert file.descriptor("tile").descriptor.lengths == (const(4), const(8192))
    assert [e.goal is TRUE for e in file.descriptor("three").examples] == [True]


def test_a_wrong_example_is_false() -> None:
    text = '[[descriptor]]\nname = "d"\nbase = { kind = "packed", lengths = [3, 4] }\nexamples = [{ index = [1, 2], offset = 7, expect = "refuted" }]'  # noqa: E501
    (example,) = loads(text).descriptor("d").examples
    assert (int(example.goal), example.expect) == (0, "refuted")


def test_bases_in_any_order() -> None:
    file = loads("""
    [[descriptor]]
    name = "rows"
    base = { kind = "descriptor", name = "all" }
    steps = [[{ transform = "freeze", index = 2, lower = [0], upper = [] },
              { transform = "pass_through", length = 4, lower = [1], upper = [0] }]]
    [[descriptor]]
    name = "all"
    base = { kind = "packed", lengths = [3, 4] }
    """)
    assert int(file.descriptor("rows").descriptor.offset((1,))) == 9


def test_what_must_be_refused() -> None:
    file = loads("""
    [[descriptor]]
    name = "misattached"
    expect = "refused"
    base = { kind = "packed", lengths = [2, 6] }
    steps = [[{ transform = "pass_through", length = 9, lower = [0], upper = [0] },
              { transform = "unmerge", lengths = [7, 5], lower = [1], upper = [1, 2] }]]
    [[descriptor]]
    name = "fine"
    expect = "refused"
    base = { kind = "packed", lengths = [2, 6] }
    [[distribution]]
    name = "twice"
    expect = "refused"
    hs = [[4, 2]]
    ps_major = [[1]]
    ps_minor = [[0]]
    ys_major = [1, 1]
    ys_minor = [0, 1]
    """)
    wrong, fine, twice = file.items
    assert isinstance(wrong, Refusal)
    assert isinstance(fine, Refusal)
    assert isinstance(twice, Refusal)
    assert wrong.reason == "pass_through(9) is attached to dimension 0: its lower length is 9, the dimension's is 2"
    assert fine.reason is None  # built after all: the check that must fail
    assert "owned by both P0 and Y0" in (twice.reason or "")


def test_every_transform_can_be_written() -> None:
    samples: dict[str, object] = {
        "length": 8, "left": 1, "right": 2, "lengths": [4, 8], "strides": [8, 1], "index": 3, "begin": 1, "end": 3,
        "modulus": 4, "offset": 2, "table": [3, 1, 2], "variable": "x", "function": "x * 2", "vector_size": 4,
        "out_lengths": [2, 5, 5, 8], "tilde_slice": 9, "w_tilde_slice": 3, "begins": [0, 0], "ratios": [-1, -1],
        "x_dot_slice_k": 16, "gemm_lengths": [4, 32, 8], "pads": [14, 0],
    }  # fmt: skip
    for name, kind in TRANSFORMS.items():
        entry = {"name": name, "transform": name, **{key: samples[key] for key in transform_keys(kind)}}
        (item,) = loads(json.dumps({"transform": [entry]}), is_json=True).items
        assert isinstance(item, TransformItem)
        assert item.transform.name == name


def relations() -> SpecFile:
    return load(DATA / "everything.toml")


def test_accesses() -> None:
    formula, spread = (item for item in relations().items if isinstance(item, AccessItem))
    assert [repr(e) for e in formula.index] == ["lane // 8 * 8 + j", "lane % 8 * 8"]
    assert (int(formula.lane.hi) + 1, formula.width, formula.targets) == (64, 8, ("gfx942", "gfx950"))
    assert [repr(v) for v in spread.variables] == ["y0", "v"]
    assert int(spread.lane.hi) + 1 == 64
    assert (spread.variables[1].hi, spread.distribution) == (1, "rows")


def test_distribution_example_holds() -> None:
    (item,) = relations().distributions
    assert [e.goal is TRUE for e in item.examples] == [True]


def test_agreements_and_lemmas() -> None:
    same, transposed = (item for item in relations().items if isinstance(item, AgreeItem))
    assert same.left_index == same.right_index == same.left.descriptor.index
    assert [repr(e) for e in transposed.right_index] == ["k", "n"]
    assert transposed.expect == "refuted"
    (lemma,) = (item for item in relations().items if type(item) is LemmaItem)
    assert repr(lemma.limits) == "N % 8 == 0"
    assert [repr(v) for v in lemma.variables] == ["a", "b"]


def test_reading_is_fast_enough_for_the_command_line() -> None:
    """No solver, no algebra system and no numpy are imported to read a file."""
    import subprocess
    import sys

    code = "import layoutalg.formats, sys; print([m for m in ('z3', 'sympy', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_no_such_descriptor() -> None:
    with pytest.raises(KeyError, match="it has a_lds"):
        loads(LDS, "lds.toml").descriptor("b_lds")
